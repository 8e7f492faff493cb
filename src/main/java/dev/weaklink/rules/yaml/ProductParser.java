package dev.weaklink.rules.yaml;

import dev.weaklink.rules.Decided;
import dev.weaklink.rules.LinkPolicy;
import dev.weaklink.rules.NamePattern;
import dev.weaklink.rules.Product;
import dev.weaklink.rules.ProviderPreference;
import dev.weaklink.rules.ProviderPreference.Kind;
import dev.weaklink.rules.Recognition;
import dev.weaklink.rules.RuleOrigin;
import dev.weaklink.rules.UndeterminedPolicy;
import dev.weaklink.rules.Wholeness;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads one product of a file. */
final class ProductParser {
  static final List<LinkPolicy> LINK = List.of(LinkPolicy.values());
  private static final List<Wholeness> WHOLENESS = List.of(Wholeness.values());
  static final List<UndeterminedPolicy> UNDETERMINED = List.of(UndeterminedPolicy.values());

  private static final String RECOGNISE = "recognise";
  private static final String PROVIDER = "provider";
  private static final String REBUILD = "rebuild";
  private static final List<String> KEYS =
      List.of(
          "id",
          "title",
          RECOGNISE,
          "required",
          "all-or-nothing",
          PROVIDER,
          "may-break",
          "link",
          "undetermined",
          REBUILD);
  private static final List<String> RECOGNISE_KEYS = List.of("packages", "directories", "modules");

  private final String file;
  private final Problems problems;
  private final Values values;

  ProductParser(String file, Problems problems) {
    this.file = file;
    this.problems = problems;
    this.values = new Values(problems);
  }

  /** The product; null if it has no usable id. */
  @Nullable ProductDraft parse(Node node) {
    Fields fields = Fields.of(node, "a product", KEYS, problems);
    Decided<String> id = values.name(fields, "id");
    if (fields.lacks("id")) {
      problems.add(node.at(), "a product needs an id");
    }
    ProductDraft draft =
        new ProductDraft(
            id == null ? "" : id.value(),
            file,
            node.at(),
            values.text(fields, "title"),
            recognition(fields),
            values.modules(fields, "required"),
            values.word(fields, "all-or-nothing", WHOLENESS),
            provider(fields),
            values.modules(fields, "may-break"),
            values.word(fields, "link", LINK),
            values.word(fields, "undetermined", UNDETERMINED),
            new RebuildParser(problems, values).parse(fields, REBUILD));
    return id == null ? null : checked(draft, fields);
  }

  private ProductDraft checked(ProductDraft draft, Fields fields) {
    if (draft.id().equals(Product.GENERIC) && draft.recognition() != null) {
      problems.add(
          fields.at(RECOGNISE),
          "'"
              + Product.GENERIC
              + "' takes what no other product matches, so it cannot recognise anything");
    }
    return draft;
  }

  private @Nullable Recognition recognition(Fields fields) {
    Node node = fields.get(RECOGNISE);
    if (node == null) {
      return null;
    }
    Fields ways = Fields.of(node, "'" + RECOGNISE + "'", RECOGNISE_KEYS, problems);
    List<Decided<NamePattern>> modules = new ArrayList<>();
    for (Decided<NamePattern> pattern : values.placedPatterns(ways, "modules")) {
      modules.add(new Decided<>(NamePattern.ofModule(pattern.value().text()), pattern.origin()));
    }
    return new Recognition(
        values.placedPatterns(ways, "packages"),
        values.placedPatterns(ways, "directories"),
        modules);
  }

  private @Nullable Decided<ProviderPreference> provider(Fields fields) {
    Node node = fields.get(PROVIDER);
    if (node == null) {
      return null;
    }
    RuleOrigin origin = problems.origin(fields.at(PROVIDER));
    if (!(node instanceof Node.Items)) {
      ProviderPreference order = node instanceof Node.Scalar word ? ordered(word.text()) : null;
      if (order == null) {
        values.expected(node, PROVIDER, "newest, same-minor or a list of kernel releases");
      }
      return order == null ? null : new Decided<>(order, origin);
    }
    List<NamePattern> listed = values.patterns(fields, PROVIDER);
    return new Decided<>(new ProviderPreference(Kind.LISTED, listed), origin);
  }

  private static @Nullable ProviderPreference ordered(String word) {
    return switch (word) {
      case "newest" -> ProviderPreference.NEWEST;
      case "same-minor" -> new ProviderPreference(Kind.SAME_MINOR, List.of());
      default -> null;
    };
  }
}
