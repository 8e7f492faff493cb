package dev.weaklink.rules.yaml;

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
    ProductParser parser = new ProductParser(file, problems);
    List<ProductDraft> products = each(fields, PRODUCTS, parser::parse);
    reportRepeated(products);
    return new RuleFile(
        products,
        each(fields, IGNORE, entries::ignore),
        each(fields, PIN, entries::pin),
        each(fields, UNDETERMINED, entries::undetermined),
        each(fields, SYMBOLS, entries::symbol),
        each(fields, FINDINGS, entries::finding));
  }

  private interface Reader<T> {
    /** Null if it cannot be used, about which there is a problem then. */
    @Nullable T read(Node node);
  }

  private <T> List<T> each(Fields fields, String key, Reader<T> reader) {
    List<T> read = new ArrayList<>();
    Node node = fields.get(key);
    if (node instanceof Node.Items list) {
      for (Node item : list.nodes()) {
        T one = reader.read(item);
        if (one != null) {
          read.add(one);
        }
      }
    } else if (node != null) {
      values.expected(node, key, "a list");
    }
    return read;
  }

  private void reportRepeated(List<ProductDraft> products) {
    Map<String, Place> seen = new HashMap<>();
    for (ProductDraft product : products) {
      Place earlier = seen.putIfAbsent(product.id(), product.at());
      if (earlier != null) {
        problems.add(
            product.at(),
            "product '" + product.id() + "' is already in line " + earlier.line() + "; join them");
      }
    }
  }
}
