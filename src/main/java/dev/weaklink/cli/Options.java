package dev.weaklink.cli;

import dev.weaklink.cache.CachePlace;
import dev.weaklink.cache.FactsCache;
import dev.weaklink.check.ReadOptions;
import dev.weaklink.check.result.ExitCode;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;

/** Options as every command declares and reads them. */
final class Options {
  static final String NO_INITRAMFS = "--no-initramfs";
  static final String HELP = "--help";
  static final String DEBUG = "--debug";
  static final String COLOR = "--color";

  /** Where facts are kept, for the manual. */
  static final Command.Entry CACHE_PLACE =
      new Command.Entry(
          "/var/cache/weaklink/facts, for others than root ~/.cache/weaklink/facts",
          "Module metadata cache; entries count only for a file whose device, inode, size,"
              + " modification and change times are what they were. Can be deleted at any time. Not"
              + " used if anybody else could write there, nor with --root DIR.");

  /** What says otherwise, for the manual. */
  static final Command.Entry CACHE_VARIABLE =
      new Command.Entry(
          CachePlace.VARIABLE,
          "off to use no module metadata cache, as with --no-cache; or the absolute path of another"
              + " directory for it, which counts with --root DIR, too, unless it lies below DIR.");

  private static final String ROOT = "--root";
  private static final String JOBS = "--jobs";
  private static final String NO_CACHE = "--no-cache";

  /** Options that say how something is done, and make no difference to what comes of it. */
  static final List<String> ABOUT_EFFORT = List.of(JOBS, NO_CACHE);

  private static final int MAX_JOBS = 256;

  private Options() {}

  /** A switch. */
  static OptionSpec flag(String description, String... names) {
    return OptionSpec.builder(names)
        .type(boolean.class)
        .arity("0")
        .description(description)
        .build();
  }

  /** An option that takes one value and is given once. */
  static OptionSpec value(String label, String description, String... names) {
    return OptionSpec.builder(names)
        .type(String.class)
        .arity("1")
        .paramLabel(label)
        .description(description)
        .build();
  }

  /** An option that takes one of a few words. */
  static OptionSpec choice(List<String> words, String description, String... names) {
    return OptionSpec.builder(names)
        .type(String.class)
        .arity("1")
        .paramLabel(String.join("|", words))
        .completionCandidates(words)
        .description(description)
        .build();
  }

  /** An option that takes one value and may be given again and again. */
  static OptionSpec values(
      String label, List<String> candidates, String description, String... names) {
    return OptionSpec.builder(names)
        .type(List.class)
        .auxiliaryTypes(String.class)
        .arity("1")
        .paramLabel(label)
        .completionCandidates(candidates)
        .description(description)
        .build();
  }

  /** The options every command has. */
  static void addCommon(CommandSpec spec) {
    spec.addOption(flag("Print a stack trace on internal errors.", DEBUG));
    spec.addOption(
        OptionSpec.builder("-h", HELP)
            .type(boolean.class)
            .arity("0")
            .usageHelp(true)
            .description("Show this help.")
            .build());
  }

  static void addRoot(CommandSpec spec) {
    spec.addOption(
        value("DIR", "Use DIR as the root directory instead of the host's. Default: /.", ROOT));
  }

  static void addNoInitramfs(CommandSpec spec) {
    spec.addOption(flag("Leave initramfs images alone.", NO_INITRAMFS));
  }

  static void addJobs(CommandSpec spec) {
    spec.addOption(value("N", "Use N threads. Default: one for every processor.", "-j", JOBS));
  }

  /** The words that give an option as it was given, none if it was not. */
  static List<String> words(ParseResult parsed, String name) {
    List<String> words = new ArrayList<>();
    OptionSpec option = parsed.matchedOption(name);
    if (option != null) {
      boolean isFlag = option.arity().max() == 0;
      option.originalStringValues().forEach(one -> words.add(isFlag ? name : name + "=" + one));
    }
    return words;
  }

  static int jobs(ParseResult parsed) {
    String number = text(parsed, JOBS);
    if (number == null) {
      return Runtime.getRuntime().availableProcessors();
    }
    try {
      int jobs = Integer.parseInt(number);
      if (jobs >= 1) {
        return Math.min(jobs, MAX_JOBS);
      }
    } catch (NumberFormatException e) {
      // the same to the one who typed it
    }
    throw new UsageException("--jobs takes a number of 1 or more, not '" + number + "'");
  }

  static void addNoCache(CommandSpec spec) {
    spec.addOption(
        flag(
            "Read every module again and write no cache. Default: an unchanged file is not read"
                + " again.",
            NO_CACHE));
  }

  /**
   * How modules are to be read.
   *
   * @throws UsageException if the number of threads is none, or the root no directory
   */
  static ReadOptions reading(ParseResult parsed, Console console) {
    FactsCache cache =
        isSet(parsed, NO_CACHE)
            ? FactsCache.NONE
            : CachePlace.open(console.environment(), root(parsed));
    return new ReadOptions(jobs(parsed), cache);
  }

  static void addColor(CommandSpec spec) {
    spec.addOption(
        choice(ColorChoice.WORDS, "Colour the table. Default: auto, on a terminal only.", COLOR));
  }

  /**
   * The directory given as root, null if none was.
   *
   * @throws UsageException if it is no directory
   */
  static @Nullable Path root(ParseResult parsed) {
    String directory = text(parsed, ROOT);
    if (directory == null) {
      return null;
    }
    try {
      Path root = Path.of(directory);
      if (Files.isDirectory(root)) {
        return root;
      }
    } catch (InvalidPathException e) {
      // no directory can have such a name
    }
    throw new UsageException("--root " + directory + ": no such directory");
  }

  /** Whether a switch was given. */
  static boolean isSet(ParseResult parsed, String name) {
    return parsed.hasMatchedOption(name);
  }

  /** The value of an option, null if it was not given. */
  static @Nullable String text(ParseResult parsed, String name) {
    return parsed.matchedOptionValue(name, (String) null);
  }

  /** The values of a repeatable option, in order. */
  static List<String> texts(ParseResult parsed, String name) {
    return parsed.matchedOptionValue(name, List.<String>of());
  }

  /**
   * The word given for an option.
   *
   * @throws UsageException if it is none of those
   */
  static String word(ParseResult parsed, String name, List<String> words) {
    String given = text(parsed, name);
    if (given == null) {
      return words.get(0);
    }
    if (!words.contains(given)) {
      throw new UsageException(
          name + " takes " + String.join(", ", words) + "; not '" + given + "'");
    }
    return given;
  }

  /** The exit statuses, for help texts, of a command that judges. */
  static Map<String, String> exitCodes() {
    Map<String, String> list = new LinkedHashMap<>();
    for (ExitCode code : ExitCode.values()) {
      if (code == ExitCode.ROLLED_BACK) {
        break;
      }
      list.put(Integer.toString(code.number()), code.meaning());
    }
    return list;
  }

  /** The exit statuses, for help texts, of a command that does not judge. */
  static Map<String, String> plainExitCodes(String success) {
    Map<String, String> list = new LinkedHashMap<>();
    list.put(Integer.toString(ExitCode.COMPATIBLE.number()), success);
    list.put(
        Integer.toString(ExitCode.UNUSABLE.number()),
        "wrong usage, or input that could not be read");
    return list;
  }
}
