package dev.weaklink.intake;

import dev.weaklink.nodeset.MalformedNodeSetException;
import dev.weaklink.nodeset.NodeSet;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Lines, each with a node's JSON: bare, behind a prefix, or in blocks below a set of nodes between
 * two rules of hyphens, as {@code clush -b} and {@code dshbak -c} fold them.
 */
final class TextIntake {
  /** clush draws 15 hyphens, dshbak 16. */
  private static final int SHORTEST_RULE = 15;

  /** A prefix is a name and little more; what is longer is text. */
  private static final int MAX_PREFIX = 1024;

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

  /**
   * @param fallback the node's name if neither prefix nor line tell it, or null
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
        receiver.problem(lines.number(), "is longer than a node's line can be; left aside");
      } else {
        TaskPieces.Line line = pieces.joined(lines.bytes(), lines.length(), lines.number());
        if (line != null) {
          read(line.bytes(), line.length(), line.number());
        }
      }
    }
    pieces.finish();
    if (state != State.LINES) {
      receiver.problem(lines.number() - 1, "ends within the heading of a block");
    }
  }

  private void read(byte[] bytes, int lineLength, long number) {
    int length = lineLength;
    while (length > 0 && isBlank(bytes[length - 1])) {
      length--;
    }
    if (isRule(bytes, length)) {
      state = state == State.RULE ? State.LINES : State.SET;
    } else if (state == State.SET) {
      readSet(text(bytes, length), number);
    } else if (length > 0) {
      state = State.LINES;
      readLine(bytes, length, number);
    }
  }

  private void readSet(String set, long number) {
    state = State.RULE;
    int count = set.indexOf(" (");
    try {
      block = NodeSet.expand(count < 0 ? set.strip() : set.substring(0, count).strip());
      isBlockUnknown = false;
    } catch (MalformedNodeSetException e) {
      block = List.of();
      isBlockUnknown = true;
      receiver.problem(number, "is no set of nodes: " + e.getMessage());
    }
  }

  private void readLine(byte[] bytes, int length, long number) {
    int brace = 0;
    while (brace < length && bytes[brace] != '{') {
      brace++;
    }
    if (brace == length || brace > MAX_PREFIX) {
      receiver.problem(
          number, "is not a node's inventory: " + Receiver.shortened(text(bytes, length).strip()));
      return;
    }
    LinePrefix prefix = LinePrefix.of(text(bytes, brace));
    if (prefix.kind() == LinePrefix.Kind.UNKNOWN) {
      receiver.problem(
          number,
          "what precedes the JSON is no node: " + Receiver.shortened(text(bytes, brace).strip()));
      return;
    }
    try {
      accept(parse(bytes, brace, length - brace), prefix, number);
    } catch (MalformedNodeException e) {
      receiver.problem(number, of(prefix) + e.getMessage() + "; left aside");
    } catch (RuntimeException e) {
      // A mistake of this program: it must not cost the other nodes.
      receiver.problem(number, of(prefix) + "internal error: " + e + "; left aside");
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

  private void accept(NodeLine line, LinePrefix prefix, long number) {
    String node = prefix.node();
    if (node != null) {
      receiver.accept(line, List.of(node), null, number);
    } else if (isBlockUnknown) {
      receiver.problem(number, "belongs to a block of unknown nodes; left aside");
    } else {
      receiver.accept(line, block, fallback, number);
    }
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

  private static String text(byte[] bytes, int length) {
    return new String(bytes, 0, length, StandardCharsets.UTF_8);
  }
}
