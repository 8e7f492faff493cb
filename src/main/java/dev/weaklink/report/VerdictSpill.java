package dev.weaklink.report;

import static dev.weaklink.json.JsonOutput.list;
import static dev.weaklink.json.JsonOutput.object;

import dev.weaklink.audit.AuditReport.ModuleVerdict;
import dev.weaklink.json.JsonOutput;
import dev.weaklink.json.JsonTree;
import dev.weaklink.json.MalformedJsonException;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.AbstractList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.ListIterator;
import java.util.Map;
import java.util.zip.Deflater;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.InflaterInputStream;
import org.jspecify.annotations.Nullable;

/**
 * What is said of modules, in a file without a name instead of memory: of a fleet's answers it is
 * nearly all. A list that was kept is read again whenever somebody goes through it, and is equal to
 * another one if their bytes are, which is found out by their digests. What cannot be written or
 * read is an {@link UncheckedIOException}.
 */
public final class VerdictSpill implements Closeable {
  /** Where much may lie for some time (Filesystem Hierarchy Standard, 5.15); /tmp may be memory. */
  private static final Path PLACE = Path.of("/var/tmp");

  private final Map<ByteBuffer, Kept> known = new HashMap<>();
  private final MessageDigest sha256;
  private @Nullable FileChannel file;
  private long end;

  /** Nothing yet; the file is made when it is needed. */
  public VerdictSpill() {
    try {
      sha256 = MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }

  /** The same list, whose contents are in the file. */
  List<ModuleVerdict> keep(List<ModuleVerdict> modules) {
    if (modules.isEmpty()) {
      return List.of();
    }
    byte[] text = JsonOutput.line(object("modules", list(modules, AuditJson::moduleVerdict)));
    ByteBuffer digest = ByteBuffer.wrap(sha256.digest(text));
    Kept kept = known.get(digest);
    if (kept == null) {
      kept = new Kept(digest, modules, end, append(text));
      known.put(digest, kept);
    }
    return kept;
  }

  /** How many bytes it takes. */
  private int append(byte[] text) {
    ByteArrayOutputStream packed = new ByteArrayOutputStream();
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
        end += to.write(bytes, end);
      }
    } catch (IOException e) {
      throw new UncheckedIOException("temporary file: " + e.getMessage(), e);
    }
    return bytes.limit();
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

  private List<ModuleVerdict> read(long start, int length) {
    ByteBuffer packed = ByteBuffer.allocate(length);
    try {
      FileChannel from = open();
      while (packed.hasRemaining() && from.read(packed, start + packed.position()) > 0) {
        // on to the end
      }
      InflaterInputStream text = new InflaterInputStream(new ByteArrayInputStream(packed.array()));
      return AuditReader.items(JsonTree.read(text), "modules", AuditReader::moduleVerdict);
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

  private final class Kept extends AbstractList<ModuleVerdict> {
    private final ByteBuffer digest;
    private final int size;
    private final long start;
    private final int length;
    private final int hash;

    Kept(ByteBuffer digest, List<ModuleVerdict> list, long start, int length) {
      this.digest = digest;
      this.size = list.size();
      this.start = start;
      this.length = length;
      this.hash = list.hashCode();
    }

    private List<ModuleVerdict> contents() {
      return read(start, length);
    }

    @Override
    public int size() {
      return size;
    }

    @Override
    public ModuleVerdict get(int index) {
      return contents().get(index);
    }

    @Override
    public Iterator<ModuleVerdict> iterator() {
      return contents().iterator();
    }

    @Override
    public ListIterator<ModuleVerdict> listIterator(int index) {
      return contents().listIterator(index);
    }

    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof Kept that ? digest.equals(that.digest) : super.equals(other);
    }

    /** As that of any list with the same contents. */
    @Override
    public int hashCode() {
      return hash;
    }
  }
}
