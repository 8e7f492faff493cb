package dev.weaklink.rules;

import dev.weaklink.sys.StableId;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A group of modules that belong together, such as the modules of a vendor's driver. The modules of a product may come
 * from several units ({@link Rules.RuleUnit}): packages or directories.
 *
 * @param id the product's short name
 * @param title the product's name for people
 * @param recognition the patterns that recognise the product's units
 * @param required names of modules without which the product is useless. If one of them is neither linked nor an
 *     out-of-tree module in the kernel's own directory, no module of the product is linked
 * @param allOrNothing the sets of a unit's modules that are linked together or not at all
 * @param provider the order in which several builds are tried
 * @param mayBreak the kernel's own modules that may stop loading when this product is linked
 * @param link whether the product's modules are linked into kernels for which they were not built
 * @param undetermined the action for modules whose verdict is undetermined
 * @param rebuild the way to build the product for another kernel, null if no rule sets one
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
    /**
     * The id of the generic product: the product of all units that no other product recognises. The other products
     * inherit some properties of the generic product.
     */
    public static final String GENERIC = "generic";

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

    /**
     * Returns the kernel releases whose builds are to be tried, in order. Leaves out releases whose builds the product
     * does not accept.
     *
     * @param target the release of the kernel to link into
     * @param preferredFirst the releases for which builds exist: first the releases older than the target, then the
     *     newer ones, each group beginning with the release nearest to the target
     */
    public List<String> inOrder(String target, List<String> preferredFirst) {
        return provider.value().order(target, preferredFirst);
    }

    public boolean isWhole() {
        return allOrNothing.value() == Wholeness.UNIT;
    }

    public boolean isInParts() {
        return allOrNothing.value() == Wholeness.PARTS;
    }

    public enum UndeterminedPolicy implements StableId {
        /** The policy not to make links to the module; existing links stay. */
        DO_NOT_LINK,
        /** The policy to treat the module as if the kernel would load it. */
        LINK
    }

    /**
     * The choice which modules of one package or directory are linked together or not at all: all, those that depend on
     * one another, or none.
     */
    public enum Wholeness implements StableId {
        UNIT("yes"),
        DEPENDENT("dependent"),
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

    /** The choice whether to link modules that a kernel would load but that were built for another kernel. */
    public enum LinkPolicy implements StableId {
        YES,
        NO,
        /** The choice not to link the modules, and to name in the plan the rule that would link them. */
        ASK
    }

    /**
     * The patterns that recognise a product's units, each with its line.
     *
     * @param packages patterns of package names, without version
     * @param directories patterns of directories relative to {@code /lib/modules/RELEASE}; directories below a matching
     *     directory match, too
     * @param modules patterns of module names; a unit is recognised if one of its modules matches
     */
    public record Recognition(
            List<Attributed<NamePattern>> packages,
            List<Attributed<NamePattern>> directories,
            List<Attributed<NamePattern>> modules) {
        public static final Recognition NONE = new Recognition(List.of(), List.of(), List.of());

        public Recognition {
            packages = List.copyOf(packages);
            directories = List.copyOf(directories);
            modules = List.copyOf(modules);
        }

        public boolean isEmpty() {
            return packages.isEmpty() && directories.isEmpty() && modules.isEmpty();
        }
    }

    /**
     * The way a product is built for another kernel.
     *
     * @param backend the id of the build system, one of {@link #BACKENDS}
     * @param product the product's name in the build system, null if none is needed
     * @param packages the DKMS packages {@code name/version} to build; may be empty
     * @param command the command of the backend {@code command}; null for all other backends
     */
    public record RebuildHint(
            String backend,
            @Nullable String product,
            List<String> packages,
            @Nullable SiteCommand command) {
        public static final String COMMAND = "command";

        public static final List<String> BACKENDS = List.of("mlnx", "mlnx-install", "doca", "dkms", COMMAND);

        public RebuildHint {
            packages = List.copyOf(packages);
        }

        /**
         * A command of the site with placeholders. In the words, the values of variables and {@code results},
         * {@code {kernel}} stands for the kernel's release, {@code {build}} for the kernel's build tree, and
         * {@code {root}} for the root directory. In words and values, {@code {results}} stands for the directory of the
         * results.
         *
         * @param words the program and its arguments
         * @param environment additional environment variables
         * @param results the directory of the results; null for the working directory
         */
        public record SiteCommand(
                List<String> words,
                Map<String, String> environment,
                @Nullable String results) {
            public static final SiteCommand NONE = new SiteCommand(List.of(), Map.of(), null);

            public SiteCommand {
                words = List.copyOf(words);
                environment = new TreeMap<>(environment);
            }
        }
    }
}
