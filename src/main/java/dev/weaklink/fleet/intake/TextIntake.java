package dev.weaklink.fleet.intake;

import dev.weaklink.fleet.nodeset.MalformedNodeSetException;
import dev.weaklink.fleet.nodeset.NodeSet;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Lines, each with a node's JSON: bare, behind a prefix, in blocks below a set of nodes between two
 * rules of hyphens, as {@code clush -b} and {@code dshbak -c} fold them, or below a node's name.
 */
final class TextIntake {
  /** clush draws 15 hyphens, dshbak 16. */
  private static final int SHORTEST_RULE = 15;

  /** A prefix is a name and little more; what is longer is text. */
  private static final int MAX_PREFIX = 1024;

  /** So many nodes in all blocks: what one node prints must not cost hours. */
  private static final int MAX_NAMED = 4 * Receiver.MAX_NODES;

  /** What is longer without JSON says no more in its rest. */
  private static final int MAX_WORDS = 4096;

  /** Of a larger block no text is kept for each of its nodes. */
  private static final int MAX_TOLD = 4096;

  /** Enough to see {@code (stderr)}. */
  private static final int ANSIBLES = 16;

  /** So many damaged nodes in one line are looked behind. */
  private static final int MAX_DAMAGED = 16;

  private enum State {
    LINES,
    /** After the first rule: the set comes. */
    SET,
    /** After the set: the second rule comes. */
    RULE
  }

  private final Receiver receiver;
  private final @Nullable String fallback;
  private final TaskPieces pieces;
  private State state = State.LINES;

  /** The nodes of the block we are in; empty outside of blocks. */
  private List<String> block = List.of();

  /** Whether we are in a block whose nodes are not known. */
  private boolean isBlockUnknown;

  /** What stands above these lines and may be a node's name. */
  private @Nullable Heading heading;

  /** The host of a result that goes on over several lines, which are collected. */
  private @Nullable String resultHost;

  private final ByteArrayOutputStream result = new ByteArrayOutputStream();
  private int damaged;
  private int named;

  /**
   * @param fallback the node's name if neither prefix nor line report it, or null
   */
  TextIntake(Receiver receiver, @Nullable String fallback) {
    this.receiver = receiver;
    this.fallback = fallback;
    this.pieces = new TaskPieces(receiver);
  }

  /** Reads lines to the end; problems with a line are reported and the next is read. */
  void read(Lines lines) throws IOException {
    while (lines.next()) {
      if (lines.isTooLong()) {
        receiver.problem(lines.number(), "is longer than a node's line can be; skipped");
      } else {
        TaskPieces.Line line = pieces.joined(lines.bytes(), lines.length(), lines.number());
        if (line != null) {
          read(line.bytes(), line.length(), line.number());
        }
      }
    }
    pieces.finish();
    finishResult(lines.number() - 1);
    if (state != State.LINES) {
      receiver.problem(lines.number() - 1, "ends within the heading of a block");
    }
  }

  private void read(byte[] bytes, int lineLength, long number) throws IOException {
    int length = lineLength;
    while (length > 0 && isBlank(bytes[length - 1])) {
      length--;
    }
    if (resultHost != null) {
      addToResult(bytes, length, number);
    } else if (isRule(bytes, length)) {
      state = state == State.RULE ? State.LINES : State.SET;
      heading = null;
    } else if (state == State.SET) {
      readSet(text(bytes, 0, length), number);
    } else if (length > 0) {
      state = State.LINES;
      damaged = 0;
      int from = 0;
      while (from >= 0) {
        from = readPiece(bytes, from, length, number);
      }
    }
  }

  private void addToResult(byte[] bytes, int length, long number) throws IOException {
    result.write(bytes, 0, length);
    if (length == 1 && bytes[0] == '}' || result.size() > Lines.MAX_LENGTH) {
      finishResult(number);
    }
  }

  private void finishResult(long number) throws IOException {
    if (resultHost != null) {
      HostResult.read(resultHost, result.toByteArray(), 0, result.size(), number, receiver);
    }
    resultHost = null;
    result.reset();
  }

