package dev.weaklink.rules.yaml;

import dev.weaklink.sys.IoReason;
import dev.weaklink.sys.Root;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads rules: first the files that come with the program, then those of the site, each group
 * sorted by name. A file of the site hides the one of the same name that comes with the program.
 */
public final class RulesReader {
  /** What comes with the program; a directory in a jar cannot be listed. */
  static final List<String> SHIPPED =
      List.of("doca-ofed.yaml", "generic.yaml", "mlnx-en.yaml", "mlnx-ofed.yaml");

  private static final String SHIPPED_DIRECTORY = "rules/";

  private final List<RuleProblem> problems = new ArrayList<>();
  private final List<String> files = new ArrayList<>();
  private final RulesMerger merger = new RulesMerger();

  private RulesReader() {}

  /** Reads the rules that are in force in a root: its site is {@code /etc/weaklink} there. */
  public static RulesResult read(Root root) {
    RulesReader reader = new RulesReader();
    SiteFiles site = new SiteFiles(root, reader.problems);
    List<String> names = site.names();
    reader.readShipped(names);
    for (String name : names) {
      reader.readSite(site, name);
    }
    return reader.result();
  }

  /**
   * Reads files as if they, and no others, were the site's.
   *
   * @param paths files of the host; each is called in messages as it is given here
   */
  public static RulesResult readFiles(List<Path> paths) {
    RulesReader reader = new RulesReader();
    Set<String> names = new HashSet<>();
    for (Path path : paths) {
      names.add(String.valueOf(path.getFileName()));
    }
    reader.readShipped(names);
    for (Path path : paths) {
      reader.readFile(path.toString(), path);
    }
    return reader.result();
  }

  private void readShipped(Collection<String> hidden) {
    for (String name : SHIPPED) {
      if (!hidden.contains(name)) {
        String label = SHIPPED_DIRECTORY + name;
        Problems wrong = new Problems(label);
        add(label, RuleText.shipped(name, wrong), wrong);
      }
    }
  }

  private void readSite(SiteFiles site, String name) {
    String label = SiteFiles.inside(name);
    try {
      if (!site.isMask(name)) {
        readFile(label, site.path(name));
      }
    } catch (IOException e) {
      problems.add(new RuleProblem(label, 0, 0, "cannot be read: " + IoReason.of(e)));
    }
  }

  private void readFile(String label, Path path) {
    Problems wrong = new Problems(label);
    add(label, RuleText.of(path, wrong), wrong);
  }

  private void add(String label, @Nullable String text, Problems wrong) {
    if (text != null) {
      files.add(label);
      merger.add(RuleFileParser.parse(label, text, wrong));
    }
    problems.addAll(wrong.found());
  }

  private RulesResult result() {
    if (problems.isEmpty()) {
      problems.addAll(merger.problems());
    }
    return problems.isEmpty()
        ? new RulesResult.Good(merger.rules(), files)
        : new RulesResult.Bad(problems);
  }
}
