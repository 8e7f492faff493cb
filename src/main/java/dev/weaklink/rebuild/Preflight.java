package dev.weaklink.rebuild;

import dev.weaklink.sys.ShellWord;
import dev.weaklink.sys.StableId;
import dev.weaklink.system.DkmsTree.DkmsBuild;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** The checks that find obstacles to a build before it starts. */
public final class Preflight {
    private static final long MIB = 1L << 20;
    private static final List<String> DEFAULT_TOOLCHAIN = List.of("gcc", "ld");

    private final Backend backend;
    private final Job job;
    private final Platform platform;
    private final BuildEnvironment here;
    private final List<Obstacle> obstacles = new ArrayList<>();

    private Preflight(Backend backend, Job job, Platform platform, BuildEnvironment here) {
        this.backend = backend;
        this.job = job;
        this.platform = platform;
        this.here = here;
    }

    public static List<Obstacle> examine(Backend backend, Job job, Evidence evidence, BuildEnvironment here) {
        Preflight preflight = new Preflight(backend, job, evidence.platform(), here);
        preflight.run(evidence);
        List<Obstacle> sorted = new ArrayList<>();
        for (Obstacle.Weight weight : Obstacle.Weight.values()) {
            for (Obstacle obstacle : preflight.obstacles) {
                if (obstacle.weight() == weight) {
                    sorted.add(obstacle);
                }
            }
        }
        return sorted;
    }

    public static Set<String> programs(Backend backend, Job job) {
        Set<String> programs = new TreeSet<>(backend.programs(job));
        programs.addAll(List.of("gcc", "make", "setsid", "createrepo", "createrepo_c", "apt-ftparchive"));
        programs.add("fakeroot");
        return programs;
    }

    private void run(Evidence evidence) {
        privilege();
        space();
        buildTree();
        compiler();
        programs();
        packages();
        repository();
        bundle();
        lock();
        signing();
        hiddenByLink(evidence);
        dependencies();
    }

    private void privilege() {
        boolean fakeable = backend.privilege() == Backend.Privilege.FAKE_ROOT
                && here.programs().contains("fakeroot");
        if (here.root() || backend.privilege() == Backend.Privilege.ANY || fakeable) {
            return;
        }
        String remedy = "run weaklink as root";
        if (backend.privilege() == Backend.Privilege.FAKE_ROOT) {
            remedy += ", or install fakeroot: " + installing(List.of("fakeroot"));
        }
        obstacles.add(Obstacle.blocks("not-root", backend.id() + " must be run as root", remedy));
    }

    private void space() {
        long needed = backend.space(job);
        if (here.freeBytes() >= 0 && here.freeBytes() < needed) {
            obstacles.add(Obstacle.blocks(
                    "space",
                    job.place().work() + ": the build needs " + needed / MIB + " MiB, and " + here.freeBytes() / MIB
                            + " MiB are free",
                    "make room; 'weaklink rebuild --work DIR' builds in another directory"));
        }
    }

    private void buildTree() {
        String kernel = job.place().kernel();
        String release = here.treeRelease();
        String remedy = installing(Packages.buildTree(kernel, platform));
        if (release == null) {
            obstacles.add(
                    Obstacle.blocks("build-tree", job.place().buildTree() + ": no build tree of " + kernel, remedy));
        } else if (!release.equals(kernel)) {
            obstacles.add(Obstacle.blocks(
                    "build-tree", job.place().buildTree() + ": is for " + release + ", not for " + kernel, remedy));
        }
    }

    /**
     * Checks the compiler and the linker. kbuild runs only the programs that the build tree names. If gcc has another
     * major version than the gcc that built the kernel, kbuild only warns.
     */
    private void compiler() {
        List<String> missing = new ArrayList<>(here.toolchain());
        missing.removeAll(DEFAULT_TOOLCHAIN);
        missing.removeAll(here.programs());
        int built = here.kernelCompiler();
        if (!missing.isEmpty()) {
            obstacles.add(Obstacle.blocks(
                    "compiler",
                    "the kernel's headers name " + String.join(" and ", missing) + ", which "
                            + (missing.size() > 1 ? "are" : "is") + " not installed",
                    installing(missing.stream()
                            .map(one -> Packages.with(one, platform))
                            .toList())));
        } else if (here.compiler() > 0 && built > 0 && built != here.compiler()) {
            obstacles.add(Obstacle.warns(
                    "compiler",
                    "the kernel was built with gcc " + built + ", but this machine has gcc " + here.compiler(),
                    "modules may fail to build with another gcc; install gcc " + built));
        }
    }