  private void readSet(String set, long number) {
    state = State.RULE;
    int count = set.indexOf(" (");
    block = List.of();
    isBlockUnknown = true;
    if (named > MAX_NAMED) {
      receiver.problem(number, "more nodes in blocks than there can be; skipped");
      return;
    }
    try {
      block = NodeSet.expand(count < 0 ? set.strip() : set.substring(0, count).strip());
      named += block.size();
      isBlockUnknown = false;
    } catch (MalformedNodeSetException e) {
      receiver.problem(number, "is not a set of nodes: " + e.getMessage());
    }
  }

  /** Reads a line, or what is glued to the end of one; gives where the next piece begins, or -1. */
  private int readPiece(byte[] bytes, int from, int length, long number) throws IOException {
    int brace = from;
    while (brace < length && bytes[brace] != '{') {
      brace++;
    }
    if (brace == length || brace - from > MAX_PREFIX) {
      readWords(text(bytes, from, Math.min(length, from + MAX_WORDS)), number);
      return -1;
    }
    if (brace == 0 && HostResult.areOnLine(text(bytes, 0, Math.min(length, MAX_PREFIX)))) {
      HostResult.readLine(bytes, 0, length, number, receiver);
      return -1;
    }
    String before = text(bytes, from, brace);
    LinePrefix prefix = LinePrefix.of(before);
    if (prefix.kind() == LinePrefix.Kind.RESULT && prefix.node() != null) {
      readResult(prefix.node(), bytes, brace, length, number);
      return -1;
    }
    return readNode(new Piece(bytes, from, brace, length, number), before, prefix);
  }

  /**
   * What may be a node's line, and others behind it.
   *
   * @param from where what stands before it begins
   */
  private record Piece(byte[] bytes, int from, int brace, int length, long number) {}

  private int readNode(Piece piece, String before, LinePrefix prefix) {
    // Nothing is glued to most lines: only where one cannot be read is its end looked for.
    int end =
        piece.from == 0
            ? piece.length
            : new BraceCount().end(piece.bytes, piece.brace, piece.length);
    try {
      NodeLine line = parse(piece.bytes, piece.brace, Math.max(end, piece.brace) - piece.brace);
      accept(line, before, prefix, piece.number);
      return end < piece.length ? rest(piece, end) : -1;
    } catch (MalformedNodeException e) {
      return readDamaged(piece, before, prefix, e);
    } catch (RuntimeException e) {
      // A mistake of this program: it must not cost the other nodes.
      receiver.problem(piece.number, of(prefix) + "internal error: " + e + "; skipped");
      return -1;
    }
  }

  /** What one command printed last without a line feed, and another after it. */
  private int readDamaged(
      Piece piece, String before, LinePrefix prefix, MalformedNodeException damage) {
    int end = new BraceCount().end(piece.bytes, piece.brace, piece.length);
    if (piece.from == 0 && end >= 0 && end < piece.length) {
      try {
        accept(parse(piece.bytes, piece.brace, end - piece.brace), before, prefix, piece.number);
        return rest(piece, end);
      } catch (MalformedNodeException e) {
        // What is wrong with the whole line is said.
      }
    }
    int next =
        damaged++ < MAX_DAMAGED ? NodeLine.next(piece.bytes, piece.brace + 1, piece.length) : -1;
    String message = next < 0 ? damage.getMessage() : NodeLine.CUT_SHORT;
    if (prefix.kind() == LinePrefix.Kind.UNKNOWN) {
      reportPrefix(before, piece.number);
    } else {
      receiver.problem(piece.number, of(prefix) + message + "; skipped");
      FailureLine failure = next < 0 ? damage.failure() : FailureLine.CUT_SHORT;
      receiver.silent(
          prefix.node() == null ? nodesOfBlock() : List.of(prefix.node()), failure, true);
    }
    return next < 0 ? -1 : Math.max(piece.brace + 1, next - GluedName.MAX_LENGTH);
  }

  /** Where the next piece begins behind a node's line; -1 if that is Ansible's. */
  private static int rest(Piece piece, int end) {
    String next = text(piece.bytes, end, Math.min(piece.length, end + ANSIBLES)).strip();
    return next.startsWith("\\n") || next.startsWith("(stderr)") ? -1 : end;
  }

