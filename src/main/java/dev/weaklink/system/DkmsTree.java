package dev.weaklink.system;

import dev.weaklink.system.DkmsTree.DkmsBuild.State;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * DKMS's tree, /var/lib/dkms. Pure.
 *
 * @param packages what was added to it, sorted by name, of each name the latest version last
 * @param builds every package by itself, then with each kernel
 */
public record DkmsTree(List<DkmsPackage> packages, List<DkmsBuild> builds) {
    /** Where there is no DKMS. */
    public static final DkmsTree EMPTY = new DkmsTree(List.of(), List.of());

    private static final String MODULES = "/lib/modules/";

    /** Debian's and Ubuntu's dkms puts all modules there, whatever dkms.conf says. */
    private static final String OWN_PLACE = "/updates/dkms/";

    public DkmsTree {
        packages = List.copyOf(packages);
        builds = List.copyOf(builds);
    }

    /** Labels of all packages, sorted. */
    public Set<String> labels() {
        Set<String> labels = new TreeSet<>();
        for (DkmsPackage one : packages) {
            labels.add(one.label());
        }
        return labels;
    }

    /** The package with that label, null if there is none. */
    public @Nullable DkmsPackage labelled(String label) {
        for (DkmsPackage one : packages) {
            if (one.label().equals(label)) {
                return one;
            }
        }
        return null;
    }

    /** The latest version of a package, null if there is none of that name. */
    public @Nullable DkmsPackage latest(String name) {
        DkmsPackage latest = null;
        for (DkmsPackage one : packages) {
            if (one.name().equals(name)) {
                latest = one;
            }
        }
        return latest;
    }

    /** Whether any version of a package has modules of its own installed for a kernel. */
    public boolean isInstalled(String name, String kernel) {
        return builds.stream()
                .anyMatch(build ->
                        build.name().equals(name) && build.kernel().equals(kernel) && build.state() == State.INSTALLED);
    }

    /** The same once these packages, named by their labels, are installed for a kernel. */
    public DkmsTree installing(List<String> labels, String kernel) {
        List<DkmsBuild> all = new ArrayList<>(builds);
        for (DkmsPackage one : packages) {
            if (labels.contains(one.label())) {
                all.add(new DkmsBuild(one.name(), one.version(), kernel, State.INSTALLED, "", one.modules()));
            }
        }
        return new DkmsTree(packages, all);
    }

    /**
     * The package whose module a file is: the one that DKMS installed with that module for the file's kernel. Where
     * DKMS does not know that kernel any more, a file in the place that is DKMS's alone belongs to the package that
     * builds such a module.
     *
     * @param file a module's path as seen from inside the root
     * @return null if DKMS has not installed it
     */
    public @Nullable DkmsPackage ownerOf(String file) {
        String module = ModuleNames.ofFile(file.substring(file.lastIndexOf('/') + 1));
        int at = file.indexOf(MODULES);
        int slash = at < 0 ? -1 : file.indexOf('/', at + MODULES.length());
        if (slash < 0) {
            return null;
        }
        String kernel = file.substring(at + MODULES.length(), slash);
        DkmsPackage owner = null;
        for (DkmsBuild build : builds) {
            boolean installs =
                    build.state() == State.INSTALLED && build.kernel().equals(kernel);
            if (installs && build.modules().contains(module)) {
                owner = labelled(build.label());
            }
        }
        return owner == null && file.startsWith(OWN_PLACE, slash) ? builder(module) : owner;
    }

    private @Nullable DkmsPackage builder(String module) {
        DkmsPackage builder = null;
        for (DkmsPackage one : packages) {
            if (one.modules().contains(module)) {
                builder = one;
            }
        }
        for (DkmsBuild build : builds) {
            if (build.modules().contains(module)) {
                builder = labelled(build.label());
            }
        }
        return builder;
    }

    /**
     * A package in DKMS's tree and how it stands with one kernel.
     *
     * @param name the package
     * @param version its version
     * @param kernel the release; empty for the package itself
     * @param state how it stands
     * @param remark the kernel whose build is linked where the state is {@link State#WEAK}; else empty
     * @param modules names of the modules that were built for that kernel, sorted
     */
    public record DkmsBuild(
            String name, String version, String kernel, State state, String remark, List<String> modules) {
        public DkmsBuild {
            modules = List.copyOf(modules);
        }

        /** How a package stands with a kernel, in the words of {@code dkms status}. */
        public enum State {
            ADDED,
            BUILT,
            INSTALLED,
            WEAK,
            BROKEN
        }

        /** {@code name/version}. */
        public String label() {
            return name + "/" + version;
        }
    }

    /**
     * A package in DKMS's tree, as its dkms.conf describes it.
     *
     * @param name the package
     * @param version its version
     * @param autoinstall whether {@code dkms autoinstall} builds it for new kernels
     * @param needs names of the packages that have to be built before it ({@code BUILD_DEPENDS})
     * @param modules names of the modules it says it builds, sorted; what is computed is missing
     */
    public record DkmsPackage(
            String name, String version, boolean autoinstall, List<String> needs, List<String> modules) {
        public DkmsPackage {
            needs = List.copyOf(needs);
            modules = List.copyOf(modules);
        }

        /** {@code name/version}. */
        public String label() {
            return name + "/" + version;
        }
    }
}
