package dev.weaklink.system;

import dev.weaklink.system.DkmsTree.DkmsBuild.DkmsState;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The contents of the DKMS tree, /var/lib/dkms. Pure.
 *
 * @param packages the packages, sorted by name, then by version from oldest to newest
 * @param builds an entry for each package itself, followed by an entry for each of its builds
 */
public record DkmsTree(List<DkmsPackage> packages, List<DkmsBuild> builds) {
    public static final DkmsTree EMPTY = new DkmsTree(List.of(), List.of());

    private static final String MODULES = "/lib/modules/";

    /**
     * The directory, below the kernel's, in which the dkms of Debian and Ubuntu installs all modules, regardless of
     * dkms.conf.
     */
    private static final String OWN_PLACE = "/updates/dkms/";

    public DkmsTree {
        packages = List.copyOf(packages);
        builds = List.copyOf(builds);
    }

    public Set<String> labels() {
        Set<String> labels = new TreeSet<>();
        for (DkmsPackage one : packages) {
            labels.add(one.label());
        }
        return labels;
    }

    public @Nullable DkmsPackage labelled(String label) {
        for (DkmsPackage one : packages) {
            if (one.label().equals(label)) {
                return one;
            }
        }
        return null;
    }

    public @Nullable DkmsPackage latest(String name) {
        DkmsPackage latest = null;
        for (DkmsPackage one : packages) {
            if (one.name().equals(name)) {
                latest = one;
            }
        }
        return latest;
    }

    public boolean isInstalled(String name, String kernel) {
        return builds.stream()
                .anyMatch(build -> build.name().equals(name)
                        && build.kernel().equals(kernel)
                        && build.state() == DkmsState.INSTALLED);
    }

    public DkmsTree installing(List<String> labels, String kernel) {
        List<DkmsBuild> all = new ArrayList<>(builds);
        for (DkmsPackage one : packages) {
            if (labels.contains(one.label())) {
                all.add(new DkmsBuild(one.name(), one.version(), kernel, DkmsState.INSTALLED, "", one.modules()));
            }
        }
        return new DkmsTree(packages, all);
    }

    /**
     * Returns the package that DKMS installed and that contains this module file. If DKMS records no such installation,
     * a file in {@code updates/dkms} belongs to the package that builds a module of this name.
     *
     * @param file the module's path inside the root directory
     * @return null if DKMS did not install the file
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
                    build.state() == DkmsState.INSTALLED && build.kernel().equals(kernel);
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
     * The state of a package for one kernel.
     *
     * @param kernel the kernel release; empty for the package itself
     * @param remark the kernel whose build is linked if the state is {@link DkmsState#WEAK}, else empty
     * @param modules the names of the modules built for {@code kernel}, sorted; empty if none was built
     */
    public record DkmsBuild(
            String name, String version, String kernel, DkmsState state, String remark, List<String> modules) {
        public DkmsBuild {
            modules = List.copyOf(modules);
        }

        /**
         * The state of a package for a kernel, as in {@code dkms status}; {@code WEAK} is its {@code installed-weak}.
         */
        public enum DkmsState {
            ADDED,
            BUILT,
            INSTALLED,
            WEAK,
            BROKEN
        }

        public String label() {
            return name + "/" + version;
        }
    }

    /**
     * A package in the DKMS tree, as its dkms.conf describes it.
     *
     * @param autoinstall true if {@code dkms autoinstall} builds the package for new kernels
     * @param needs the names of packages that DKMS must build before this package ({@code BUILD_DEPENDS})
     * @param modules the names of the modules that the package builds, sorted; a name that dkms.conf computes with
     *     shell code is missing
     */
    public record DkmsPackage(
            String name, String version, boolean autoinstall, List<String> needs, List<String> modules) {
        public DkmsPackage {
            needs = List.copyOf(needs);
            modules = List.copyOf(modules);
        }

        public String label() {
            return name + "/" + version;
        }
    }
}
