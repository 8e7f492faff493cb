package dev.weaklink.fleet.intake;

import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Puts lines together again that {@code srun --label} has broken: it passes on 1 KiB of a task's
 * output at a time, and begins each with the task's number (Slurm, src/api/step_io.c). Pieces of
 * several tasks may be mixed.
 */
final class TaskPieces {
  /** So many bytes of all tasks that are not complete. */
  private static final long MAX_HELD = 1L << 29;

  private static final int MAX_DIGITS = 9;

  /** What a node's line begins with, and no piece within one. */
  private static final byte[] BEGINNING = {'{', '"', 's', 'c', 'h', 'e', 'm', 'a', '"'};

  private final Receiver receiver;
  private final Map<Integer, Piece> open = new TreeMap<>();
  private long held;

  /**
   * A line of the input, or several pieces of one.
   *
   * @param bytes what it is, in the first {@code length} of them
   * @param number where it begins
   */
  record Line(byte[] bytes, int length, long number) {}

  TaskPieces(Receiver receiver) {
    this.receiver = receiver;
  }

  /** The line that ends here, with what belongs before it; null if more must follow. */
  @Nullable Line joined(byte[] bytes, int length, long number) {
    int colon = colon(bytes, length);
    if (colon < 0) {
      return new Line(bytes, length, number);
    }
    int task = task(bytes, colon);
    int start = colon + 2;
    Piece piece = open.get(task);
    if (piece != null && begins(bytes, start, length)) {
      drop(task, piece, "is cut short; skipped");
      piece = null;
    }
    if (piece == null) {
      return beginning(bytes, start, length, task, number);
    }
    piece.add(bytes, start, length);
    held += length - start;
    if (piece.isComplete()) {
      open.remove(task);
      held -= piece.length;
      return new Line(piece.bytes, piece.length, piece.number);
    }
    limit(task, piece);
    return null;
  }

  private @Nullable Line beginning(byte[] bytes, int start, int length, int task, long number) {
    Piece piece = new Piece(number);
    if (start == length || bytes[start] != '{' || piece.closes(bytes, start, length)) {
      return new Line(bytes, length, number);
    }
    piece.keep(bytes, 0, length);
    held += length;
    open.put(task, piece);
    limit(task, piece);
    return null;
  }

  private void limit(int task, Piece piece) {
    if (piece.length > Lines.MAX_LENGTH) {
      drop(task, piece, "is longer than a node's line can be; skipped");
    } else if (held > MAX_HELD) {
      drop(task, piece, "comes in pieces with too many others; skipped");
    }
  }

  private void drop(int task, Piece piece, String why) {
    open.remove(task);
    held -= piece.length;
    receiver.problem(piece.number, "of task " + task + ": " + why);
  }

  /** Says of which tasks the rest is missing. */
  void finish() {
    open.forEach(
        (task, piece) ->
            receiver.problem(piece.number, "of task " + task + ": is cut short; skipped"));
    open.clear();
  }

  /** The place of the colon behind a task's number, which a blank follows; -1 if there is none. */
  private static int colon(byte[] bytes, int length) {
    int at = 0;
    while (at < length && bytes[at] == ' ') {
      at++;
    }
    int digits = at;
    while (at < length && bytes[at] >= '0' && bytes[at] <= '9') {
      at++;
    }
    boolean number = at > digits && at - digits <= MAX_DIGITS;
    return number && at + 1 < length && bytes[at] == ':' && bytes[at + 1] == ' ' ? at : -1;
  }

  private static int task(byte[] bytes, int colon) {
    int task = 0;
    for (int i = 0; i < colon; i++) {
      task = bytes[i] == ' ' ? task : task * 10 + bytes[i] - '0';
    }
    return task;
  }

  private static boolean begins(byte[] bytes, int start, int length) {
    int end = Math.min(length, start + BEGINNING.length);
    return Arrays.equals(bytes, start, end, BEGINNING, 0, BEGINNING.length);
  }

  /** What there is of one task's line. */
  private static final class Piece {
    final long number;
    byte[] bytes = new byte[0];
    int length;
    private final BraceCount braces = new BraceCount();
    private boolean complete;

    Piece(long number) {
      this.number = number;
    }

    void add(byte[] from, int start, int end) {
      closes(from, start, end);
      keep(from, start, end);
    }

    void keep(byte[] from, int start, int end) {
      int count = end - start;
      if (bytes.length - length < count) {
        bytes = Arrays.copyOf(bytes, Math.max(2 * bytes.length, length + count));
      }
      System.arraycopy(from, start, bytes, length, count);
      length += count;
    }

    boolean isComplete() {
      return complete;
    }

    /** Whether all objects and lists are closed once this was looked at, too. */
    boolean closes(byte[] from, int start, int end) {
      complete = braces.end(from, start, end) >= 0;
      return complete;
    }
  }
}
