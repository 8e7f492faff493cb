package dev.weaklink.cli;

import dev.weaklink.fleet.nodeset.MalformedNodeSetException;
import dev.weaklink.fleet.nodeset.NodeSet;
import dev.weaklink.sys.ExternalCommand;
import dev.weaklink.sys.IoReason;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** Sets of nodes as options name them: in ClusterShell's notation, in a file, or as its group. */
final class ExpectedNodes {
  private static final String GROUP = "clush:";
  private static final Duration LIMIT = Duration.ofMinutes(1);
  private static final int MAX_OUTPUT = 8 << 20;
  private static final long MAX_FILE = 64L << 20;

  private ExpectedNodes() {}

  /**
   * The nodes that the words name, each once.
   *
   * @throws UsageException if one names none
   */
  static Set<String> of(String option, List<String> words) {
    Set<String> nodes = new LinkedHashSet<>();
    for (String word : words) {
      for (String line : lines(option, word)) {
        String set = line.strip();
        if (!set.isEmpty() && !set.startsWith("#")) {
          nodes.addAll(expand(option, set));
        }
      }
    }
    if (!words.isEmpty() && nodes.isEmpty()) {
      throw new UsageException(option + " " + String.join(" ", words) + ": names no nodes");
    }
    return nodes;
  }

  private static List<String> expand(String option, String set) {
    try {
      return NodeSet.expand(set);
    } catch (MalformedNodeSetException e) {
      throw new UsageException(
          option + " " + set + ": is not a set of nodes and no file: " + e.getMessage());
    }
  }

  private static List<String> lines(String option, String word) {
    try {
      if (word.startsWith(GROUP)) {
        return group(option, word.substring(GROUP.length()));
      }
      Path file = Path.of(word);
      if (!Files.isRegularFile(file)) {
        return List.of(word);
      }
      if (Files.size(file) > MAX_FILE) {
        throw new UsageException(option + " " + word + ": is too large for a list of nodes");
      }
      return Files.readAllLines(file);
    } catch (InvalidPathException e) {
      return List.of(word);
    } catch (IOException e) {
      throw new UsageException(option + " " + word + ": cannot be read: " + IoReason.of(e));
    }
  }

  /** Asks nodeset, which ClusterShell brings and whose configuration has the groups. */
  private static List<String> group(String option, String group) throws IOException {
    ExternalCommand.Result result =
        ExternalCommand.of(List.of("nodeset", "-f", "@" + group), LIMIT)
            .withOutputLimit(MAX_OUTPUT)
            .run();
    if (!result.succeeded()) {
      String said = result.lines().isEmpty() ? result.reason() : result.lines().get(0);
      throw new UsageException(option + " " + GROUP + group + ": nodeset failed: " + said);
    }
    return result.lines();
  }
}