  private void readResult(String host, byte[] bytes, int brace, int length, long number)
      throws IOException {
    if (brace < length - 1) {
      HostResult.read(host, bytes, brace, length - brace, number, receiver);
    } else {
      resultHost = host;
      result.write(bytes, brace, 1);
    }
  }

  private NodeLine parse(byte[] bytes, int offset, int length) throws MalformedNodeException {
    NodeLine known = receiver.lines().find(bytes, offset, length);
    if (known != null) {
      return known;
    }
    NodeLine line = NodeLine.parse(bytes, offset, length, receiver.tables());
    receiver.lines().keep(bytes, offset, length, line);
    return line;
  }

  private void accept(NodeLine line, String before, LinePrefix prefix, long number) {
    String node = prefix.node();
    if (prefix.kind() == LinePrefix.Kind.UNKNOWN) {
      node = GluedName.of(before, line.node(), receiver.noAnswers());
      if (node == null) {
        reportPrefix(before, number);
        return;
      }
      readWords(GluedName.rest(before, node), number);
    }
    if (node != null) {
      receiver.accept(line, List.of(node), null, number);
    } else if (isBlockUnknown) {
      receiver.problem(number, "belongs to a block of unknown nodes; skipped");
    } else if (heading != null) {
      boolean known = receiver.noAnswers().expects(heading.node());
      boolean own = line.node() == null || !receiver.noAnswers().expects(line.node());
      receiver.accept(
          line, known && own ? List.of(heading.node()) : List.of(), heading.node(), number);
    } else {
      receiver.accept(line, block, fallback, number);
    }
  }

  /** Nodes that lines without a name are of. */
  private List<String> nodesOfBlock() {
    return heading != null ? List.of(heading.node()) : block.size() <= MAX_TOLD ? block : List.of();
  }

  /** A line without JSON: a node's name above others, a message about nodes, or some text. */
  private void readWords(String text, long number) {
    if (text.isBlank() || text.equals(HostResult.OF_CODE)) {
      return;
    }
    FailureLine failure = receiver.noAnswers().isOpen() ? FailureLine.named(text) : null;
    int glued = failure != null ? -1 : GluedName.next(text, receiver.noAnswers());
    if (glued > 0) {
      readWords(text.substring(0, glued), number);
      readWords(text.substring(glued), number);
      return;
    }
    Heading above = Heading.of(text, heading);
    if (above != null) {
      heading = above.isCertain() ? null : above;
      block = above.isCertain() ? List.of(above.node()) : List.of();
      isBlockUnknown = false;
      if (above.failure() != null) {
        receiver.silent(List.of(above.node()), above.failure(), true);
      }
      return;
    }
    if (failure != null) {
      receiver.silent(failure.nodes(), failure, true);
      return;
    }
    int colon = text.indexOf(": ");
    boolean named = colon > 0 && NodeSet.isName(text.substring(0, colon));
    FailureLine said = FailureLine.of(named ? text.substring(colon + 2) : text);
    if (named) {
      receiver.silent(List.of(text.substring(0, colon)), said, false);
    }
    receiver.silent(nodesOfBlock(), said, heading == null || said.kind() == FailureLine.Kind.CAUSE);
    if (said.kind() == FailureLine.Kind.TEXT || !named && nodesOfBlock().isEmpty()) {
      receiver.text(number, text.strip());
    }
  }

  private void reportPrefix(String before, long number) {
    receiver.problem(
        number, "what precedes the JSON is not a node name: " + Receiver.shortened(before.strip()));
  }

  private static String of(LinePrefix prefix) {
    return prefix.node() == null ? "" : "of node " + prefix.node() + ": ";
  }

  private static boolean isRule(byte[] bytes, int length) {
    for (int i = 0; i < length; i++) {
      if (bytes[i] != '-') {
        return false;
      }
    }
    return length >= SHORTEST_RULE;
  }

  private static boolean isBlank(byte b) {
    return b == ' ' || b == '\t' || b == '\r';
  }

  private static String text(byte[] bytes, int start, int end) {
    return new String(bytes, start, end - start, StandardCharsets.UTF_8);
  }
}
