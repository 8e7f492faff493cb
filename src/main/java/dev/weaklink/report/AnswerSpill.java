package dev.weaklink.report;

import dev.weaklink.audit.AnswerStore;
import dev.weaklink.audit.SetAnswer;
import dev.weaklink.json.JsonOutput;
import dev.weaklink.json.JsonTree;
import dev.weaklink.json.MalformedJsonException;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.ListIterator;
import java.util.Map;
import java.util.function.Function;
import java.util.zip.Deflater;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.InflaterInputStream;
import org.jspecify.annotations.Nullable;

/**
 * Answers in a file without a name instead of memory: of an audit of a fleet they are nearly all.
 * In memory are the digest of each, by which equal ones are found, what is counted, and those that
 * were asked for last; what is said of modules is read when somebody goes through it. What cannot
 * be written or read is an {@link UncheckedIOException}.
 */
public final class AnswerSpill implements AnswerStore, Closeable {
  /** Where much may lie for some time (Filesystem Hierarchy Standard, 5.15); /tmp may be memory. */
  private static final Path PLACE = Path.of("/var/tmp");

  /** Answers of so many bytes of text are in memory, too. */
  private static final int MOST_RECENT = 4 << 20;

  private static final int HAS_MODULES = 1;
  private static final int HAS_CAUSES = 2;

  private final DigestNumbers digests = new DigestNumbers();

  /** Where each ends in the file. */
  private long[] ends = {};

  /** Of each: how many load, fail, are undetermined; what was not checked, and what there is. */
  private int[] counts = {};

  private final List<List<String>> layers = new ArrayList<>();
  private final Map<List<String>, Integer> knownLayers = new HashMap<>();
  private final Map<Integer, Text> recent = new LinkedHashMap<>(16, 0.75f, true);
  private long recentBytes;
  private final ByteArrayOutputStream packed = new ByteArrayOutputStream();
  private @Nullable FileChannel file;

  @Override
  public int keep(SetAnswer answer) {
    byte[] text = JsonOutput.line(JudgedPartsJson.answer(answer));
    int before = digests.size();
    int number = digests.numberOf(text);
    if (number == before) {
      append(number, answer, text);
    }
    return number;
  }

  private void append(int number, SetAnswer answer, byte[] text) {
    if (number == ends.length) {
      int room = Math.max(16, number + number / 2);
      ends = Arrays.copyOf(ends, room);
      counts = Arrays.copyOf(counts, 4 * room);
    }
    ends[number] = write(text, start(number));
    int layer = knownLayers.computeIfAbsent(answer.unchecked(), key -> layers.size());
    if (layer == layers.size()) {
      layers.add(answer.unchecked());
    }
    int has =
        (answer.modules().isEmpty() ? 0 : HAS_MODULES)
            | (answer.causes().isEmpty() ? 0 : HAS_CAUSES);
    counts[4 * number] = answer.loads();
    counts[4 * number + 1] = answer.fails();
    counts[4 * number + 2] = answer.undetermined();
    counts[4 * number + 3] = layer << 2 | has;
  }

  private long start(int number) {
    return number == 0 ? 0 : ends[number - 1];
  }

  /** Where it ends. */
  private long write(byte[] text, long start) {
    packed.reset();
    Deflater deflater = new Deflater(Deflater.BEST_SPEED);
    try (OutputStream out = new DeflaterOutputStream(packed, deflater)) {
      out.write(text);
    } catch (IOException e) {
      throw new IllegalStateException("memory cannot fail", e);
    } finally {
      deflater.end();
    }
    ByteBuffer bytes = ByteBuffer.wrap(packed.toByteArray());
    try {
      FileChannel to = open();
      while (bytes.hasRemaining()) {
        to.write(bytes, start + bytes.position());
      }
    } catch (IOException e) {
      throw new UncheckedIOException("temporary file: " + e.getMessage(), e);
    }
    return start + bytes.limit();
  }

  /** Without a name nothing is left of it, however the program ends. */
  private FileChannel open() throws IOException {
    FileChannel opened = file;
    if (opened == null) {
      boolean isThere = Files.isDirectory(PLACE) && Files.isWritable(PLACE);
      Path path =
          isThere
              ? Files.createTempFile(PLACE, "weaklink-merge", null)
              : Files.createTempFile("weaklink-merge", null);
      opened = FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE);
      Files.delete(path);
      file = opened;
    }
    return opened;
  }

  @Override
  public SetAnswer get(int number) {
    int has = counts[4 * number + 3];
    return new SetAnswer(
        counts[4 * number],
        counts[4 * number + 1],
        counts[4 * number + 2],
        (has & HAS_MODULES) == 0 ? List.of() : new Kept<>(number, SetAnswer::modules),
        (has & HAS_CAUSES) == 0 ? List.of() : new Kept<>(number, SetAnswer::causes),
        layers.get(has >> 2));
  }

  @Override
  public int size() {
    return digests.size();
  }

  /** An answer that was read, and how long its text is. */
  private record Text(SetAnswer answer, int length) {}

  private SetAnswer contents(int number) {
    Text known = recent.get(number);
    if (known == null) {
      known = read(start(number), (int) (ends[number] - start(number)));
      recent.put(number, known);
      recentBytes += known.length;
      Iterator<Text> oldest = recent.values().iterator();
      while (recentBytes > MOST_RECENT && recent.size() > 1) {
        recentBytes -= oldest.next().length;
        oldest.remove();
      }
    }
    return known.answer;
  }

  private Text read(long start, int length) {
    ByteBuffer bytes = ByteBuffer.allocate(length);
    try {
      FileChannel from = open();
      while (bytes.hasRemaining() && from.read(bytes, start + bytes.position()) > 0) {
        // on to the end
      }
      InputStream in = new InflaterInputStream(new ByteArrayInputStream(bytes.array()));
      byte[] text = in.readAllBytes();
      return new Text(AuditReader.answer(JsonTree.read(text), List.of()), text.length);
    } catch (MalformedJsonException e) {
      throw new UncheckedIOException("temporary file: it was changed", e);
    } catch (IOException e) {
      throw new UncheckedIOException("temporary file: " + e.getMessage(), e);
    }
  }

  @Override
  public void close() throws IOException {
    if (file != null) {
      file.close();
    }
  }

  /** A list of an answer, in the file until it is gone through. */
  private final class Kept<T> extends AbstractList<T> {
    private final int number;
    private final Function<SetAnswer, List<T>> which;

    Kept(int number, Function<SetAnswer, List<T>> which) {
      this.number = number;
      this.which = which;
    }

    private List<T> contents() {
      return which.apply(AnswerSpill.this.contents(number));
    }

    @Override
    public int size() {
      return contents().size();
    }

    @Override
    public T get(int index) {
      return contents().get(index);
    }

    @Override
    public Iterator<T> iterator() {
      return contents().iterator();
    }

    @Override
    public ListIterator<T> listIterator(int index) {
      return contents().listIterator(index);
    }

    /** Never of none. */
    @Override
    public boolean isEmpty() {
      return false;
    }
  }
}
