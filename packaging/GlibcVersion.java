import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Prints the newest symbol version of glibc that the programs and libraries below a directory need: {@code
 * GlibcVersion DIR}. Their string tables contain the names of the versions in plain text.
 */
final class GlibcVersion {
  private static final Pattern VERSION = Pattern.compile("\0GLIBC_2\\.([0-9]{1,3})(?=[\0.])");

  private GlibcVersion() {}

  public static void main(String[] args) throws IOException {
    int newest = 0;
    for (Path file : files(Path.of(args[0]))) {
      byte[] bytes = Files.readAllBytes(file);
      if (bytes.length < 4 || bytes[0] != 0x7f || bytes[1] != 'E') {
        continue;
      }
      String text = new String(bytes, StandardCharsets.ISO_8859_1);
      for (MatchResult found : (Iterable<MatchResult>) VERSION.matcher(text).results()::iterator) {
        newest = Math.max(newest, Integer.parseInt(found.group(1)));
      }
    }
    if (newest == 0) {
      throw new IllegalStateException("no program below " + args[0] + " names a version of glibc");
    }
    System.out.println("2." + newest);
  }

  private static List<Path> files(Path top) throws IOException {
    try (Stream<Path> all = Files.walk(top)) {
      return all.filter(Files::isRegularFile).sorted().toList();
    }
  }
}
