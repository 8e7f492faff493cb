package dev.weaklink.rules;

import dev.weaklink.rules.Attributed.RuleOrigin;
import dev.weaklink.rules.Product.LinkPolicy;
import dev.weaklink.rules.Product.UndeterminedPolicy;
import dev.weaklink.sys.StableId;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * All rules that are in force. Of rules that are about the same thing the first one in each list decides.
 *
 * <p>Module names can be given as in the kernel or as of their files; what is null is not known, and no rule that asks
 * for it is about it.
 *
 * @param products the products but the generic one, in the order in which they are tried
 * @param generic the product of everything else
 * @param ignored what is never planned for; the decision is always true
 * @param pins what is fixed
 * @param undetermined what is done where nobody can say whether a module loads
 * @param symbols what it means to use a symbol
 * @param findings what it means for a link that a check finds something
 */
public record Rules(
        List<Product> products,
        Product generic,
        List<Rule<Boolean>> ignored,
        List<Rule<Pin>> pins,
        List<Rule<UndeterminedPolicy>> undetermined,
        List<SymbolRule> symbols,
        List<FindingRule> findings) {
    /** What holds without any rule. */
    public static final Rules NONE =
            new Rules(List.of(), Product.DEFAULT, List.of(), List.of(), List.of(), List.of(), List.of());

    private static final Attributed<Boolean> NOT_IGNORED = Attributed.byDefault(false);
    private static final Attributed<Severity> PASS = Attributed.byDefault(Severity.PASS);

    public Rules {
        products = List.copyOf(products);
        ignored = List.copyOf(ignored);
        pins = List.copyOf(pins);
        undetermined = List.copyOf(undetermined);
        symbols = List.copyOf(symbols);
        findings = List.copyOf(findings);
    }

    /**
     * The product a unit belongs to: the first one that has its package, else its directory, else one of its modules;
     * else the generic one.
     *
     * @param modules the names of the unit's modules
     */
    public ProductMatch productOf(RuleUnit unit, Collection<String> modules) {
        return new ProductSearch(products, generic).find(unit, modules);
    }

    /** Whether a module is left alone on a kernel. */
    public Attributed<Boolean> isIgnored(@Nullable String module, @Nullable RuleUnit unit, @Nullable String kernel) {
        Attributed<Boolean> said = Rule.first(ignored, module, unit, kernel);
        return said == null ? NOT_IGNORED : said;
    }

    /** What is fixed for a module on a kernel; null if nothing is. */
    public @Nullable Attributed<Pin> pinOf(@Nullable String module, @Nullable RuleUnit unit, @Nullable String kernel) {
        return Rule.first(pins, module, unit, kernel);
    }

    /** Whether a module is linked into a kernel: as pinned, else as its product says. */
    public Attributed<LinkPolicy> linkPolicy(
            @Nullable String module, @Nullable RuleUnit unit, @Nullable String kernel, Product product) {
        Attributed<Pin> pin = pinOf(module, unit, kernel);
        LinkPolicy pinned = pin == null ? null : pin.value().link();
        return pin == null || pinned == null ? product.link() : new Attributed<>(pinned, pin.origin(), pin.because());
    }

    /** Whether a module is linked of which nobody can say whether it would load on a kernel. */
    public boolean linksUndetermined(
            @Nullable String module, @Nullable RuleUnit unit, @Nullable String kernel, Product product) {
        return undetermined(module, unit, kernel, product).value() == UndeterminedPolicy.LINK;
    }

    /** What is done with such a module. */
    Attributed<UndeterminedPolicy> undetermined(
            @Nullable String module, @Nullable RuleUnit unit, @Nullable String kernel, Product product) {
        Attributed<UndeterminedPolicy> said = Rule.first(undetermined, module, unit, kernel);
        return said == null ? product.undetermined() : said;
    }

    /** The rules about findings that are about a module on a kernel, in their order. */
    public List<FindingRule> findingsOf(@Nullable String module, @Nullable RuleUnit unit, @Nullable String kernel) {
        return findings.stream()
                .filter(rule -> rule.rule().selector().matches(module, unit, kernel))
                .toList();
    }

    /**
     * What it means for a link that a module uses a symbol.
     *
     * @param exporter who exports it: {@code vmlinux}, or a module's name or path
     * @param namespace the namespace it is exported in, null if in none
     */
    public Attributed<Severity> severity(String symbol, @Nullable String exporter, @Nullable String namespace) {
        for (SymbolRule rule : symbols) {
            if (rule.matches(symbol, exporter, namespace)) {
                return rule.decision();
            }
        }
        return PASS;
    }

    /** Finds the product of a unit: by package, else by directory, else by module. */
    private record ProductSearch(List<Product> products, Product generic) {
        ProductMatch find(RuleUnit unit, Collection<String> modules) {
            ProductMatch match = byPackage(unit.packageName());
            if (match == null) {
                match = byDirectory(unit.directory());
            }
            if (match == null) {
                match = byModules(modules);
            }
            return match == null ? new ProductMatch(generic, RuleOrigin.NO_RULE, "") : match;
        }

        private @Nullable ProductMatch byPackage(@Nullable String name) {
            if (name == null) {
                return null;
            }
            for (Product product : products) {
                for (Attributed<NamePattern> pattern : product.recognition().packages()) {
                    if (pattern.value().matches(name)) {
                        return new ProductMatch(product, pattern.origin(), "package " + name);
                    }
                }
            }
            return null;
        }

        private @Nullable ProductMatch byDirectory(@Nullable String directory) {
            if (directory == null) {
                return null;
            }
            for (Product product : products) {
                for (Attributed<NamePattern> pattern : product.recognition().directories()) {
                    if (pattern.value().matchesDirectory(directory)) {
                        return new ProductMatch(product, pattern.origin(), "directory " + directory);
                    }
                }
            }
            return null;
        }

        private @Nullable ProductMatch byModules(Collection<String> modules) {
            for (Product product : products) {
                for (Attributed<NamePattern> pattern : product.recognition().modules()) {
                    for (String module : modules) {
                        if (pattern.value().matches(NamePattern.moduleName(module))) {
                            return new ProductMatch(product, pattern.origin(), "module " + module);
                        }
                    }
                }
            }
            return null;
        }
    }

    /**
     * The product that a unit belongs to, and why.
     *
     * @param product the product
     * @param origin the line with the pattern that matched; that of no rule if none did and the product is the generic
     *     one
     * @param evidence what matched, such as {@code package kmod-mlnx-en}; empty if nothing did
     */
    public record ProductMatch(Product product, RuleOrigin origin, String evidence) {}

    /**
     * What is fixed for some modules on some kernels.
     *
     * @param providers the kernels whose builds may be linked; empty if it does not matter
     * @param link whether they are linked at all, null if that is not fixed
     */
    public record Pin(List<NamePattern> providers, @Nullable LinkPolicy link) {
        public Pin {
            providers = List.copyOf(providers);
        }

        /** The patterns of kernels whose builds may be linked, for reasons. */
        public String providerWords() {
            return String.join(
                    " or ", providers.stream().map(NamePattern::toString).toList());
        }

        /** Whether a module built for this kernel may be linked. */
        public boolean allowsProvider(String kernel) {
            return providers.isEmpty() || Selector.any(providers, kernel);
        }
    }

    /**
     * A rule about symbols: those that match one pattern of each list that is not empty.
     *
     * @param symbols patterns of names
     * @param modules patterns of who exports them: {@code vmlinux}, a module's name, or its path where symvers has one
     * @param namespaces patterns of the namespaces they are exported in
     * @param decision what it says
     */
    public record SymbolRule(
            List<NamePattern> symbols,
            List<NamePattern> modules,
            List<NamePattern> namespaces,
            Attributed<Severity> decision) {
        public SymbolRule {
            symbols = List.copyOf(symbols);
            modules = List.copyOf(modules);
            namespaces = List.copyOf(namespaces);
        }

        boolean matches(String symbol, @Nullable String exporter, @Nullable String namespace) {
            return (symbols.isEmpty() || Selector.any(symbols, symbol))
                    && (namespaces.isEmpty() || Selector.any(namespaces, namespace))
                    && (modules.isEmpty() || matchesExporter(exporter));
        }

        private boolean matchesExporter(@Nullable String exporter) {
            if (exporter == null) {
                return false;
            }
            String path = NamePattern.moduleName(exporter);
            return Selector.any(modules, path) || Selector.any(modules, path.substring(path.lastIndexOf('/') + 1));
        }
    }

    /**
     * A rule about what the check of a module finds: those whose id matches one of the patterns.
     *
     * @param findings patterns of ids of findings
     * @param rule which modules it is about, and what it says
     */
    public record FindingRule(List<NamePattern> findings, Rule<Severity> rule) {
        public FindingRule {
            findings = List.copyOf(findings);
        }

        /** Whether it says that what it is about does not count. */
        public boolean passes() {
            return rule.decision().value() == Severity.PASS;
        }

        /** What the first rule says that is about a finding; null if none is. */
        public static @Nullable Attributed<Severity> first(List<FindingRule> rules, String finding) {
            for (FindingRule rule : rules) {
                if (Selector.any(rule.findings, finding)) {
                    return rule.rule.decision();
                }
            }
            return null;
        }
    }

    /**
     * A rule about modules.
     *
     * @param selector what it is about
     * @param decision what it says
     */
    public record Rule<T>(Selector selector, Attributed<T> decision) {
        /** What the first rule says that is about this; null if none is. */
        static <T> @Nullable Attributed<T> first(
                List<Rule<T>> rules, @Nullable String module, @Nullable RuleUnit unit, @Nullable String kernel) {
            for (Rule<T> rule : rules) {
                if (rule.selector().matches(module, unit, kernel)) {
                    return rule.decision();
                }
            }
            return null;
        }
    }

    /**
     * What it means for a link that a module uses a symbol, or that its check finds something. None of them makes a
     * module load that the loader refuses.
     */
    public enum Severity implements StableId {
        /** Nothing. */
        PASS,
        /** The module is linked, and the plan says that it uses the symbol. */
        NOTE,
        /** The module is not linked, but rebuilt, even if the loader would accept it. */
        FAIL
    }

    /**
     * A set of modules that were installed together.
     *
     * @param name what it is called in plans and messages
     * @param packageName the package's name without its version, null if no package is known
     * @param directory its directory below that of a kernel, such as {@code extra/mlnx-ofa_kernel}; null if it has none
     *     of its own
     */
    public record RuleUnit(
            String name,
            @Nullable String packageName,
            @Nullable String directory) {
        /** One that is known by its package. */
        public static RuleUnit ofPackage(String packageName) {
            return new RuleUnit(packageName, packageName, null);
        }
    }
}
