package dev.weaklink.rules.yaml;

import dev.weaklink.loader.FindingKind;
import dev.weaklink.rules.Attributed;
import dev.weaklink.rules.FindingRule;
import dev.weaklink.rules.KernelRequirements;
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
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.error.Mark;
import org.yaml.snakeyaml.error.MarkedYAMLException;
import org.yaml.snakeyaml.error.YAMLException;
import org.yaml.snakeyaml.events.AliasEvent;
import org.yaml.snakeyaml.events.CollectionStartEvent;
import org.yaml.snakeyaml.events.Event;
import org.yaml.snakeyaml.events.MappingStartEvent;
import org.yaml.snakeyaml.events.NodeEvent;
import org.yaml.snakeyaml.events.ScalarEvent;
import org.yaml.snakeyaml.events.SequenceStartEvent;
import org.yaml.snakeyaml.parser.Parser;
import org.yaml.snakeyaml.parser.ParserImpl;
import org.yaml.snakeyaml.reader.ReaderException;
import org.yaml.snakeyaml.reader.StreamReader;

/** Reads a file: all of it, however much is wrong. */
final class RuleFileParser {
  private static final String MUST_SERVE = "must-serve";
  private static final String MAY_LOSE = "may-lose";
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

  /** Which kernels have to be served; parameters as for the other. */
  static KernelRequirements requirements(String text, Problems problems) {
    Node node = YamlTree.read(text, problems);
    Node given = node == null ? new Node.Empty(Place.WHOLE) : node;
    Fields fields = Fields.of(given, "requirements", List.of(MUST_SERVE, MAY_LOSE), problems);
    Values values = new Values(problems);
    if (fields.lacks(MUST_SERVE)) {
      problems.add(given.at(), "'" + MUST_SERVE + "' is missing: a list of kernels, such as el9_4");
    }
    return new KernelRequirements(
        values.patterns(fields, MUST_SERVE), values.patterns(fields, MAY_LOSE));
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

  /**
   * Reads one entry of a file's lists of rules. What it returns counts only if there were no
   * problems.
   */
  private static final class EntryParser {
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
      Attributed<LinkPolicy> link = values.word(fields, LINK, ProductParser.LINK);
      if (fields.lacks(PROVIDER, LINK)) {
        problems.add(node.at(), "empty pin; give it 'provider' or 'link'");
      }
      return rule(node, fields, new Pin(providers, link == null ? null : link.value()));
    }

    @Nullable Rule<UndeterminedPolicy> undetermined(Node node) {
      Fields fields = Fields.of(node, "'undetermined'", UNDETERMINED_KEYS, problems);
      Attributed<UndeterminedPolicy> then = then(node, fields, ProductParser.UNDETERMINED);
      return then == null ? null : rule(node, fields, then.value());
    }

    @Nullable SymbolRule symbol(Node node) {
      Fields fields = Fields.of(node, "'symbols'", SYMBOL_KEYS, problems);
      Attributed<Severity> then = then(node, fields, SEVERITIES);
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
              symbols, modules, namespaces, new Attributed<>(then.value(), origin(node), because));
    }

    @Nullable FindingRule finding(Node node) {
      Fields fields = Fields.of(node, "'findings'", FINDING_KEYS, problems);
      List<NamePattern> findings = values.patterns(fields, FINDING);
      Attributed<Severity> then = then(node, fields, PASS_OR_FAIL);
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
      Attributed<Severity> decision = new Attributed<>(then.value(), origin(node), because(fields));
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

    private <T extends StableId> @Nullable Attributed<T> then(
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
      return new Rule<>(selector, new Attributed<>(value, origin(node), because));
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
      Attributed<String> because = values.text(fields, BECAUSE);
      return because == null ? null : because.value();
    }
  }

  /**
   * Turns a YAML text into nodes. Aliases, tags and further documents are refused, so that the
   * nodes are no more than the text; depth and number are bounded.
   */
  private static final class YamlTree {
    /** Rule files need 5. */
    private static final int MAX_DEPTH = 12;

    private static final int MAX_NODES = 20_000;

    /** What stands for nothing where it is not quoted (YAML 1.1, null). */
    private static final List<String> NULLS = List.of("", "~", "null", "Null", "NULL");

    private final Parser parser;
    private final Problems problems;
    private int nodes;

    private YamlTree(Parser parser, Problems problems) {
      this.parser = parser;
      this.problems = problems;
    }

