import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Holds what {@code weaklink explain MODULE --to KERNEL --format json} says to look at in a source
 * against what made its compilation fail: {@code java src/data/DriverScore.java
 * src/data/drivers-6.1-6.12.tsv DIRECTORY}, with one file PACKAGE--MODULE.json a module.
 *
 * <p>That table has, of each of Debian 12's DKMS packages that build with the headers of 6.1.192
 * (librem_ec_acpi: 6.1.187) and not with those of 6.12.117, the members and functions that gcc's
 * errors name, by {@code make -k}. Macros, constants and headers that are gone are left out, as is
 * what only follows from a header that is no longer included. Stripped modules are those of {@code
 * strip -g}, as DKMS installs them; with BTF those that {@code pahole -J --btf_base} had before.
 *
 * <p>drivers-in-tree-6.1-6.12.tsv has the same of Linux 6.1.192's own modules: every eighth of the
 * directories below drivers, fs, net and sound that have modules in Debian's kernel, sorted by name,
 * but for those with more than 100 source files, those that do not build out of the tree, and those
 * that define what a header of 6.12 declares otherwise, which are subsystems and no drivers. A file
 * is DIRECTORY--MODULE.json, with dashes for slashes. Headers that only moved were given. Directories
 * without a second column compile. What a third column has is declared by a directory's own headers,
 * those of 6.1, so that it compiles whatever the newer kernel has: it is not counted. Of arm64 it is
 * held against modules that both of Debian's kernels have, the packaged ones without {@code .BTF}.
 *
 * <p>The modules are Debian's own, with BTF and, after {@code objcopy -R .BTF}, without. A directory
 * that the newer configuration leaves out (orinoco, ixgb, r8188eu) is built with its option set.
 */
final class DriverScore {
  private static final Pattern SOURCES = Pattern.compile("\"sources\":\\[([^]]*)]");
  private static final Pattern POSSIBLE = Pattern.compile("\"possible\":\\[([^]]*)]");
  private static final Pattern REMOVED = Pattern.compile("\"removed\":\\[(.*?)],\"implied\"");
  private static final Pattern GONE =
      Pattern.compile("\\{\"symbol\":\"(\\w+)\",\"function\":\\w+(?:,\"now\":\"(\\w+)\")?}");

  public static void main(String[] args) throws IOException {
    int failed = 0;
    int right = 0;
    int firm = 0;
    int within = 0;
    for (String line : Files.readAllLines(Path.of(args[0]))) {
      String[] columns = line.split("\t", -1);
      Set<String> truth = words(columns[1]);
      Set<String> named = new HashSet<>();
      Set<String> possible = new HashSet<>();
      try (DirectoryStream<Path> files =
          Files.newDirectoryStream(Path.of(args[1]), columns[0].replace('/', '-') + "--*.json")) {
        for (Path file : files) {
          add(Files.readString(file), named, possible);
        }
      }
      if (columns.length > 2) {
        named.removeAll(words(columns[2]));
        possible.removeAll(words(columns[2]));
      }
      failed += truth.size();
      firm += named.size();
      Set<String> wrong = new TreeSet<>(named);
      wrong.removeAll(truth);
      named.retainAll(truth);
      right += named.size();
      possible.retainAll(truth);
      possible.removeAll(named);
      within += possible.size();
      truth.removeAll(named);
      truth.removeAll(possible);
      System.out.println(columns[0] + ": not named: " + truth + ", compiled: " + wrong);
    }
    System.out.printf(
        "%d failed; to look at: %d, of these %d failed; possible: %d more that failed%n",
        failed, firm, right, within);
  }

  private static Set<String> words(String column) {
    return column.isEmpty() ? new HashSet<>() : new HashSet<>(Arrays.asList(column.split(" ")));
  }

  private static void add(String json, Set<String> named, Set<String> possible) {
    words(SOURCES, json, named);
    words(POSSIBLE, json, possible);
    Matcher removed = REMOVED.matcher(json);
    Matcher gone = GONE.matcher(removed.find() ? removed.group(1) : "");
    while (gone.find()) {
      named.add((gone.group(2) == null ? gone.group(1) : gone.group(2)) + "()");
    }
  }

  private static void words(Pattern pattern, String json, Set<String> words) {
    Matcher lists = pattern.matcher(json);
    while (lists.find()) {
      for (String word : lists.group(1).split(",")) {
        if (!word.isEmpty()) {
          words.add(word.substring(1, word.length() - 1));
        }
      }
    }
  }
}
