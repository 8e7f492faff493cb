import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * Makes a class archive that is the same in every build, from two archives of the same classes: {@code
 * SettleArchive FIRST SECOND RESULT BUILT INSTALLED}. The two differ by the time of their making: soft references
 * contain the JVM's clock (milliseconds since the machine started), and the header contains checksums, which a JVM
 * compares only with -XX:+VerifySharedSpaces. Bytes that differ become 0.
 *
 * <p>The archive contains the paths of the jars. For each class of a jar that does not exist at its path, a JVM fails
 * anew to make a URL of the path, which takes a sixth of the time of a start. So the directory BUILT becomes
 * INSTALLED, with as many slashes behind it as the archive has room for. Other directories of jars work as before.
 */
final class SettleArchive {
  private static final int HEADER_SIZE = 4096;

  /** In milliseconds; more than it takes to make an archive. */
  private static final long LONGEST = 3_600_000;

  private SettleArchive() {}

  public static void main(String[] args) throws IOException {
    ByteBuffer first = read(args[0]);
    ByteBuffer second = read(args[1]);
    if (first.limit() != second.limit()) {
      throw new IOException("the two class archives are of different sizes");
    }
    for (int at = 0; at < HEADER_SIZE; at += Integer.BYTES) {
      if (first.getInt(at) != second.getInt(at)) {
        second.putInt(at, 0);
      }
    }
    for (int at = HEADER_SIZE; at <= first.limit() - Long.BYTES; at += Long.BYTES) {
      long before = first.getLong(at);
      long after = second.getLong(at);
      if (before != after) {
        if (before <= 0 || after < before || after - before > LONGEST) {
          throw new IOException("the two class archives differ at byte " + at);
        }
        second.putLong(at, 0);
      }
    }
    move(second.array(), args[3] + "/", args[4] + "/");
    Files.write(Path.of(args[2]), second.array());
  }

  private static void move(byte[] archive, String built, String installed) throws IOException {
    byte[] before = built.getBytes(StandardCharsets.UTF_8);
    byte[] after = (installed + "/".repeat(built.length() - installed.length())).getBytes(StandardCharsets.UTF_8);
    int moved = 0;
    for (int at = 0; at <= archive.length - before.length; at++) {
      if (archive[at] == before[0] && Arrays.equals(archive, at, at + before.length, before, 0, before.length)) {
        System.arraycopy(after, 0, archive, at, after.length);
        moved++;
      }
    }
    if (moved == 0) {
      throw new IOException("the class archives contain no jar of " + built);
    }
  }

  private static ByteBuffer read(String file) throws IOException {
    return ByteBuffer.wrap(Files.readAllBytes(Path.of(file))).order(ByteOrder.LITTLE_ENDIAN);
  }
}
