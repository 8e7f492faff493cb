package dev.weaklink.rules.yaml;

import dev.weaklink.rules.FindingRule;
import dev.weaklink.rules.Pin;
import dev.weaklink.rules.Rule;
import dev.weaklink.rules.SymbolRule;
import dev.weaklink.rules.UndeterminedPolicy;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads a file: all of it, however much is wrong. */
final class RuleFileParser {
  private static final String PRODUCTS = "products";
  private static final String IGNORE = "ignore";
  private static final String PIN = "pin";
  private static final String UNDETERMINED = "undetermined";
  private static final String SYMBOLS = "symbols";
  private static final String FINDINGS = "findings";
  private static final List<String> KEYS =
      List.of(PRODUCTS, IGNORE, PIN, UNDETERMINED, SYMBOLS, FINDINGS);

  private final String file;
  private final Problems problems;
  private final Values values;
  private final EntryParser entries;

  private RuleFileParser(String file, Problems problems) {
    this.file = file;
    this.problems = problems;
    this.values = new Values(problems);
    this.entries = new EntryParser(problems);
  }

  /**
   * What a file says.
   *
   * @param file what to call it
   * @param text its contents
   * @param problems gets what is wrong with it; if that is anything, the result is incomplete
   */
  static RuleFile parse(String file, String text, Problems problems) {
    Node node = YamlTree.read(text, problems);
    if (node == null || node instanceof Node.Empty) {
      node = new Node.Mapping(List.of(), Place.WHOLE);
    }
    return new RuleFileParser(file, problems).file(node);
  }

  private RuleFile file(Node node) {
    Fields fields = Fields.of(node, "a rule file", KEYS, problems);
    return new RuleFile(
        products(fields),
        ignored(fields),
        pins(fields),
        undetermined(fields),
        symbols(fields),
        findings(fields));
  }

  private List<Node> items(Fields fields, String key) {
    Node node = fields.get(key);
    if (node instanceof Node.Items list) {
      return list.nodes();
    }
    if (node != null) {
      values.expected(node, key, "a list");
    }
    return List.of();
  }

  private List<ProductDraft> products(Fields fields) {
    ProductParser parser = new ProductParser(file, problems);
    Map<String, Place> seen = new HashMap<>();
    List<ProductDraft> products = new ArrayList<>();
    for (Node node : items(fields, PRODUCTS)) {
      ProductDraft product = parser.parse(node);
      if (product == null) {
        continue;
      }
      Place earlier = seen.putIfAbsent(product.id(), product.at());
      if (earlier != null) {
        problems.add(
            product.at(),
            "product '" + product.id() + "' is already in line " + earlier.line() + "; join them");
      }
      products.add(product);
    }
    return products;
  }

  private List<Rule<Boolean>> ignored(Fields fields) {
    List<Rule<Boolean>> rules = new ArrayList<>();
    for (Node node : items(fields, IGNORE)) {
      rules.add(entries.ignore(node));
    }
    return rules;
  }

  private List<Rule<Pin>> pins(Fields fields) {
    List<Rule<Pin>> rules = new ArrayList<>();
    for (Node node : items(fields, PIN)) {
      rules.add(entries.pin(node));
    }
    return rules;
  }

  private List<Rule<UndeterminedPolicy>> undetermined(Fields fields) {
    List<Rule<UndeterminedPolicy>> rules = new ArrayList<>();
    for (Node node : items(fields, UNDETERMINED)) {
      add(rules, entries.undetermined(node));
    }
    return rules;
  }

  private List<SymbolRule> symbols(Fields fields) {
    List<SymbolRule> rules = new ArrayList<>();
    for (Node node : items(fields, SYMBOLS)) {
      add(rules, entries.symbol(node));
    }
    return rules;
  }

  private List<FindingRule> findings(Fields fields) {
    List<FindingRule> rules = new ArrayList<>();
    for (Node node : items(fields, FINDINGS)) {
      add(rules, entries.finding(node));
    }
    return rules;
  }

  private static <T> void add(List<T> rules, @Nullable T rule) {
    if (rule != null) {
      rules.add(rule);
    }
  }
}
