package dev.weaklink.system;

import dev.weaklink.kernel.KernelReleaseOrder;
import dev.weaklink.sys.InputProblem;
import dev.weaklink.system.BuildSearch.Build;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A kernel in a local repository, recognized by the file names of its packages.
 *
 * @param release the release that {@code uname -r} prints
 * @param packages the paths of the packages with the kernel image, the modules and Debian's headers, sorted. If the
 *     image is missing, the list has only the headers or devel packages, which contain the kernel's exports
 */
public record RepositoryKernel(String release, List<String> packages) {
    public static final Pattern DEB_NAME =
            Pattern.compile("(?<kind>linux-image|linux-image-unsigned|linux-modules|linux-modules-extra"
                    + "|linux-headers|(?:proxmox|pve)-kernel|(?:proxmox|pve)-headers)"
                    + "-(?<release>[0-9]+\\.[0-9]+\\.[0-9][A-Za-z0-9.+~-]*?)"
                    + "(?<!-dbg|-dbgsym)(?:-unsigned|-signed)?");

    private static final Pattern DEB = Pattern.compile("([^_]+)_([^_]+)_([a-z0-9-]+)\\.deb");
    private static final Pattern RPM = Pattern.compile("(kernel[^/]*)-([^/-]+-[^/-]+)\\.([A-Za-z0-9_]+)\\.rpm");

    private static final String DEVEL = "-devel";

    /**
     * The names of rpm packages that are built together with a kernel but are ignored, because other packages contain
     * the kernel's image, modules and exports.
     */
    private static final Pattern BESIDE =
            Pattern.compile(".*-(?:base|bootwrapper|debuginfo.*|debugsource|devel-.+|headers|ipaclones.*|kgraft|"
                    + "livepatch.*|man|obs-.*|selftests.*|syms|tools.*|uki-.*|vdso)");

    private static final List<String> PARTS = List.of(
            "-modules-core",
            "-modules-extra",
            "-modules-extra-matched",
            "-modules-internal",
            "-modules-partner",
            "-modules",
            "-devel-matched",
            "-devel",
            "-uki-virt-addons",
            "-uki-virt",
            "-core",
            "-extra",
            "-optional");

    public RepositoryKernel {
        packages = List.copyOf(packages);
    }

    public static List<RepositoryKernel> below(String directory, List<InputProblem> problems) {
        Map<RepositoryKey, Map<String, String>> found = new TreeMap<>();
        for (Build build : BuildSearch.below(directory, problems)) {
            String file = build.file();
            KernelPackage part = build.packaged() ? part(file.substring(file.lastIndexOf('/') + 1)) : null;
            if (part != null) {
                found.computeIfAbsent(part.key, none -> new TreeMap<>())
                        .merge(part.name, file, (one, other) -> one.contains("unsigned") ? other : one);
            }
        }
        List<RepositoryKernel> kernels = new ArrayList<>();
        found.forEach((key, parts) -> {
            if (parts.containsKey("-core")) {
                parts.remove(""); // an empty package that requires the others
            }
            if (parts.containsKey("-core") || parts.containsKey("")) {
                parts.remove(DEVEL); // the image's package has the same list of exports
            } else {
                parts.keySet().removeIf(part -> !part.equals(DEVEL) && !part.endsWith("-headers"));
            }
            if (!parts.isEmpty()) {
                kernels.add(new RepositoryKernel(
                        key.release, parts.values().stream().sorted().toList()));
            }
        });
        return kernels;
    }

    private record RepositoryKey(String release, String version, String architecture)
            implements Comparable<RepositoryKey> {
        private static final Comparator<RepositoryKey> ORDER = Comparator.comparing(
                        RepositoryKey::release, KernelReleaseOrder.INSTANCE)
                .thenComparing(RepositoryKey::version)
                .thenComparing(RepositoryKey::architecture);

        @Override
        public int compareTo(RepositoryKey other) {
            return ORDER.compare(this, other);
        }
    }

    /**
     * A package of a kernel. Its {@code name} distinguishes the packages of one kernel, such as {@code -core} or
     * {@code linux-headers}; it is empty for Debian's image package and for an RPM package without a suffix.
     */
    private record KernelPackage(RepositoryKey key, String name) {}

    private static @Nullable KernelPackage part(String file) {
        Matcher deb = DEB.matcher(file);
        if (deb.matches()) {
            Matcher own = DEB_NAME.matcher(deb.group(1));
            if (!own.matches() || deb.group(3).equals("all")) {
                return null;
            }
            String kind = own.group("kind");
            boolean isImage = !kind.endsWith("-headers") && !kind.startsWith("linux-modules");
            return new KernelPackage(
                    new RepositoryKey(own.group("release"), deb.group(2), deb.group(3)), isImage ? "" : kind);
        }
        Matcher rpm = RPM.matcher(file);
        if (!rpm.matches() || BESIDE.matcher(rpm.group(1)).matches() || isNoMachine(rpm.group(3))) {
            return null;
        }
        String base = base(rpm.group(1));
        String version = rpm.group(2);
        String release = derived(base, version, rpm.group(3));
        return new KernelPackage(
                new RepositoryKey(release, version, rpm.group(3)), rpm.group(1).substring(base.length()));
    }

    private static boolean isNoMachine(String architecture) {
        return architecture.equals("noarch") || architecture.equals("src");
    }

    public static String base(String name) {
        for (String part : PARTS) {
            if (name.endsWith(part)) {
                return name.substring(0, name.length() - part.length());
            }
        }
        return name;
    }

    /**
     * Returns the release that {@code uname -r} prints, for packages that do not declare the release. SUSE's releases
     * lack the rebuild number and contain the flavor: kernel-default 6.4.0-150600.23.1 has 6.4.0-150600.23-default.
     */
    public static String derived(String base, String version, String architecture) {
        String plain = version.substring(version.indexOf(':') + 1);
        String flavour = base.startsWith("kernel-") ? base.substring("kernel-".length()) : "";
        if (flavour.isEmpty() || plain.contains(".el") || plain.contains(".fc")) {
            boolean isSaid = plain.contains(flavour) || plain.contains(".elrepo");
            return plain + "." + architecture + (isSaid ? "" : "+" + flavour);
        }
        int dot = plain.lastIndexOf('.');
        return (dot > plain.indexOf('-') ? plain.substring(0, dot) : plain) + "-" + flavour;
    }
}
