import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Answers in the form of test-fixtures/kernel-answers, whose README.md explains the columns. */
final class AnswerTable implements AutoCloseable {
  private static final Pattern CRC = Pattern.compile(".*: disagrees about version of symbol (\\S+)");
  private static final Pattern NO_VERSION = Pattern.compile(".*: no symbol version for (\\S+)");
  private static final Pattern NAMESPACE =
      Pattern.compile(".*: module uses symbol \\((\\S+)\\) from namespace .*");
  private static final Pattern UNKNOWN = Pattern.compile(".*: Unknown symbol (\\S+) \\(err (-?\\d+)\\)");

  /** Lines of the log that are not reasons: notices, and lines that init.c causes. */
  private static final Pattern NO_REASON =
      Pattern.compile(
          ".*(taint|module verification failed|module license|BTF|not compiled with"
              + "|Found checksum ).*");
  private static final Pattern ADDRESS = Pattern.compile("\\b(0x)?[0-9a-f]{8,16}\\b");

  private final PrintStream out;

  AnswerTable(Path file) throws IOException {
    out = new PrintStream(Files.newOutputStream(file), false, StandardCharsets.UTF_8);
    out.println(
        "#module\tloaded_first\tanswer\terrno\tidle\tcrc\tno_version\tnamespace\tunknown\tmessage"
            + "\tsha256");
  }

  /**
   * Adds a row, unless the kernel gave no answer.
   *
   * @param first the labels of modules, other than the kernel's own, that were loaded before
   * @param derived the contents of a module that was made from another one; null for an original module
   */
  void add(String label, List<String> first, Answer answer, byte[] derived) {
    Set<String> crc = symbols(CRC, answer);
    Set<String> noVersion = symbols(NO_VERSION, answer);
    Set<String> namespace = symbols(NAMESPACE, answer);
    boolean wrong = !crc.isEmpty() || !noVersion.isEmpty() || !namespace.isEmpty();
    String kind =
        switch (answer.kind()) {
          case "LOADED", "INIT-FAILED", "REFUSED" -> answer.kind();
          case "INIT-CRASHED" -> "INIT-OOPS";
          case "IDLE" -> wrong ? "REFUSED" : "INCONCLUSIVE";
          default -> "";
        };
    if (kind.isEmpty()) {
      return;
    }
    boolean refused = kind.equals("REFUSED");
    List<String> columns = new ArrayList<>(List.of(label, list(first), kind));
    columns.add(refused ? answer.errno() : "-");
    columns.add(list(answer.idle()));
    for (Set<String> symbols : List.of(crc, noVersion, namespace, symbols(UNKNOWN, answer))) {
      columns.add(list(symbols));
    }
    columns.add(refused ? message(answer) : "-");
    columns.add(derived == null ? "-" : digest(derived));
    out.println(String.join("\t", columns));
  }

  private static String list(Iterable<String> names) {
    String text = String.join(",", names);
    return text.isEmpty() ? "-" : text;
  }

  /** Returns the symbols in the order of the log; of unknown symbols, only those that nothing exports. */
  private static Set<String> symbols(Pattern form, Answer answer) {
    Set<String> found = new LinkedHashSet<>();
    for (String line : answer.log()) {
      Matcher matcher = form.matcher(line);
      if (matcher.matches() && (form != UNKNOWN || !matcher.group(2).equals("-22"))) {
        found.add(matcher.group(1));
      }
    }
    return found;
  }

  private static String message(Answer answer) {
    for (String line : answer.log()) {
      boolean symbol =
          List.of(CRC, NO_VERSION, NAMESPACE, UNKNOWN).stream()
              .anyMatch(form -> form.matcher(line).matches());
      if (!symbol && !NO_REASON.matcher(line).matches()) {
        return ADDRESS.matcher(line).replaceAll("ADDR");
      }
    }
    return "-";
  }

  private static String digest(byte[] contents) {
    try {
      byte[] digest = MessageDigest.getInstance("SHA-256").digest(contents);
      return HexFormat.of().formatHex(digest).substring(0, 16);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void close() {
    out.close();
  }
}
