package dev.weaklink.rebuild;

import dev.weaklink.rules.Product.RebuildHint.SiteCommand;
import dev.weaklink.sys.NotDoneException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The description of a build.
 *
 * @param bundle the installation image of Mellanox, or null
 * @param packages the DKMS packages as {@code name/version}
 * @param own the command of the backend {@code command}, given by the user or by rules; ignored by other backends
 * @param needs for each package, the packages to build before it; a package that DKMS does not have is listed by its
 *     name without a version
 */
public record Job(
        BuildPlace place,
        Settings settings,
        @Nullable Bundle bundle,
        List<String> packages,
        SiteCommand own,
        Map<String, List<String>> needs) {
    public Job {
        packages = List.copyOf(packages);
        needs = new TreeMap<>(needs);
    }

    public Job(BuildPlace place, Settings settings, @Nullable Bundle bundle, List<String> packages, SiteCommand own) {
        this(place, settings, bundle, packages, own, Map.of());
    }

    /**
     * The kernel and the directories of a build.
     *
     * @param kernel the release to build for
     * @param buildTree the absolute path, on the host, of the kernel's build tree
     * @param work the absolute path of the empty directory in which the build works
     * @param root the absolute path of the root directory of the system to build for, null for the running system
     */
    public record BuildPlace(
            String kernel,
            String buildTree,
            String work,
            @Nullable String root) {
        /**
         * Returns this place if its release is safe as an argument.
         *
         * @throws NotDoneException if the release is not valid
         */
        public BuildPlace checked() throws NotDoneException {
            Arguments.name(kernel);
            return this;
        }

        String inRoot(String inside) throws NotDoneException {
            return root == null ? inside : Arguments.path(root) + inside;
        }
    }

    /**
     * The options of a build.
     *
     * @param distro the distribution to pass to Mellanox's script, null to let the script detect it
     * @param skipRepo true to create no repository of the result
     * @param kmp true to build packages whose modules can be linked to later kernels
     * @param further arguments from the user, appended to the build program's other arguments
     */
    public record Settings(@Nullable String distro, boolean skipRepo, boolean kmp, List<String> further) {
        public Settings {
            further = List.copyOf(further);
        }

        public Settings(@Nullable String distro, boolean skipRepo, boolean kmp) {
            this(distro, skipRepo, kmp, List.of());
        }

        public Settings withDistro(@Nullable String other) {
            return new Settings(other, skipRepo, kmp, further);
        }
    }

    public Job with(List<String> some) {
        return new Job(place, settings, bundle, some, own, needs);
    }
}
