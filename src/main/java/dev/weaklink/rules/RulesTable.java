package dev.weaklink.rules;

import dev.weaklink.report.Page;
import dev.weaklink.report.Style;
import dev.weaklink.report.TableOptions;
import dev.weaklink.rules.Rules.Rule;
import dev.weaklink.rules.Rules.SymbolRule;
import dev.weaklink.sys.Escape;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

public final class RulesTable {
    private final Page page;

    public RulesTable(TableOptions options) {
        page = new Page(options);
    }

    public String render(Rules rules, List<String> files) {
        heading("Products, in the order in which they are matched");
        for (Product product : rules.products()) {
            product(product);
        }
        product(rules.generic());
        section("Ignored", rules.ignored(), rule -> RuleWords.selector(rule.selector()), Rule::decision);
        section(
                "Pinned",
                rules.pins(),
                rule -> RuleWords.selector(rule.selector()) + ": "
                        + RuleWords.pin(rule.decision().value()),
                Rule::decision);
        section(
                "Modules whose verdict is undetermined",
                rules.undetermined(),
                rule -> RuleWords.selector(rule.selector()) + ": "
                        + rule.decision().value().id(),
                Rule::decision);
        section(
                "Symbols",
                rules.symbols(),
                rule -> RuleWords.symbols(rule) + ": " + rule.decision().value().id(),
                SymbolRule::decision);
        section(
                "Findings",
                rules.findings(),
                one -> RuleWords.findings(one) + ": "
                        + one.rule().decision().value().id(),
                one -> one.rule().decision());
        heading("Files");
        for (String file : files) {
            page.line("  " + Escape.text(file));
        }
        return page.text();
    }

    private void heading(String text) {
        page.gap();
        page.line(page.styled(Style.HEADING, text) + ":");
    }

    private void product(Product product) {
        page.line("  " + Escape.text(product.id()) + "  "
                + Escape.text(product.title().value()));
        List<String> words = new ArrayList<>();
        words.add("link " + product.link().value().id());
        words.add("undetermined " + product.undetermined().value().id());
        words.add("provider " + RuleWords.provider(product.provider().value()));
        words.add("all-or-nothing " + product.allOrNothing().value().id());
        words.add("required " + product.required().value().size());
        words.add("may-break " + product.mayBreak().value().size());
        words.add("rebuild " + RuleWords.rebuild(product.rebuild()));
        page.wrapped(4, "", words, ",");
    }

    private <T> void section(
            String title, List<T> rules, Function<T, String> what, Function<T, Attributed<?>> decision) {
        if (!rules.isEmpty()) {
            heading(title);
        }
        for (T rule : rules) {
            String origin = RuleWords.origin(decision.apply(rule));
            page.line("  " + what.apply(rule) + "  " + page.styled(Style.FAINT, origin));
        }
    }
}
