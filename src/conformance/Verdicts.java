import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What weaklink says of the same modules. */
final class Verdicts {
  private static final Pattern FIELD =
      Pattern.compile("\"(file|verdict|errno)\":\"((?:[^\"\\\\]|\\\\.)*)\"");

  private final Map<String, Verdict> byFile = new HashMap<>();

  /** A verdict, and the errno that the loader would give. */
  record Verdict(String verdict, String errno) {}

  /** Runs weaklink with these arguments; the modules come on standard input. */
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
  }

  private void read(String line) {
    if (!line.startsWith("{\"schema\":\"weaklink.verdict/")) {
      return;
    }
    Map<String, String> fields = new HashMap<>();
    Matcher matcher = FIELD.matcher(line);
    while (matcher.find()) {
      fields.putIfAbsent(matcher.group(1), matcher.group(2));
    }
    String verdict = fields.getOrDefault("verdict", "?");
    byFile.put(fields.get("file"), new Verdict(verdict, fields.getOrDefault("errno", "-")));
  }

  Verdict of(Path file) {
    return byFile.getOrDefault(file.toString(), new Verdict("NONE", "-"));
  }
}
