package dev.weaklink.rebuild;

import dev.weaklink.rebuild.Diagnosis.Cause;
import dev.weaklink.sys.ShellWord;
import java.util.List;

/** The next step after a failed build, by cause. */
public final class NextStep {
    private static final String INCOMPLETE =
            "do not install the result: it lacks modules that are installed now; build with --no-kmp"
                    + " (Mellanox's RPM images only), or build the missing modules separately";

    /** The next step if modules were not built for the requested kernel, but probably for the running kernel. */
    public static final String GIVEN_KERNEL =
            "the Makefile, dkms.conf or --build-tree names another kernel, such as the running one (uname -r);"
                    + " use $kernelver in dkms.conf, or get a source that builds for the given kernel";

    private NextStep() {}

    public static String builtFor(String release) {
        return "built for " + release + " instead (vermagic)";
    }

    /**
     * Returns the step for {@link Cause#MISSING_MODULES}, and how to install the result without these modules.
     *
     * @param install the command that installs the result
     */
    public static String ofMissing(List<String> missing, String install) {
        return INCOMPLETE
                + "; if the driver's release no longer contains these modules: "
                + install
                + " --allow-missing "
                + ShellWord.of(String.join(",", missing));
    }

    public static String of(Cause cause, Job.BuildPlace place, Platform platform) {
        return switch (cause) {
            case NOT_ROOT -> "run weaklink as root";
            case USAGE ->
                "the build script rejected its options: see the script's --help, and report this if weaklink chose"
                        + " them";
            case SPACE -> "make room below " + place.work() + ", or name another directory with --work";
            case UNSUPPORTED_DISTRIBUTION ->
                "the image does not support this distribution, usually because the image is older: use a later image,"
                        + " or give --distro the latest release of this distribution that the script knows";
            case NOT_AN_IMAGE -> "name the unpacked installation image with --bundle; it contains the file .mlnx";
            case BROKEN_ARCHIVE -> "the archive is truncated or damaged: copy it again, and compare its checksum";
            case NO_SOURCES -> "the image has no sources below src/; use a complete image";
            case MISSING_HEADERS -> headers(place, platform);
            case BROKEN_BUILD_TREE ->
                place.buildTree() + ": a file of the build tree is missing; reinstall: " + again(place, platform);
            case MISSING_PACKAGE -> "install what is missing";
            case MISSING_COMPILER -> install(List.of("gcc", "make"), platform);
            case OTHER_COMPILER ->
                "install the compiler that built the kernel; CONFIG_CC_VERSION_TEXT names it in " + place.buildTree()
                        + "/.config";
            case API_CHANGE ->
                "the source does not build for this kernel: use a later release of it, or stay with a"
                        + " kernel that it supports";
            case POLICY ->
                "the packages break a packaging rule of this distribution: use a driver that is made for the"
                        + " distribution, or build on a machine without that rule";
            case SIGNING ->
                "check the key and the certificate: for DKMS, mok_signing_key and mok_certificate in"
                        + " /etc/dkms/framework.conf; for other builds, the environment variables"
                        + " MODULE_SIGN_PRIV_KEY and MODULE_SIGN_PUB_KEY";
            case MEMORY ->
                "the build ran out of memory: free memory or add swap; with --backend command, lower the -j of make";
            case NOT_FOR_THIS_KERNEL ->
                "BUILD_EXCLUSIVE in dkms.conf excludes " + place.kernel()
                        + ": get a release of the source that supports this kernel";
            case BAD_CONFIGURATION -> "dkms.conf is invalid: reinstall the DKMS package";
            case KILLED -> "the build was killed by a signal; start it again";
            case TIME_LIMIT ->
                "give the build more time with 'rebuild --time-limit', or with time-limit in weaklink.conf";
            case NOTHING_BUILT -> "the build reported success but built nothing; see the log";
            case NO_RESULT -> "the build reported success, but its result is missing; see the log";
            case BROKEN_RESULT -> "the result was truncated or modified; check the free space, and build again";
            case WRONG_MODULES ->
                "the kernel would refuse the result; check the build tree that was used: " + place.buildTree();
            case MISSING_MODULES -> INCOMPLETE;
            case UNKNOWN -> "see the log";
        };
    }

    private static String headers(Job.BuildPlace place, Platform platform) {
        List<String> packages = Packages.buildTree(place.kernel(), platform);
        return packages.isEmpty() ? "install the headers of " + place.kernel() : install(packages, platform);
    }

    private static String again(Job.BuildPlace place, Platform platform) {
        List<String> packages = Packages.buildTree(place.kernel(), platform);
        List<String> words = packages.isEmpty() ? null : platform.reinstall(packages);
        return words == null ? "the headers of " + place.kernel() : String.join(" ", words);
    }

    private static String install(List<String> packages, Platform platform) {
        List<String> words = platform.install(packages);
        return words == null ? "install " + String.join(", ", packages) : String.join(" ", words);
    }
}
