package dev.weaklink.report;

import dev.weaklink.rules.Decided;
import dev.weaklink.rules.FindingRule;
import dev.weaklink.rules.Product;
import dev.weaklink.rules.Rule;
import dev.weaklink.rules.Rules;
import dev.weaklink.rules.Severity;
import dev.weaklink.rules.SymbolRule;
import dev.weaklink.sys.Escape;
import dev.weaklink.sys.StableId;
import java.util.ArrayList;
import java.util.List;

/** All rules that are in force, for people. */
public final class RulesTable {
  private final Page page;

  public RulesTable(TableOptions options) {
    page = new Page(options);
  }

  /**
   * The whole text; to be used once.
   *
   * @param files the files the rules are from
   */
  public String render(Rules rules, List<String> files) {
    heading("Products, in the order in which they are tried");
    for (Product product : rules.products()) {
      product(product);
    }
    product(rules.generic());
    ignored(rules.ignored());
    pins(rules);
    words("Where it is undetermined whether it loads", rules.undetermined());
    symbols(rules.symbols());
    findings(rules.findings());
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
    page.line("  " + Escape.text(product.id()) + "  " + Escape.text(product.title().value()));
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

  private void ignored(List<Rule<Boolean>> rules) {
    if (!rules.isEmpty()) {
      heading("Ignored");
    }
    for (Rule<Boolean> rule : rules) {
      entry(RuleWords.selector(rule.selector()), rule.decision());
    }
  }

  private void pins(Rules rules) {
    if (!rules.pins().isEmpty()) {
      heading("Pinned");
    }
    for (var rule : rules.pins()) {
      String what =
          RuleWords.selector(rule.selector()) + ": " + RuleWords.pin(rule.decision().value());
      entry(what, rule.decision());
    }
  }

  private <T extends StableId> void words(String title, List<Rule<T>> rules) {
    if (!rules.isEmpty()) {
      heading(title);
    }
    for (Rule<T> rule : rules) {
      entry(
          RuleWords.selector(rule.selector()) + ": " + rule.decision().value().id(),
          rule.decision());
    }
  }

  private void symbols(List<SymbolRule> rules) {
    if (!rules.isEmpty()) {
      heading("Symbols");
    }
    for (SymbolRule rule : rules) {
      entry(RuleWords.symbols(rule) + ": " + rule.decision().value().id(), rule.decision());
    }
  }

  private void findings(List<FindingRule> rules) {
    if (!rules.isEmpty()) {
      heading("Findings");
    }
    for (FindingRule rule : rules) {
      Decided<Severity> decision = rule.rule().decision();
      entry(RuleWords.findings(rule) + ": " + decision.value().id(), decision);
    }
  }

  private void entry(String what, Decided<?> decided) {
    page.line("  " + what + "  " + page.styled(Style.FAINT, RuleWords.origin(decided)));
  }
}
