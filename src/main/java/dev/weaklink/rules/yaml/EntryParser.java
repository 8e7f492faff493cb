package dev.weaklink.rules.yaml;

import dev.weaklink.loader.FindingKind;
import dev.weaklink.rules.Decided;
import dev.weaklink.rules.FindingRule;
import dev.weaklink.rules.LinkPolicy;
import dev.weaklink.rules.NamePattern;
import dev.weaklink.rules.Pin;
import dev.weaklink.rules.Rule;
import dev.weaklink.rules.RuleOrigin;
import dev.weaklink.rules.Selector;
import dev.weaklink.rules.Severity;
import dev.weaklink.rules.SymbolRule;
import dev.weaklink.rules.UndeterminedPolicy;
import dev.weaklink.sys.StableId;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads one entry of a file's lists of rules. What it returns counts only if there were no
 * problems.
 */
final class EntryParser {
  private static final String MODULE = "module";
  private static final String UNIT = "unit";
  private static final String KERNEL = "kernel";
  private static final String PROVIDER = "provider";
  private static final String LINK = "link";
  private static final String THEN = "then";
  private static final String BECAUSE = "because";
  private static final List<String> IGNORE_KEYS = List.of(MODULE, UNIT, KERNEL, BECAUSE);
  private static final List<String> PIN_KEYS =
      List.of(MODULE, UNIT, KERNEL, PROVIDER, LINK, BECAUSE);
  private static final List<String> UNDETERMINED_KEYS =
      List.of(MODULE, UNIT, KERNEL, THEN, BECAUSE);
  private static final List<String> SYMBOL_KEYS =
      List.of("symbol", MODULE, "namespace", THEN, BECAUSE);
  private static final String FINDING = "finding";
  private static final List<String> FINDING_KEYS =
      List.of(FINDING, MODULE, UNIT, KERNEL, THEN, BECAUSE);
  private static final List<Severity> PASS_OR_FAIL = List.of(Severity.PASS, Severity.FAIL);
  private static final List<Severity> SEVERITIES = List.of(Severity.values());

  private final Problems problems;
  private final Values values;

  EntryParser(Problems problems) {
    this.problems = problems;
    this.values = new Values(problems);
  }

  Rule<Boolean> ignore(Node node) {
    Fields fields = Fields.of(node, "'ignore'", IGNORE_KEYS, problems);
    return rule(node, fields, true);
  }

  Rule<Pin> pin(Node node) {
    Fields fields = Fields.of(node, "'pin'", PIN_KEYS, problems);
    List<NamePattern> providers = values.patterns(fields, PROVIDER);
    Decided<LinkPolicy> link = values.word(fields, LINK, ProductParser.LINK);
    if (fields.lacks(PROVIDER, LINK)) {
      problems.add(node.at(), "empty pin; give it 'provider' or 'link'");
    }
    return rule(node, fields, new Pin(providers, link == null ? null : link.value()));
  }

  @Nullable Rule<UndeterminedPolicy> undetermined(Node node) {
    Fields fields = Fields.of(node, "'undetermined'", UNDETERMINED_KEYS, problems);
    Decided<UndeterminedPolicy> then = then(node, fields, ProductParser.UNDETERMINED);
    return then == null ? null : rule(node, fields, then.value());
  }

  @Nullable SymbolRule symbol(Node node) {
    Fields fields = Fields.of(node, "'symbols'", SYMBOL_KEYS, problems);
    Decided<Severity> then = then(node, fields, SEVERITIES);
    List<NamePattern> symbols = values.patterns(fields, "symbol");
    List<NamePattern> modules = values.modulePatterns(fields, MODULE);
    List<NamePattern> namespaces = values.patterns(fields, "namespace");
    String because = because(fields);
    if (fields.lacks("symbol", MODULE, "namespace")) {
      problems.add(node.at(), "rule matches nothing; give it 'symbol', 'module' or 'namespace'");
    }
    return then == null
        ? null
        : new SymbolRule(
            symbols, modules, namespaces, new Decided<>(then.value(), origin(node), because));
  }

  @Nullable FindingRule finding(Node node) {
    Fields fields = Fields.of(node, "'findings'", FINDING_KEYS, problems);
    List<NamePattern> findings = values.patterns(fields, FINDING);
    Decided<Severity> then = then(node, fields, PASS_OR_FAIL);
    if (fields.lacks(FINDING)) {
      problems.add(node.at(), "rule matches nothing; give it 'finding'");
    }
    for (NamePattern finding : findings) {
      if (!isAny(finding)) {
        problems.add(
            node.at(), "no finding is called '" + finding.text() + "'; see 'weaklink explain'");
      }
    }
    if (then == null) {
      return null;
    }
    Decided<Severity> decision = new Decided<>(then.value(), origin(node), because(fields));
    return new FindingRule(findings, new Rule<>(selector(fields), decision));
  }

  private static boolean isAny(NamePattern finding) {
    for (FindingKind kind : FindingKind.values()) {
      if (finding.matches(kind.id())) {
        return true;
      }
    }
    return false;
  }

  private <T extends StableId> @Nullable Decided<T> then(
      Node node, Fields fields, List<T> choices) {
    if (fields.lacks(THEN)) {
      problems.add(
          node.at(), "rule has no effect; give it '" + THEN + "': " + Values.words(choices));
    }
    return values.word(fields, THEN, choices);
  }

  private <T> Rule<T> rule(Node node, Fields fields, T value) {
    Selector selector = selector(fields);
    String because = because(fields);
    if (fields.lacks(MODULE, UNIT, KERNEL)) {
      problems.add(node.at(), "rule matches nothing; give it 'module', 'unit' or 'kernel'");
    }
    return new Rule<>(selector, new Decided<>(value, origin(node), because));
  }

  private Selector selector(Fields fields) {
    return new Selector(
        values.modulePatterns(fields, MODULE),
        values.patterns(fields, UNIT),
        values.patterns(fields, KERNEL));
  }

  private RuleOrigin origin(Node node) {
    return problems.origin(node.at());
  }

  private @Nullable String because(Fields fields) {
    Decided<String> because = values.text(fields, BECAUSE);
    return because == null ? null : because.value();
  }
}
