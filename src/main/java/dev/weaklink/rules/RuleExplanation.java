package dev.weaklink.rules;

import dev.weaklink.report.Page;
import dev.weaklink.report.Style;
import dev.weaklink.report.TableOptions;
import dev.weaklink.rules.Product.LinkPolicy;
import dev.weaklink.rules.Rules.Pin;
import dev.weaklink.rules.Rules.ProductMatch;
import dev.weaklink.rules.Rules.Rule;
import dev.weaklink.rules.Rules.RuleUnit;
import dev.weaklink.sys.Escape;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Renders for people which rule decides each property of a module or of a unit ({@link Rules.RuleUnit}). */
public final class RuleExplanation {
    private static final int LABEL_WIDTH = 16;

    private final Page page;

    public RuleExplanation(TableOptions options) {
        page = new Page(options);
    }

    public String render(Rules rules, RuleQuestion question) {
        page.line(page.styled(Style.HEADING, subject(question)));
        ProductMatch match = productOf(rules, question);
        Product product = match.product();
        product(match);
        Attributed<Boolean> ignored = rules.isIgnored(question.module(), question.unit(), question.kernel());
        row("ignored", RuleWords.yesNo(ignored.value()), ignored);
        link(rules, question, product);
        row("provider", RuleWords.provider(product.provider().value()), product.provider());
        row("all-or-nothing", product.allOrNothing().value().id(), product.allOrNothing());
        names("required", product.required());
        names("may-break", product.mayBreak());
        if (product.rebuild() != null) {
            row("rebuild", RuleWords.rebuild(product.rebuild()), product.rebuild());
        }
        rulesOfSomeKernels(rules, question);
        return page.text();
    }

    private static String subject(RuleQuestion question) {
        List<String> words = new ArrayList<>();
        if (question.module() != null) {
            words.add("module " + Escape.text(question.module()));
        }
        RuleUnit unit = question.unit();
        if (unit != null) {
            boolean isPackage = unit.name().equals(unit.packageName());
            words.add((isPackage ? "package " : "unit ") + Escape.text(unit.name()));
            if (unit.packageName() != null && !isPackage) {
                words.add("package " + Escape.text(unit.packageName()));
            }
        }
        if (question.kernel() != null) {
            words.add("kernel " + Escape.text(question.kernel()));
        }
        return String.join(", ", words);
    }

    private static ProductMatch productOf(Rules rules, RuleQuestion question) {
        RuleUnit unit = question.unit() == null ? new RuleUnit("", null, null) : question.unit();
        List<String> modules = question.module() == null ? List.of() : List.of(question.module());
        return rules.productOf(unit, modules);
    }

    private void product(ProductMatch match) {
        String id = Escape.text(match.product().id());
        String origin = match.evidence().isEmpty()
                ? "(no product recognises it)"
                : "(" + Escape.text(match.origin() + ": " + match.evidence()) + ")";
        row("product", id, origin);
    }

    private void link(Rules rules, RuleQuestion question, Product product) {
        Attributed<LinkPolicy> link = rules.linkPolicy(question.module(), question.unit(), question.kernel(), product);
        row("link", link.value().id(), link);
        Attributed<Pin> pin = rules.pinOf(question.module(), question.unit(), question.kernel());
        if (pin != null) {
            row("pin", RuleWords.pin(pin.value()), pin);
        }
        var undetermined = rules.undetermined(question.module(), question.unit(), question.kernel(), product);
        row("undetermined", undetermined.value().id(), undetermined);
    }

    private void row(String label, String value, Attributed<?> decided) {
        row(label, value, RuleWords.origin(decided));
    }

    private void row(String label, String value, String origin) {
        page.line("  " + padded(label) + value + "  " + page.styled(Style.FAINT, origin));
    }

    private void names(String label, Attributed<List<String>> names) {
        int count = names.value().size();
        row(label, count == 0 ? "none" : count + (count == 1 ? " module" : " modules"), names);
        if (count > 0) {
            page.wrapped(LABEL_WIDTH + 2, "", RuleWords.escaped(names.value()), ",");
        }
    }

    private static String padded(String label) {
        return label + " ".repeat(Math.max(1, LABEL_WIDTH - label.length()));
    }

    private void rulesOfSomeKernels(Rules rules, RuleQuestion question) {
        if (question.kernel() != null) {
            return;
        }
        List<String> lines = new ArrayList<>();
        collect(lines, "ignored", rules.ignored(), question);
        collect(lines, "pin", rules.pins(), question);
        collect(lines, "undetermined", rules.undetermined(), question);
        if (!lines.isEmpty()) {
            page.line("  These rules are only for some kernels; to include them, add --kernel:");
        }
        for (String line : lines) {
            page.line(line);
        }
    }

    private static <T> void collect(List<String> lines, String label, List<Rule<T>> rules, RuleQuestion question) {
        for (Rule<T> rule : rules) {
            boolean isOfSome = !rule.selector().kernels().isEmpty();
            if (isOfSome && rule.selector().matchesModuleAndUnit(question.module(), question.unit())) {
                lines.add("    "
                        + padded(label)
                        + RuleWords.selector(rule.selector())
                        + "  "
                        + RuleWords.origin(rule.decision()));
            }
        }
    }

    /**
     * The subject of a question about rules; a null component is unknown.
     *
     * @param module a module's name
     * @param unit the unit that contains the module
     * @param kernel the release of the kernel into which the module would be linked
     */
    public record RuleQuestion(
            @Nullable String module,
            @Nullable RuleUnit unit,
            @Nullable String kernel) {}
}
