package dev.weaklink.rules.yaml;

import dev.weaklink.rules.Decided;
import dev.weaklink.rules.RebuildHint;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads how a product is built. */
final class RebuildParser {
  private static final String BACKEND = "backend";
  private static final String COMMAND = "command";
  private static final String ENVIRONMENT = "environment";
  private static final String RESULTS = "results";
  private static final List<String> KEYS =
      List.of(BACKEND, "product", "packages", COMMAND, ENVIRONMENT, RESULTS);

  private final Problems problems;
  private final Values values;

  RebuildParser(Problems problems, Values values) {
    this.problems = problems;
    this.values = values;
  }

  /** The value of a key; null if it is not there, or cannot be used. */
  @Nullable Decided<RebuildHint> parse(Fields product, String key) {
    Node node = product.get(key);
    if (node == null) {
      return null;
    }
    Fields fields = Fields.of(node, "'" + key + "'", KEYS, problems);
    Decided<String> backend = values.name(fields, BACKEND);
    Decided<String> name = values.name(fields, "product");
    List<String> packages = values.texts(fields, "packages");
    RebuildHint.Command command = command(fields);
    if (backend == null) {
      if (fields.lacks(BACKEND)) {
        problems.add(node.at(), "'" + key + "' has no backend; name one");
      }
      return null;
    }
    check(backend.value(), fields, node);
    return new Decided<>(
        new RebuildHint(backend.value(), name == null ? null : name.value(), packages, command),
        problems.origin(product.at(key)));
  }

  private RebuildHint.@Nullable Command command(Fields fields) {
    List<String> words = values.texts(fields, COMMAND);
    Map<String, String> environment = values.textsByName(fields, ENVIRONMENT);
    Node results = fields.get(RESULTS);
    String directory = results instanceof Node.Scalar text ? text.text() : null;
    if (results != null
        && (directory == null || !directory.startsWith("/") && !directory.startsWith("{"))) {
      values.expected(results, RESULTS, "an absolute path, which may begin with {root} or {build}");
    }
    return words.isEmpty() ? null : new RebuildHint.Command(words, environment, directory);
  }

  private void check(String backend, Fields fields, Node node) {
    if (!RebuildHint.BACKENDS.contains(backend)) {
      problems.add(
          fields.at(BACKEND),
          "there is no backend '"
              + backend
              + "'; there are "
              + String.join(", ", RebuildHint.BACKENDS));
    }
    boolean own = backend.equals(RebuildHint.COMMAND);
    if (own && fields.lacks(COMMAND)) {
      problems.add(node.at(), "the backend 'command' has no command; name a program and its words");
    }
    for (String key : List.of(COMMAND, ENVIRONMENT, RESULTS)) {
      if (!own && fields.get(key) != null) {
        problems.add(fields.at(key), "'" + key + "' is for the backend 'command' alone");
      }
    }
  }
}
