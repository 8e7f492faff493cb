import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Writes the inventories of a cluster's nodes. Copies the given lines in turn, under other names, until the requested
 * number is reached. Only the first copy of each line keeps its tables, like nodes that are asked for unknown tables.
 */
final class Cluster {
  private static final String NODE = "\"node\":\"";
  private static final String TABLES = ",\"tables\":[";
  private static final String AFTER_TABLES = ",\"missing\":[";

  private Cluster() {}

  /**
   * Writes the inventories. The arguments are the number of nodes, the file to write, and files of
   * one line each.
   */
  public static void main(String[] args) throws IOException {
    int count = Integer.parseInt(args[0]);
    List<byte[][]> full = new ArrayList<>();
    List<byte[][]> bare = new ArrayList<>();
    for (int i = 2; i < args.length; i++) {
      String line = Files.readString(Path.of(args[i])).strip();
      full.add(aroundName(line));
      int start = line.indexOf(TABLES);
      bare.add(
          aroundName(
              start < 0
                  ? line
                  : line.substring(0, start) + line.substring(line.indexOf(AFTER_TABLES, start))));
    }
    try (OutputStream out =
        new BufferedOutputStream(Files.newOutputStream(Path.of(args[1])), 1 << 20)) {
      for (int i = 0; i < count; i++) {
        byte[][] line = (i < full.size() ? full : bare).get(i % full.size());
        out.write(line[0]);
        out.write(name(i + 1).getBytes(StandardCharsets.US_ASCII));
        out.write(line[1]);
        out.write('\n');
      }
    }
  }

  private static byte[][] aroundName(String line) {
    int start = line.indexOf(NODE) + NODE.length();
    int end = line.indexOf('"', start);
    return new byte[][] {
      line.substring(0, start).getBytes(StandardCharsets.UTF_8),
      line.substring(end).getBytes(StandardCharsets.UTF_8)
    };
  }

  private static String name(int number) {
    String digits = Integer.toString(number);
    return "cn" + "0".repeat(Math.max(0, 6 - digits.length())) + digits;
  }
}
