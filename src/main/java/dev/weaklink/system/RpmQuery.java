package dev.weaklink.system;

import dev.weaklink.sys.ExternalCommand;
import dev.weaklink.sys.IoReason;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Asks rpm(8). What it answers begins with a word of ours; the other lines are warnings, or say
 * that nobody owns a file, so that its exit status says nothing.
 */
final class RpmQuery {
  /** A file and the name of its package. */
  record Owned(String name, String path) {}

  private static final String MARK = "weaklink\t";
  private static final String PATH = "/usr/bin:/bin:/usr/sbin:/sbin";
  private static final Duration LIMIT = Duration.ofMinutes(2);

  /** Selects packages that have modules: kernels, and what is sought. */
  private static final String MODULES = "basenames=*.ko*";

  /** The names of some hundred thousand files. */
  private static final int MOST_OUTPUT = 32 << 20;

  /** Arguments of one command; the kernel takes some hundred kilobytes at least. */
  private static final int WORDS_AT_ONCE = 500;

  private final @Nullable Path database;

  /**
   * Will ask one database.
   *
   * @param database its directory, null for that of the running system
   */
  RpmQuery(@Nullable Path database) {
    this.database = database;
  }

  /** The packages, with versions, that own any of these files of the running system. */
  Set<String> packagesOf(Collection<String> files) throws IOException {
    Set<String> packages = new TreeSet<>();
    for (List<String> some : portions(RpmDatabase.sorted(files))) {
      for (String[] answer : ask("-qf", some, "weaklink\\t%{NEVRA}\\t\\n")) {
        packages.add(answer[1]);
      }
    }
    return packages;
  }

  /** The packages, with versions, that have modules in any of these directories. */
  Set<String> packagesIn(Set<String> directories) throws IOException {
    Set<String> packages = new TreeSet<>();
    for (String[] answer :
        ask("-qa", List.of(MODULES), "[weaklink\\t%{=NEVRA}\\t%{DIRNAMES}\\n]")) {
      if (directories.contains(RpmDatabase.merged(answer[2]))) {
        packages.add(answer[1]);
      }
    }
    return packages;
  }

  /** All files of packages that were found before. */
  List<Owned> files(Set<String> packages) throws IOException {
    List<Owned> files = new ArrayList<>();
    for (List<String> some : portions(List.copyOf(packages))) {
      for (String[] answer : ask("-q", some, "[weaklink\\t%{=NAME}\\t%{FILENAMES}\\n]")) {
        files.add(new Owned(answer[1], answer[2]));
      }
    }
    return files;
  }

  /** All files of packages that have one of these names without a directory. */
  List<Owned> filesNamed(Collection<String> names) throws IOException {
    List<Owned> files = new ArrayList<>();
    for (String name : names) {
      for (String[] answer :
          ask(
              "-qa",
              List.of("basenames=" + name),
              "[weaklink\\t%{=NAME} %{=EVR}\\t%{FILENAMES}\\n]")) {
        files.add(new Owned(answer[1], answer[2]));
      }
    }
    return files;
  }

  private static List<List<String>> portions(List<String> words) {
    List<List<String>> portions = new ArrayList<>();
    for (int start = 0; start < words.size(); start += WORDS_AT_ONCE) {
      portions.add(words.subList(start, Math.min(words.size(), start + WORDS_AT_ONCE)));
    }
    return portions;
  }

  /** The marked lines of an answer, each in three parts. */
  private List<String[]> ask(String how, List<String> about, String format) throws IOException {
    List<String> words = new ArrayList<>(List.of("rpm"));
    if (database != null) {
      words.addAll(List.of("--dbpath", database.toString()));
    }
    words.addAll(List.of(how, "--qf", format, "--"));
    words.addAll(about);
    ExternalCommand.Result result = run(words);
    List<String[]> answers = new ArrayList<>();
    for (String line : result.lines()) {
      String[] parts = line.split("\t", 3);
      if (line.startsWith(MARK) && parts.length == 3) {
        answers.add(parts);
      } else if (line.startsWith("error:") && !line.startsWith("error: file ")) {
        throw new IOException("rpm says: " + line.substring("error:".length()).strip());
      }
    }
    return answers;
  }

  private static ExternalCommand.Result run(List<String> words) throws IOException {
    ExternalCommand.Result result;
    try {
      result =
          ExternalCommand.of(words, LIMIT)
              .withEnvironment(Map.of("PATH", PATH, "LC_ALL", "C"))
              .withOutputLimit(MOST_OUTPUT)
              .run();
    } catch (IOException e) {
      throw new IOException("rpm cannot be run: " + IoReason.of(e), e);
    }
    if (result.timedOut() || result.truncated()) {
      throw new IOException("rpm " + (result.timedOut() ? result.reason() : "printed too much"));
    }
    return result;
  }
}
