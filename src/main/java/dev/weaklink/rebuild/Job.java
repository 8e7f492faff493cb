package dev.weaklink.rebuild;

import dev.weaklink.rules.Product.RebuildHint.Command;
import dev.weaklink.sys.NotDoneException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What is to be built, and with what.
 *
 * @param place where
 * @param settings how
 * @param bundle the installation image, null if none
 * @param packages DKMS packages as {@code name/version}
 * @param own the command line of the backend {@code command}, by hand or by rules
 * @param needs what packages need before them, by package: others of these packages, or names of what is missing
 */
public record Job(
        Place place,
        Settings settings,
        @Nullable Bundle bundle,
        List<String> packages,
        Command own,
        Map<String, List<String>> needs) {
    public Job {
        packages = List.copyOf(packages);
        needs = new TreeMap<>(needs);
    }

    /** One whose packages need nothing of each other. */
    public Job(Place place, Settings settings, @Nullable Bundle bundle, List<String> packages, Command own) {
        this(place, settings, bundle, packages, own, Map.of());
    }

    /**
     * Where it is built.
     *
     * @param kernel the release it is built for
     * @param buildTree absolute path, on the host, of the kernel's build tree
     * @param work absolute path of an empty directory of this run
     * @param root absolute path of the image it is for, null for the running system
     */
    public record Place(
            String kernel,
            String buildTree,
            String work,
            @Nullable String root) {
        /**
         * The same, if the release is one that builds can be given.
         *
         * @throws NotDoneException if it has characters that none has
         */
        public Place checked() throws NotDoneException {
            Arguments.name(kernel);
            return this;
        }

        /** A path of the image as a path of the host. */
        String inRoot(String inside) throws NotDoneException {
            return root == null ? inside : Arguments.path(root) + inside;
        }
    }

    /**
     * How it is built.
     *
     * @param distro name of the distribution to pass to Mellanox's script, null to let it look
     * @param skipRepo make no repository of the result
     * @param kmp make packages whose modules can be linked to later kernels
     * @param further words that the program gets behind ours
     */
    public record Settings(@Nullable String distro, boolean skipRepo, boolean kmp, List<String> further) {
        public Settings {
            further = List.copyOf(further);
        }

        /** Without further words. */
        public Settings(@Nullable String distro, boolean skipRepo, boolean kmp) {
            this(distro, skipRepo, kmp, List.of());
        }

        /** The same for another distribution. */
        public Settings withDistro(@Nullable String other) {
            return new Settings(other, skipRepo, kmp, further);
        }
    }

    /** The same with these packages only. */
    public Job with(List<String> some) {
        return new Job(place, settings, bundle, some, own, needs);
    }
}