    private void programs() {
        List<String> missing = new ArrayList<>();
        Set<String> packages = new TreeSet<>();
        Set<String> needed = new TreeSet<>(backend.programs(job));
        needed.addAll(List.of("make", "setsid"));
        if (here.toolchain().contains("gcc")) {
            needed.add("gcc");
        }
        for (String program : needed) {
            if (!here.programs().contains(program)) {
                missing.add(program);
                String name = Packages.with(program, platform);
                if (!name.isEmpty()) {
                    packages.add(name);
                }
            }
        }
        if (!missing.isEmpty()) {
            obstacles.add(Obstacle.blocks(
                    "program",
                    "not installed: " + String.join(", ", missing),
                    packages.isEmpty() ? null : installing(new ArrayList<>(packages))));
        }
    }

    private void repository() {
        Bundle bundle = job.bundle();
        if (bundle == null || job.settings().skipRepo() || !backend.id().startsWith("mlnx")) {
            return;
        }
        List<String> makers = bundle.debian() ? List.of("apt-ftparchive") : here.indexers();
        for (String maker : makers) {
            if (here.programs().contains(maker)) {
                return;
            }
        }
        String program = makers.get(0);
        boolean other = !bundle.debian() && here.programs().contains("createrepo_c");
        String remedy = other
                ? "the image's script supports only createrepo; to use createrepo_c, run: ln -s /usr/bin/createrepo_c"
                        + " /usr/local/bin/createrepo"
                : installing(List.of(Packages.with(program, platform)));
        obstacles.add(Obstacle.blocks(
                "repository",
                "not installed: " + program + ", which makes a repository of the result",
                remedy + "; or make no repository: --skip-repo"));
    }

    private void packages() {
        if (!here.missing().isEmpty()) {
            obstacles.add(Obstacle.blocks(
                    "package", "not installed: " + String.join(", ", here.missing()), installing(here.missing())));
        }
    }

    private void bundle() {
        Bundle bundle = job.bundle();
        if (bundle == null || !backend.id().startsWith("mlnx")) {
            return;
        }
        String distro = bundle.distro();
        String ours = platform.bundleName();
        if (distro != null && ours != null && !covers(distro, ours)) {
            String chosen = job.settings().distro();
            boolean sameMajor = major(distro).equals(major(ours));
            String message = bundle.path() + ": made for " + distro + ", but this system is " + ours;
            obstacles.add(
                    sameMajor || chosen != null
                            ? Obstacle.warns("distribution", message, chosen == null ? null : forced(chosen))
                            : Obstacle.blocks(
                                    "distribution",
                                    message,
                                    "use the image for " + ours + ", or name a distribution with --distro"));
        } else if (distro == null
                && Boolean.FALSE.equals(here.fitting())
                && job.settings().distro() == null) {
            obstacles.add(Obstacle.warns(
                    "distribution",
                    bundle.path() + ": its script may not support " + platform,
                    "if the script refuses, use --distro to name a distribution that it supports"));
        }
    }

    /**
     * Returns whether both distributions are equal, or {@code distro} is ours without the minor version, such as
     * {@code rhel9} for {@code rhel9.4}.
     */
    private static boolean covers(String distro, String ours) {
        return distro.equals(ours) || distro.equals(major(ours));
    }

    private static String forced(String distro) {
        return "the image's script will be run for " + distro;
    }

    static String major(String distro) {
        int end = 0;
        while (end < distro.length() && Character.isLetter(distro.charAt(end))) {
            end++;
        }
        while (end < distro.length() && Character.isDigit(distro.charAt(end))) {
            end++;
        }
        return distro.substring(0, end);
    }

    private void lock() {
        String holder = here.holder();
        if (holder != null) {
            obstacles.add(Obstacle.blocks(
                    "lock", "a rebuild for " + job.place().kernel() + " is running: " + holder, "wait until it ends"));
        }
    }

    private void signing() {
        BuildEnvironment.Signing signing = here.signing();
        boolean signs = signing.keys() || backend.id().equals("dkms") && signing.dkmsKey();
        if (signing.enforced() && !signs) {
            obstacles.add(Obstacle.warns(
                    "signing",
                    "the kernel enforces module signatures, but weaklink found no key to sign the built modules",
                    backend.id().equals("dkms")
                            ? "set mok_signing_key and mok_certificate in /etc/dkms/framework.conf, and enrol the"
                                    + " certificate"
                            : "set the environment variables MODULE_SIGN_PRIV_KEY and MODULE_SIGN_PUB_KEY to the"
                                    + " files of a key and its enrolled certificate"));
        }
        String unenrolled = signing.unenrolled();
        if (signing.enforced() && unenrolled != null) {
            obstacles.add(Obstacle.warns(
                    "signing-key",
                    unenrolled + ": this certificate is not enrolled; unless the kernel contains the certificate, the"
                            + " kernel refuses modules that are signed with its key",
                    "run: mokutil --import " + ShellWord.of(unenrolled)
                            + "; then reboot, and confirm the enrolment at boot"));
        }
    }

