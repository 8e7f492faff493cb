package dev.weaklink.rules;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * How a product is built for another kernel.
 *
 * @param backend the id of what builds it, one of {@link #BACKENDS}
 * @param product what it is called there, null if that need not be said
 * @param packages DKMS packages {@code name/version}; empty to take those there
 * @param command what the backend {@code command} runs; null for the others
 */
public record RebuildHint(
    String backend, @Nullable String product, List<String> packages, @Nullable Command command) {
  /** The backend that runs a command of the site's own. */
  public static final String COMMAND = "command";

  /** Everything that can build. */
  public static final List<String> BACKENDS =
      List.of("mlnx", "mlnx-install", "doca", "dkms", COMMAND);

  public RebuildHint {
    packages = List.copyOf(packages);
  }

  /**
   * A command of the site's own. In every word, in every value and in the directory, {@code
   * {kernel}}, {@code {build}}, {@code {root}} and {@code {results}} stand for the release, its
   * build tree, the root and the directory of the results.
   *
   * @param words the program and its arguments
   * @param environment more variables it gets
   * @param results where its results will be; null for the directory it works in
   */
  public record Command(
      List<String> words, Map<String, String> environment, @Nullable String results) {
    public Command {
      words = List.copyOf(words);
      environment = new TreeMap<>(environment);
    }
  }
}
