import java.io.BufferedOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** Writes an initramfs: a cpio archive of the kind "newc". */
final class Cpio implements Closeable {
  private static final int DIRECTORY = 040755;
  private static final int EXECUTABLE = 0100755;

  private final OutputStream out;
  private long written;
  private int inode;

  Cpio(Path file) throws IOException {
    out = new BufferedOutputStream(Files.newOutputStream(file), 1 << 20);
  }

  void directory(String name) throws IOException {
    entry(name, DIRECTORY, new byte[0]);
  }

  void file(String name, byte[] contents) throws IOException {
    entry(name, EXECUTABLE, contents);
  }

  /** Returns the number of bytes written so far. */
  long size() {
    return written;
  }

  @Override
  public void close() throws IOException {
    entry("TRAILER!!!", 0, new byte[0]);
    out.close();
  }

  private void entry(String name, int mode, byte[] contents) throws IOException {
    byte[] nameBytes = (name + '\0').getBytes(StandardCharsets.UTF_8);
    int[] fields = {++inode, mode, 0, 0, 1, 0, contents.length, 0, 0, 0, 0, nameBytes.length, 0};
    StringBuilder header = new StringBuilder("070701");
    for (int field : fields) {
      header.append(String.format("%08X", field));
    }
    put(header.toString().getBytes(StandardCharsets.US_ASCII));
    put(nameBytes);
    pad();
    put(contents);
    pad();
  }

  private void put(byte[] bytes) throws IOException {
    out.write(bytes);
    written += bytes.length;
  }

  private void pad() throws IOException {
    put(new byte[(int) (-written & 3)]);
  }
}
