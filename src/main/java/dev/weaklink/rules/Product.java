package dev.weaklink.rules;

import dev.weaklink.sys.StableId;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Modules that belong together, from one or more units.
 *
 * @param id its short name
 * @param title its name for people
 * @param recognition how its units are recognised
 * @param required modules it is no use without: while one of them cannot be linked, none of the product is
 * @param allOrNothing which modules of one unit are linked together or not at all
 * @param provider which of several builds is tried first
 * @param mayBreak the kernel's own modules that may cease to load when this is linked
 * @param link whether it is linked at all
 * @param undetermined what is done with its modules of which nobody can say whether they load
 * @param rebuild how it is built for another kernel, null if no rule says
 */
public record Product(
        String id,
        Attributed<String> title,
        Recognition recognition,
        Attributed<List<String>> required,
        Attributed<Wholeness> allOrNothing,
        Attributed<ProviderPreference> provider,
        Attributed<List<String>> mayBreak,
        Attributed<LinkPolicy> link,
        Attributed<UndeterminedPolicy> undetermined,
        @Nullable Attributed<RebuildHint> rebuild) {
    /** The id of the product that has all units no other one has; the others inherit from it. */
    public static final String GENERIC = "generic";

    /** The generic product where no rule says anything about it. */
    public static final Product DEFAULT = new Product(
            GENERIC,
            Attributed.byDefault(GENERIC),
            Recognition.NONE,
            Attributed.byDefault(List.of()),
            Attributed.byDefault(Wholeness.DEPENDENT),
            Attributed.byDefault(ProviderPreference.NEWEST),
            Attributed.byDefault(List.of()),
            Attributed.byDefault(LinkPolicy.YES),
            Attributed.byDefault(UndeterminedPolicy.DO_NOT_LINK),
            null);

    /** Releases of kernels, the newest first, in the order in which their builds are to be tried. */
    public List<String> inOrder(String target, List<String> newestFirst) {
        return provider.value().order(target, newestFirst);
    }

    /** Whether all modules of a unit are linked together or not at all. */
    public boolean isWhole() {
        return allOrNothing.value() == Wholeness.UNIT;
    }

    /** Whether each module is linked by itself. */
    public boolean isInParts() {
        return allOrNothing.value() == Wholeness.PARTS;
    }

    /** What is done with a module of which nobody can say whether it would load. */
    public enum UndeterminedPolicy implements StableId {
        /** It is treated as if it would not. */
        DO_NOT_LINK,
        /** It is treated as if it would. */
        LINK
    }

    /** Which modules of a unit are linked together or not at all. */
    public enum Wholeness implements StableId {
        /** All of them. */
        UNIT("yes"),
        /** Those that depend on one another, directly or through others of the unit. */
        DEPENDENT("dependent"),
        /** None: each is linked by itself. */
        PARTS("no");

        private final String id;

        Wholeness(String id) {
            this.id = id;
        }

        @Override
        public String id() {
            return id;
        }
    }

    /** Whether modules that load on another kernel than they were built for are linked into it. */
    public enum LinkPolicy implements StableId {
        /** They are. */
        YES,
        /** They are not: they are to be rebuilt. */
        NO,
        /** A person is asked; where nobody can be, they are not. */
        ASK
    }

    /**
     * How a product's units are recognised, each pattern with the line it is on.
     *
     * @param packages patterns of package names, without version
     * @param directories patterns of directories below that of a kernel; what is below them counts too
     * @param modules patterns of module names; one module in a unit is enough
     */
    public record Recognition(
            List<Attributed<NamePattern>> packages,
            List<Attributed<NamePattern>> directories,
            List<Attributed<NamePattern>> modules) {
        /** Of nothing. */
        public static final Recognition NONE = new Recognition(List.of(), List.of(), List.of());

        public Recognition {
            packages = List.copyOf(packages);
            directories = List.copyOf(directories);
            modules = List.copyOf(modules);
        }

        /** Whether no unit can be recognised. */
        public boolean isEmpty() {
            return packages.isEmpty() && directories.isEmpty() && modules.isEmpty();
        }
    }

    /**
     * How a product is built for another kernel.
     *
     * @param backend the id of what builds it, one of {@link #BACKENDS}
     * @param product what it is called there, null if that need not be said
     * @param packages DKMS packages {@code name/version}; empty to take those there
     * @param command what the backend {@code command} runs; null for the others
     */
    public record RebuildHint(
            String backend,
            @Nullable String product,
            List<String> packages,
            @Nullable Command command) {
        /** The backend that runs a command of the site's own. */
        public static final String COMMAND = "command";

        /** Everything that can build. */
        public static final List<String> BACKENDS = List.of("mlnx", "mlnx-install", "doca", "dkms", COMMAND);

        public RebuildHint {
            packages = List.copyOf(packages);
        }

        /**
         * A command of the site's own. In every word, in every value and in the directory, {@code {kernel}},
         * {@code {build}}, {@code {root}} and {@code {results}} stand for the release, its build tree, the root and the
         * directory of the results.
         *
         * @param words the program and its arguments
         * @param environment more variables it gets
         * @param results where its results will be; null for the directory it works in
         */
        public record Command(
                List<String> words,
                Map<String, String> environment,
                @Nullable String results) {
            public static final Command NONE = new Command(List.of(), Map.of(), null);

            public Command {
                words = List.copyOf(words);
                environment = new TreeMap<>(environment);
            }
        }
    }
}
