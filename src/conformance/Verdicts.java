import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The verdicts of weaklink on the same modules. */
final class Verdicts {
  private static final Pattern FIELD =
      Pattern.compile("\"(file|verdict|errno|dmesg)\":\"((?:[^\"\\\\]|\\\\.)*)\"");

  private final Map<String, Verdict> byFile = new HashMap<>();

  /**
   * A verdict.
   *
   * @param errno the name of the errno that the loader would give, "-" for none
   * @param log the lines that the kernel would log
   * @param unchecked the layers that were not checked, as in JSON
   */
  record Verdict(String verdict, String errno, List<String> log, String unchecked) {

    /** Returns the first line that the kernel did not log; empty if it logged all. */
    String missingFrom(List<String> logged) {
      for (String line : log) {
        String any = Pattern.quote(line).replace("ADDR", "\\E[0-9a-fx]+\\Q");
        Pattern form = Pattern.compile(any, Pattern.CASE_INSENSITIVE);
        // Lockdown logs at most ten lines in five seconds.
        boolean suppressed = logged.isEmpty() && line.startsWith("Lockdown: ");
        if (!suppressed && logged.stream().noneMatch(form.asMatchPredicate())) {
          return line;
        }
      }
      return "";
    }
  }

  /** Runs weaklink with these arguments and with the modules on standard input. */
  Verdicts(List<String> command, List<Path> files) throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    Thread writer =
        new Thread(
            () -> {
              try (var out = process.outputWriter(StandardCharsets.UTF_8)) {
                for (Path file : files) {
                  out.write(file + "\n");
                }
              } catch (IOException e) {
                System.err.println("weaklink takes no more modules: " + e.getMessage());
              }
            });
    writer.start();
    process.inputReader(StandardCharsets.UTF_8).lines().forEach(this::read);
    process.waitFor();
    writer.join();
    if (byFile.isEmpty()) {
      throw new IOException(command.get(0) + " gave no verdicts");
    }
  }

  private void read(String line) {
    if (!line.startsWith("{\"schema\":\"weaklink.verdict/")) {
      return;
    }
    Map<String, String> fields = new HashMap<>();
    List<String> log = new ArrayList<>();
    Matcher matcher = FIELD.matcher(line);
    while (matcher.find()) {
      if (matcher.group(1).equals("dmesg")) {
        log.add(asLogged(matcher.group(2)));
      } else {
        fields.putIfAbsent(matcher.group(1), matcher.group(2));
      }
    }
    String verdict = fields.getOrDefault("verdict", "?");
    String unchecked = line.substring(line.lastIndexOf("\"unchecked\":["), line.lastIndexOf(','));
    String errno = fields.getOrDefault("errno", "-");
    byFile.put(fields.get("file"), new Verdict(verdict, errno, log, unchecked));
  }

  /** Returns a JSON string as /dev/kmsg prints it: unprintable characters as \xNN. */
  private static String asLogged(String escaped) {
    return escaped.replaceAll("\\\\u00(..)", "\\\\\\\\x$1").translateEscapes();
  }

  Verdict of(Path file) {
    return byFile.getOrDefault(file.toString(), new Verdict("NONE", "-", List.of(), ""));
  }
}
