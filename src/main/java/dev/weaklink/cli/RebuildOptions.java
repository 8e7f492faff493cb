package dev.weaklink.cli;

import dev.weaklink.rebuild.Backends;
import dev.weaklink.rebuild.Job;
import dev.weaklink.rebuild.run.RebuildRequest;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/** What {@code rebuild} takes. */
final class RebuildOptions {
  static final String KERNEL = "--kernel";
  private static final String PRODUCT = "--product";
  private static final String BUNDLE = "--bundle";
  private static final String BACKEND = "--backend";
  private static final String PACKAGE = "--package";
  private static final String BUILD_TREE = "--build-tree";
  private static final String WORK = "--work";
  private static final String OUTPUT = "--output";
  private static final String DISTRO = "--distro";
  private static final String SKIP_REPO = "--skip-repo";
  private static final String NO_KMP = "--no-kmp";
  private static final String RESULTS = "--results";
  private static final String SET = "--set";
  private static final String ALLOW_MISSING = "--allow-missing";
  private static final String TIME_LIMIT = "--time-limit";
  private static final int DEFAULT_MINUTES = 120;

  private RebuildOptions() {}

  static void addTo(CommandSpec spec) {
    spec.addOption(Options.value("K", KERNEL));
    spec.addOption(Options.value("P", PRODUCT));
    spec.addOption(Options.value("PATH", BUNDLE));
    Options.addRoot(spec);
    spec.addOption(Options.choice(Backends.ids(), BACKEND));
    spec.addOption(Options.values("NAME[/VERSION]", PACKAGE));
    spec.addOption(Options.value("DIR", BUILD_TREE));
    spec.addOption(Options.value("DIR", WORK));
    spec.addOption(Options.value("MINUTES", TIME_LIMIT));
    spec.addOption(Options.values("MODULE[,MODULE...]", ALLOW_MISSING));
    spec.addOption(Options.value("NAME", DISTRO));
    spec.addOption(Options.value("DIR", OUTPUT));
    spec.addOption(Options.flag(SKIP_REPO));
    spec.addOption(Options.flag(NO_KMP));
    spec.addOption(Options.value("DIR", RESULTS));
    spec.addOption(Options.values("NAME=VALUE", SET));
    spec.addPositional(Options.operands("WORD"));
  }

  /**
   * What was asked.
   *
   * @throws UsageException if the kernel is missing, or a path or word makes no sense
   */
  static RebuildRequest request(ParseResult parsed, Console console) {
    String kernel = kernel(parsed);
    String backend = Options.text(parsed, BACKEND);
    Path results = Options.path(parsed, RESULTS);
    List<String> words = parsed.matchedPositionalValue(0, List.<String>of());
    boolean own = "command".equals(backend);
    return new RebuildRequest(
        Options.root(parsed),
        kernel,
        Options.text(parsed, PRODUCT),
        Options.path(parsed, BUNDLE),
        backend == null ? null : Options.word(parsed, BACKEND, Backends.ids()),
        Options.texts(parsed, PACKAGE),
        Options.path(parsed, BUILD_TREE),
        Options.path(parsed, WORK),
        new Job.Settings(
            Options.text(parsed, DISTRO),
            Options.isSet(parsed, SKIP_REPO),
            !Options.isSet(parsed, NO_KMP),
            own ? List.of() : words),
        new Job.OwnCommand(
            own ? words : List.of(),
            variables(parsed),
            results == null ? null : results.toAbsolutePath().normalize().toString()),
        allowedMissing(parsed),
        console.environment(),
        Options.jobs(parsed));
  }

  /**
   * The release to build for.
   *
   * @throws UsageException if none was given, or it is none
   */
  static String kernel(ParseResult parsed) {
    String kernel = Options.text(parsed, KERNEL);
    if (kernel == null || kernel.isEmpty()) {
      throw new UsageException("--kernel K is required: the release to build for");
    }
    if (kernel.startsWith(".") || kernel.startsWith("-") || kernel.indexOf('/') >= 0) {
      throw new UsageException("--kernel " + kernel + ": not a kernel release");
    }
    return kernel;
  }

  /** Where the result is to be offered to others, null if nowhere. */
  static @Nullable Path output(ParseResult parsed) {
    return Options.path(parsed, OUTPUT);
  }

  /**
   * How long a build may take.
   *
   * @throws UsageException if what was given is no number of at least 1
   */
  static Duration limit(ParseResult parsed) {
    String given = Options.text(parsed, TIME_LIMIT);
    String wrong = TIME_LIMIT + " takes a number of minutes, not '" + given + "'";
    return Duration.ofMinutes(given == null ? DEFAULT_MINUTES : Options.number(given, 1, wrong));
  }

  /** Names, with commas between them or in options of their own. */
  private static List<String> allowedMissing(ParseResult parsed) {
    List<String> names = new ArrayList<>();
    for (String given : Options.texts(parsed, ALLOW_MISSING)) {
      for (String name : given.split(",", -1)) {
        if (!isName(name)) {
          throw new UsageException(
              ALLOW_MISSING + " takes names of modules, such as mlx4_core; not '" + given + "'");
        }
        names.add(name);
      }
    }
    return names;
  }

  /** No pattern, and no file. */
  private static boolean isName(String name) {
    for (int i = 0; i < name.length(); i++) {
      char c = name.charAt(i);
      if (!(Character.isLetterOrDigit(c) || c == '_' || c == '-' || c == '+')) {
        return false;
      }
    }
    return !name.isEmpty();
  }

  private static Map<String, String> variables(ParseResult parsed) {
    Map<String, String> variables = new TreeMap<>();
    for (String setting : Options.texts(parsed, SET)) {
      int equals = setting.indexOf('=');
      if (equals < 1 || setting.indexOf(0) >= 0) {
        throw new UsageException(SET + " takes NAME=VALUE, not '" + setting + "'");
      }
      variables.put(setting.substring(0, equals), setting.substring(equals + 1));
    }
    return variables;
  }
}