    private void hiddenByLink(Evidence evidence) {
        for (DkmsBuild build : evidence.dkms().builds()) {
            if (build.state() == DkmsBuild.DkmsState.WEAK
                    && build.kernel().equals(job.place().kernel())
                    && job.packages().contains(build.label())) {
                obstacles.add(Obstacle.warns(
                        "weak-link",
                        build.label() + ": a weak-updates link to the build for " + build.remark()
                                + " exists, so 'dkms autoinstall' does not build the package for this kernel",
                        "this build replaces the link"));
            }
        }
    }

    private void dependencies() {
        for (String label : job.packages()) {
            for (String needed : job.needs().getOrDefault(label, List.of())) {
                if (!job.packages().contains(needed)) {
                    obstacles.add(Obstacle.warns(
                            "dependency",
                            label + ": needs " + needed + ", which is not added to DKMS; " + label
                                    + " will not be built",
                            "install DKMS's package of " + needed));
                }
            }
        }
    }

    private String installing(List<String> packages) {
        List<String> words = packages.isEmpty() ? null : platform.install(packages);
        return words == null ? "install what is missing" : String.join(" ", words);
    }

    /**
     * An obstacle that prevents a build, or may make the build fail or its result useless.
     *
     * @param weight the consequence for the build
     * @param id a stable name
     * @param message one line
     * @param remedy the next step, often a command; null if there is none
     */
    public record Obstacle(
            Weight weight,
            String id,
            String message,
            @Nullable String remedy) {
        public enum Weight implements StableId {
            BLOCKS,
            WARNS
        }

        static Obstacle blocks(String id, String message, @Nullable String remedy) {
            return new Obstacle(Weight.BLOCKS, id, message, remedy);
        }

        static Obstacle warns(String id, String message, @Nullable String remedy) {
            return new Obstacle(Weight.WARNS, id, message, remedy);
        }
    }

    /**
     * The facts of the system on which a build runs.
     *
     * @param root true if this process runs as root, or fakeroot makes it believe so
     * @param programs the installed programs among those of {@link Preflight#programs} and of {@code toolchain}
     * @param freeBytes the free bytes in the work directory; -1 if unknown
     * @param treeRelease the release of the build tree; null without a usable build tree
     * @param toolchain the compiler and the linker that the build tree names, such as gcc-12 and ld
     * @param kernelCompiler the major version of the gcc that built the kernel, 0 if unknown
     * @param compiler the major version of the compiler in {@code toolchain}, 0 if unknown
     * @param holder the process that already builds for this kernel, or null
     * @param signing the facts about signing modules
     * @param fitting whether the script in the installation image of Mellanox names this distribution; null if unknown
     * @param indexers the programs that this script may use to create an RPM repository
     * @param missing the required Debian packages that are not installed
     */
    public record BuildEnvironment(
            boolean root,
            Set<String> programs,
            long freeBytes,
            @Nullable String treeRelease,
            List<String> toolchain,
            int kernelCompiler,
            int compiler,
            @Nullable String holder,
            Signing signing,
            @Nullable Boolean fitting,
            List<String> indexers,
            List<String> missing) {
        public BuildEnvironment {
            toolchain = List.copyOf(toolchain);
            indexers = List.copyOf(indexers);
            missing = List.copyOf(missing);
            programs = Set.copyOf(programs);
        }

        /**
         * The facts about signing modules.
         *
         * @param enforced true if the kernel is configured to refuse modules without a trusted signature, or Secure
         *     Boot is on
         * @param keys true if the environment variables {@code MODULE_SIGN_PRIV_KEY} and {@code MODULE_SIGN_PUB_KEY}
         *     name existing files
         * @param dkmsKey true if DKMS has its own signing key
         * @param unenrolled the path of the signing certificate if neither the firmware nor the boot loader (MOK) has
         *     it; null otherwise, and if unknown
         */
        public record Signing(
                boolean enforced,
                boolean keys,
                boolean dkmsKey,
                @Nullable String unenrolled) {}
    }
}
