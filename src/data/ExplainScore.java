import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.GZIPInputStream;

/**
 * Compares the causes that {@code weaklink diff OLD NEW --format ndjson} names with the changes
 * that genksyms itself recorded. Usage: {@code java src/data/ExplainScore.java TRUTH DIFF...},
 * where TRUTH is the output of ExplainTruth for these kernels, compressed with gzip or not.
 *
 * <p>Prints the percentage of changed symbols with a cause (coverage). Of these symbols, prints the
 * percentage whose first cause is right (precision), or with a right one among the first three (one
 * of three). Also prints the percentage of right causes for each certainty. Symbols whose CRC
 * differs from that of the real kernel are left out.
 */
final class ExplainScore {
  private static final Pattern TYPE =
      Pattern.compile("\\{\"kind\":\"(\\w+)\",\"name\":\"([^\"]+)\",\"change\"");
  private static final Pattern SYMBOL = Pattern.compile("\"symbol\":\"([^\"]+)\"");
  private static final Pattern OWNER = Pattern.compile("\"owner\":\"([^\"]+)\"");
  private static final Pattern CERTAINTY = Pattern.compile("\"certainty\":\"(\\w+)\"");

  private int changed;
  private int named;
  private int first;
  private int three;
  private final Map<String, int[]> certainties = new TreeMap<>();
  private final Map<String, Integer> wrong = new HashMap<>();

  public static void main(String[] args) throws IOException {
    Map<String, String> changes = new HashMap<>();
    for (String line : Files.readAllLines(Path.of(args[1]))) {
      changes.put(group(SYMBOL, line), line);
    }
    ExplainScore kernel = new ExplainScore();
    ExplainScore modules = new ExplainScore();
    for (String line : lines(Path.of(args[0]))) {
      String[] columns = line.split("\t");
      String change = changes.get(columns[0]);
      if (columns[2].equals("1") && change != null) {
        ExplainScore part = group(OWNER, change).equals("vmlinux") ? kernel : modules;
        part.add(Set.of(columns[3].split(",")), change, columns);
      }
    }
    kernel.print("vmlinux");
    modules.print("modules");
  }

  private static List<String> lines(Path file) throws IOException {
    try (InputStream in = Files.newInputStream(file);
        InputStream plain = file.toString().endsWith(".gz") ? new GZIPInputStream(in) : in) {
      return new String(plain.readAllBytes(), StandardCharsets.UTF_8).lines().toList();
    }
  }

  private static String group(Pattern pattern, String line) {
    Matcher matcher = pattern.matcher(line);
    return matcher.find() ? matcher.group(1) : "";
  }

  private void add(Set<String> truth, String change, String[] columns) {
    changed++;
    Set<String> causes = new LinkedHashSet<>();
    Matcher matcher = TYPE.matcher(change);
    while (matcher.find()) {
      causes.add(prefix(matcher.group(1)) + matcher.group(2));
    }
    if (causes.isEmpty()) {
      return;
    }
    named++;
    String cause = causes.iterator().next();
    boolean right = truth.contains(cause);
    first += right ? 1 : 0;
    three += causes.stream().limit(3).anyMatch(truth::contains) ? 1 : 0;
    int[] counts = certainties.computeIfAbsent(group(CERTAINTY, change), key -> new int[2]);
    counts[0]++;
    counts[1] += right ? 1 : 0;
    if (!right) {
      wrong.merge(cause, 1, Integer::sum);
      if (System.getenv("WRONG") != null) {
        System.out.println(String.join(" ", columns) + " <- " + change);
      }
    }
  }

  private static String prefix(String kind) {
    return switch (kind) {
      case "struct" -> "s#";
      case "union" -> "u#";
      case "enum" -> "e#";
      case "typedef" -> "t#";
      default -> "";
    };
  }

  private void print(String part) {
    System.out.printf(
        Locale.ROOT,
        "%s: %d changed, coverage %.1f %%, precision %.1f %%, one of three %.1f %%",
        part, changed, share(named, changed), share(first, named), share(three, named));
    certainties.forEach(
        (certainty, counts) ->
            System.out.printf(
                Locale.ROOT,
                "; %s %d of %d (%.1f %%)",
                certainty, counts[1], counts[0], share(counts[1], counts[0])));
    System.out.println();
    wrong.entrySet().stream()
        .sorted(Map.Entry.<String, Integer>comparingByValue().reversed())
        .limit(8)
        .forEach(entry -> System.out.println("  wrong: " + entry.getKey() + " " + entry.getValue()));
  }

  private static double share(int part, int all) {
    return all == 0 ? 0 : 100.0 * part / all;
  }
}
