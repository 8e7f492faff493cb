package dev.weaklink.rules.yaml;

import dev.weaklink.rules.KernelRequirements;
import dev.weaklink.sys.IoReason;
import dev.weaklink.sys.Root;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
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

  /**
   * Reads which kernels have to be served.
   *
   * @param problems takes what is wrong with the file
   * @return null if it cannot be used
   */
  public static @Nullable KernelRequirements requirements(Path file, List<RuleProblem> problems) {
    Problems wrong = new Problems(file.toString());
    String text = RuleText.of(file, wrong);
    KernelRequirements read = text == null ? null : RuleFileParser.requirements(text, wrong);
    problems.addAll(wrong.found());
    return wrong.found().isEmpty() ? read : null;
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

  /** Gets the text of rule files. What cannot be had is null, and there is a problem about it. */
  private static final class RuleText {
    /** Those that come with the program have a few kilobytes. */
    private static final int MAX_SIZE = 128 << 10;

    private static final String SHIPPED = "/rules/";

    private RuleText() {}

    /** One that comes with the program. */
    static @Nullable String shipped(String name, Problems problems) {
      try (InputStream in = RuleText.class.getResourceAsStream(SHIPPED + name)) {
        if (in != null) {
          return text(in, problems);
        }
        problems.add(Place.WHOLE, "is not part of this installation; install weaklink again");
      } catch (IOException e) {
        problems.add(Place.WHOLE, "cannot be read: " + IoReason.of(e));
      }
      return null;
    }

    static @Nullable String of(Path file, Problems problems) {
      try {
        BasicFileAttributes attributes = Files.readAttributes(file, BasicFileAttributes.class);
        if (!attributes.isRegularFile()) {
          problems.add(Place.WHOLE, "is not a regular file");
          return null;
        }
        try (InputStream in = Files.newInputStream(file)) {
          return text(in, problems);
        }
      } catch (IOException e) {
        problems.add(Place.WHOLE, "cannot be read: " + IoReason.of(e));
        return null;
      }
    }

    private static @Nullable String text(InputStream in, Problems problems) throws IOException {
      byte[] bytes = in.readNBytes(MAX_SIZE + 1);
      if (bytes.length > MAX_SIZE) {
        problems.add(Place.WHOLE, "is larger than " + MAX_SIZE + " bytes; use several files");
        return null;
      }
      try {
        return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
      } catch (CharacterCodingException e) {
        problems.add(Place.WHOLE, "is not UTF-8; write it in UTF-8");
        return null;
      }
    }
  }

  /** Finds the rule files of a site. */
  private static final class SiteFiles {
    static final String DIRECTORY = "/etc/weaklink";

    private static final String SUFFIX = ".yaml";
    private static final int MAX_FILES = 200;

    private final Root root;
    private final List<RuleProblem> problems;

    /**
     * @param problems gets what is wrong with the directory
     */
    SiteFiles(Root root, List<RuleProblem> problems) {
      this.root = root;
      this.problems = problems;
    }

    /** The names of the files, sorted. */
    List<String> names() {
      List<String> names = new ArrayList<>();
      try (DirectoryStream<Path> entries = Files.newDirectoryStream(root.resolve(DIRECTORY))) {
        for (Path entry : entries) {
          add(names, String.valueOf(entry.getFileName()));
        }
      } catch (NoSuchFileException e) {
        // The usual case: a site without rules of its own.
      } catch (DirectoryIteratorException e) {
        problem(DIRECTORY, "cannot be listed: " + e.getMessage());
      } catch (IOException e) {
        problem(DIRECTORY, "cannot be listed: " + IoReason.of(e));
      }
      if (names.size() > MAX_FILES) {
        problem(DIRECTORY, "has more than " + MAX_FILES + " rule files; join some");
        names.clear();
      }
      names.sort(null);
      return names;
    }

    private void add(List<String> names, String name) {
      String lower = name.toLowerCase(Locale.ROOT);
      if (name.startsWith(".") || !(lower.endsWith(SUFFIX) || lower.endsWith(".yml"))) {
        return;
      }
      if (name.endsWith(SUFFIX)) {
        names.add(name);
      } else {
        problem(inside(name), "would not be read; let its name end in " + SUFFIX);
      }
    }

    private void problem(String file, String message) {
      problems.add(new RuleProblem(file, 0, 0, message));
    }

    /** How a file is seen from inside the root. */
    static String inside(String name) {
      return DIRECTORY + "/" + name;
    }

    /** Whether a file is only there to hide the one of that name that comes with the program. */
    boolean isMask(String name) throws IOException {
      Path file = root.resolve(DIRECTORY).resolve(name);
      return Files.isSymbolicLink(file)
          && Files.readSymbolicLink(file).equals(Path.of("/dev/null"));
    }

    Path path(String name) throws IOException {
      return root.resolve(inside(name));
    }
  }
}