    /** The document; null if it is no usable YAML, about which there is a problem then. */
    static @Nullable Node read(String text, Problems problems) {
      try {
        Parser parser = new ParserImpl(new StreamReader(text), new LoaderOptions());
        return new YamlTree(parser, problems).document();
      } catch (TooMuchException e) {
        problems.add(e.at, String.valueOf(e.getMessage()));
      } catch (MarkedYAMLException e) {
        problems.add(place(e.getProblemMark()), "not valid YAML: " + reason(e));
      } catch (ReaderException e) {
        Place at = place(text, e.getPosition());
        problems.add(at, "not valid YAML: control characters are not allowed");
      } catch (YAMLException e) {
        problems.add(Place.WHOLE, "not valid YAML: " + firstLine(e.getMessage()));
      }
      return null;
    }

    private static String reason(MarkedYAMLException e) {
      Mark start = e.getContextMark();
      String reason = firstLine(e.getProblem());
      return e.getContext() == null || start == null
          ? reason
          : reason + ", " + e.getContext() + " from line " + (start.getLine() + 1) + " on";
    }

    private static String firstLine(@Nullable String message) {
      return message == null ? "it cannot be parsed" : message.lines().findFirst().orElse("");
    }

    /** Where the character with this number is. */
    private static Place place(String text, int position) {
      String before = text.substring(0, text.offsetByCodePoints(0, position));
      int lineStart = before.lastIndexOf('\n') + 1;
      int line = 1 + (int) before.chars().filter(c -> c == '\n').count();
      return new Place(line, 1 + before.codePointCount(lineStart, before.length()));
    }

    private static Place place(@Nullable Mark mark) {
      return mark == null ? Place.WHOLE : new Place(mark.getLine() + 1, mark.getColumn() + 1);
    }

    private Node document() {
      parser.getEvent(); // of the stream
      if (parser.checkEvent(Event.ID.StreamEnd)) {
        return new Node.Empty(Place.WHOLE);
      }
      parser.getEvent(); // of the document
      Node node = node(1);
      parser.getEvent();
      if (!parser.checkEvent(Event.ID.StreamEnd)) {
        parser.getEvent();
        Place at = place(parser.peekEvent().getStartMark());
        problems.add(at, "a second document begins here; use a file for each");
      }
      return node;
    }

    private Node node(int depth) {
      Event event = parser.getEvent();
      Place at = place(event.getStartMark());
      if (depth > MAX_DEPTH) {
        throw new TooMuchException(at, "nested more than " + MAX_DEPTH + " deep");
      }
      if (++nodes > MAX_NODES) {
        throw new TooMuchException(at, "more than " + MAX_NODES + " values; use several files");
      }
      boolean usable = isPlain(event, at);
      Node node = new Node.Refused(at);
      if (event instanceof MappingStartEvent) {
        node = mapping(at, depth);
      } else if (event instanceof SequenceStartEvent) {
        node = items(at, depth);
      } else if (event instanceof ScalarEvent scalar) {
        boolean empty = scalar.isPlain() && NULLS.contains(scalar.getValue());
        node = empty ? new Node.Empty(at) : new Node.Scalar(scalar.getValue(), at);
      }
      return usable ? node : new Node.Refused(at);
    }

    private boolean isPlain(Event event, Place at) {
      if (event instanceof NodeEvent node && node.getAnchor() != null) {
        problems.add(at, "anchors and aliases are not supported; write it out");
        return false;
      }
      if (event instanceof ScalarEvent scalar && scalar.getTag() != null
          || event instanceof CollectionStartEvent start && start.getTag() != null) {
        problems.add(at, "tags are not supported; remove it");
        return false;
      }
      return true;
    }

    private Node mapping(Place at, int depth) {
      List<Node.Entry> entries = new ArrayList<>();
      while (!parser.checkEvent(Event.ID.MappingEnd)) {
        Event key = parser.getEvent();
        Place keyAt = place(key.getStartMark());
        isPlain(key, keyAt);
        if (!(key instanceof ScalarEvent) && !(key instanceof AliasEvent)) {
          throw new TooMuchException(keyAt, "a key must be a word");
        }
        String name = key instanceof ScalarEvent scalar ? scalar.getValue() : "";
        entries.add(new Node.Entry(name, keyAt, node(depth + 1)));
      }
      parser.getEvent();
      return new Node.Mapping(List.copyOf(entries), at);
    }

    private Node items(Place at, int depth) {
      List<Node> items = new ArrayList<>();
      while (!parser.checkEvent(Event.ID.SequenceEnd)) {
        items.add(node(depth + 1));
      }
      parser.getEvent();
      return new Node.Items(List.copyOf(items), at);
    }

    /** More than a rule file may hold, at a place. */
    private static final class TooMuchException extends RuntimeException {
      private static final long serialVersionUID = 1L;

      private final transient Place at;

      TooMuchException(Place at, String reason) {
        super(reason);
        this.at = at;
      }
    }
  }
}
