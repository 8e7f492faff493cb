package dev.weaklink.rules;

import dev.weaklink.rules.Attributed.RuleOrigin;
import dev.weaklink.rules.Product.LinkPolicy;
import dev.weaklink.rules.Product.UndeterminedPolicy;
import dev.weaklink.sys.StableId;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * All rules in force. If several rules of a list match, the first decides. A product is a group of modules that belong
 * together; a unit is a set of modules that were installed together ({@link RuleUnit}).
 *
 * <p>Module names may contain {@code -} or {@code _}, which the kernel treats as equal. A null argument is an unknown
 * value, and a rule with a condition on an unknown value does not match.
 *
 * @param products the products except the generic one, in the order in which they are tried
 * @param generic the product of all units that no other product recognises
 * @param ignored rules for modules that plans leave out; the decision of each rule is true
 * @param pins rules that prescribe the build or the links of a module
 * @param undetermined rules for modules whose verdict is undetermined
 * @param symbols rules about the use of symbols
 * @param findings rules about the findings of a check
 */
public record Rules(
        List<Product> products,
        Product generic,
        List<Rule<Boolean>> ignored,
        List<Rule<Pin>> pins,
        List<Rule<UndeterminedPolicy>> undetermined,
        List<SymbolRule> symbols,
        List<FindingRule> findings) {
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
     * Returns the product of a unit. The first product that recognises the unit's package decides, else the first that
     * recognises its directory, else the first that recognises one of its modules. If no product matches, returns the
     * generic product.
     *
     * @param modules the names of the unit's modules
     */
    public ProductMatch productOf(RuleUnit unit, Collection<String> modules) {
        return new ProductSearch(products, generic).find(unit, modules);
    }

    public Attributed<Boolean> isIgnored(@Nullable String module, @Nullable RuleUnit unit, @Nullable String kernel) {
        Attributed<Boolean> said = Rule.first(ignored, module, unit, kernel);
        return said == null ? NOT_IGNORED : said;
    }

    public @Nullable Attributed<Pin> pinOf(@Nullable String module, @Nullable RuleUnit unit, @Nullable String kernel) {
        return Rule.first(pins, module, unit, kernel);
    }

    /**
     * Returns the link policy for a module on a kernel: the policy of the first matching pin. If no pin matches or the
     * pin prescribes no policy, the product's policy counts.
     */
    public Attributed<LinkPolicy> linkPolicy(
            @Nullable String module, @Nullable RuleUnit unit, @Nullable String kernel, Product product) {
        Attributed<Pin> pin = pinOf(module, unit, kernel);
        LinkPolicy pinned = pin == null ? null : pin.value().link();
        return pin == null || pinned == null ? product.link() : new Attributed<>(pinned, pin.origin(), pin.because());
    }

    public boolean linksUndetermined(
            @Nullable String module, @Nullable RuleUnit unit, @Nullable String kernel, Product product) {
        return undetermined(module, unit, kernel, product).value() == UndeterminedPolicy.LINK;
    }

    Attributed<UndeterminedPolicy> undetermined(
            @Nullable String module, @Nullable RuleUnit unit, @Nullable String kernel, Product product) {
        Attributed<UndeterminedPolicy> said = Rule.first(undetermined, module, unit, kernel);
        return said == null ? product.undetermined() : said;
    }

    public List<FindingRule> findingsOf(@Nullable String module, @Nullable RuleUnit unit, @Nullable String kernel) {
        return findings.stream()
                .filter(rule -> rule.rule().selector().matches(module, unit, kernel))
                .toList();
    }

    /**
     * Returns the effect on a link if a module uses a symbol.
     *
     * @param exporter the exporter: {@code vmlinux}, or a module's name or path
     * @param namespace the symbol's namespace, null if it is in none
     */
    public Attributed<Severity> severity(String symbol, @Nullable String exporter, @Nullable String namespace) {
        for (SymbolRule rule : symbols) {
            if (rule.matches(symbol, exporter, namespace)) {
                return rule.decision();
            }
        }
        return PASS;
    }

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
     * The product of a unit, and the reason.
     *
     * @param product the product
     * @param origin the line of the matching pattern; {@link RuleOrigin#NO_RULE} if no pattern matched
     * @param evidence the match, such as {@code package kmod-mlnx-en}; empty if no pattern matched
     */
    public record ProductMatch(Product product, RuleOrigin origin, String evidence) {}

    /**
     * A rule that prescribes the build or the links of some modules on some kernels.
     *
     * @param providers the kernels whose builds may be linked; empty for all
     * @param link whether the modules are linked at all; null if the rule does not prescribe that
     */
    public record Pin(List<NamePattern> providers, @Nullable LinkPolicy link) {
        public Pin {
            providers = List.copyOf(providers);
        }

        public String providerWords() {
            return String.join(
                    " or ", providers.stream().map(NamePattern::toString).toList());
        }

        public boolean allowsProvider(String kernel) {
            return providers.isEmpty() || Selector.any(providers, kernel);
        }
    }

    /**
     * A rule about symbols. A symbol must match one pattern of each list that is not empty.
     *
     * @param symbols patterns of names
     * @param modules patterns of exporters: {@code vmlinux}, a module's name, or its path if the symvers contains one
     * @param namespaces patterns of namespaces
     * @param decision the effect on a link
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
     * A rule about the findings of a check. The rule applies if the finding's id matches one of the patterns, and the
     * module, unit and kernel match the rule's selector.
     *
     * @param findings patterns of ids of findings
     * @param rule the modules to which the rule applies, and the effect on a link
     */
    public record FindingRule(List<NamePattern> findings, Rule<Severity> rule) {
        public FindingRule {
            findings = List.copyOf(findings);
        }

        public boolean passes() {
            return rule.decision().value() == Severity.PASS;
        }

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
     * @param selector the modules, units and kernels to which the rule applies
     * @param decision the decision
     */
    public record Rule<T>(Selector selector, Attributed<T> decision) {
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
     * The effects on a link if a module uses a symbol, or if its check has a finding. If the loader refuses a module,
     * no effect makes the module load.
     */
    public enum Severity implements StableId {
        PASS,
        /** The effect that the module is linked, and the plan mentions the symbol. */
        NOTE,
        /** The effect that the module is not linked, but rebuilt, even if the loader would accept it. */
        FAIL
    }

    /**
     * A unit: a set of modules that were installed together, by one package or in one directory, or a single module.
     *
     * @param name the unit's name in plans and messages
     * @param packageName the package's name without its version, null if no package is known
     * @param directory the unit's directory relative to {@code /lib/modules/RELEASE}, such as
     *     {@code extra/mlnx-ofa_kernel}; null if unknown
     */
    public record RuleUnit(
            String name,
            @Nullable String packageName,
            @Nullable String directory) {
        public static RuleUnit ofPackage(String packageName) {
            return new RuleUnit(packageName, packageName, null);
        }
    }
}
