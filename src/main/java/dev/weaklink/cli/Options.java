package dev.weaklink.cli;

import dev.weaklink.format.archive.DiskImage;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.IFactory;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.ParseResult;

/** Builders and readers of options; {@link CommandText} describes the options. */
final class Options {
    static final String NO_INITRAMFS = "--no-initramfs";
    static final String HELP = "--help";
    static final String DEBUG = "--debug";
    static final String COLOR = "--color";
    static final String VERBOSE = "--verbose";
    static final String QUIET = "--quiet";
    static final String STORE = "--store";

    static final String ROOT = "--root";
    private static final String JOBS = "--jobs";
    static final String NO_CACHE = "--no-cache";

    private static final int MAX_JOBS = 256;

    /** Creates the lists of values without picocli's own factory, which first searches every jar for Groovy. */
    static final IFactory FACTORY = new IFactory() {
        @Override
        public <T> T create(Class<T> type) throws Exception {
            return type == List.class
                    ? type.cast(new ArrayList<>())
                    : CommandLine.defaultFactory().create(type);
        }
    };

    private Options() {}

    static CommandSpec newSpec() {
        return CommandSpec.wrapWithoutInspection(null, FACTORY);
    }

    static OptionSpec flag(String... names) {
        return OptionSpec.builder(names).type(boolean.class).arity("0").build();
    }

    static OptionSpec value(String label, String... names) {
        return OptionSpec.builder(names)
                .type(String.class)
                .arity("1")
                .paramLabel(label)
                .build();
    }

    static OptionSpec choice(List<String> words, String... names) {
        return OptionSpec.builder(names)
                .type(String.class)
                .arity("1")
                .paramLabel(String.join("|", words))
                .completionCandidates(words)
                .build();
    }

    static OptionSpec values(String label, String name) {
        return values(label, List.of(), name);
    }

    static OptionSpec values(String label, List<String> candidates, String... names) {
        return OptionSpec.builder(names)
                .type(List.class)
                .auxiliaryTypes(String.class)
                .arity("1")
                .paramLabel(label)
                .completionCandidates(candidates)
                .build();
    }

    static PositionalParamSpec operands(String label) {
        return operands("0..*", "0..*", label, List.of());
    }

    static PositionalParamSpec operands(String index, String arity, String label, Iterable<String> candidates) {
        return operand(index, arity, label, candidates, List.class)
                .auxiliaryTypes(String.class)
                .build();
    }

    static PositionalParamSpec operand(String index, String arity, String label, Iterable<String> candidates) {
        return operand(index, arity, label, candidates, String.class).build();
    }

    private static PositionalParamSpec.Builder operand(
            String index, String arity, String label, Iterable<String> candidates, Class<?> type) {
        return PositionalParamSpec.builder()
                .index(index)
                .arity(arity)
                .required(arity.startsWith("1"))
                .type(type)
                .paramLabel(label)
                .completionCandidates(candidates);
    }

    static PositionalParamSpec action(List<String> words) {
        return operand("0", "1", String.join("|", words), words);
    }

    static void addCommon(CommandSpec spec) {
        spec.addOption(flag(DEBUG));
        spec.addOption(OptionSpec.builder("-h", HELP)
                .type(boolean.class)
                .arity("0")
                .usageHelp(true)
                .build());
    }

    static void addRoot(CommandSpec spec) {
        spec.addOption(value("DIR", ROOT));
    }

    static void addVerbose(CommandSpec spec) {
        spec.addOption(flag("-v", VERBOSE));
    }

    static void addNoInitramfs(CommandSpec spec) {
        spec.addOption(flag(NO_INITRAMFS));
    }

    static void addJobs(CommandSpec spec) {
        spec.addOption(value("N", "-j", JOBS));
    }

    static int jobs(ParseResult parsed) {
        String given = text(parsed, JOBS);
        String wrong = "--jobs takes a whole number, 1 or more, not '" + given + "'";
        return given == null ? Runtime.getRuntime().availableProcessors() : Math.min(number(given, 1, wrong), MAX_JOBS);
    }

    static int number(String given, int least, String wrong) {
        try {
            int number = Integer.parseInt(given);
            if (number >= least) {
                return number;
            }
        } catch (NumberFormatException e) {
            // reported below like a number that is too small
        }
        throw new UsageException(wrong);
    }

    static void addNoCache(CommandSpec spec) {
        spec.addOption(flag(NO_CACHE));
    }

    static void addColor(CommandSpec spec) {
        spec.addOption(choice(ColorChoice.WORDS, COLOR));
    }

    static @Nullable Path root(ParseResult parsed) {
        return directory(parsed, ROOT);
    }

    /**
     * Returns the directory that an option names, null if the option is absent.
     *
     * @throws UsageException if the value is not a directory
     */
    static @Nullable Path directory(ParseResult parsed, String name) {
        String given = text(parsed, name);
        try {
            Path directory = given == null ? null : Path.of(given);
            if (directory == null || Files.isDirectory(directory)) {
                return directory;
            }
        } catch (InvalidPathException e) {
            // an invalid path cannot be a directory
        }
        throw new UsageException(name + " " + given + ": " + whyNoDirectory(String.valueOf(given)));
    }

    private static String whyNoDirectory(String given) {
        try {
            DiskImage image = DiskImage.of(Path.of(given));
            return image == null ? "no such directory" : image.advice(given);
        } catch (InvalidPathException e) {
            return "no such directory";
        }
    }

    /**
     * Returns the path that an option names, null if the option is absent.
     *
     * @throws UsageException if the value is not a valid path
     */
    static @Nullable Path path(ParseResult parsed, String name) {
        String given = text(parsed, name);
        try {
            return given == null ? null : Path.of(given);
        } catch (InvalidPathException e) {
            throw new UsageException(name + " " + given + ": not a path");
        }
    }

    static boolean isSet(ParseResult parsed, String name) {
        return parsed.hasMatchedOption(name);
    }

    static @Nullable String text(ParseResult parsed, String name) {
        return parsed.matchedOptionValue(name, (String) null);
    }

    static List<String> texts(ParseResult parsed, String name) {
        return parsed.matchedOptionValue(name, List.<String>of());
    }

    static String word(ParseResult parsed, String name, List<String> words) {
        String given = text(parsed, name);
        if (given == null) {
            return words.get(0);
        }
        if (!words.contains(given)) {
            throw new UsageException(name + " takes " + String.join(", ", words) + "; not '" + given + "'");
        }
        return given;
    }

    static void addStore(CommandSpec spec) {
        spec.addOption(value("DIR", STORE));
        addRoot(spec);
    }

    static void addNames(CommandSpec spec, String label, String arity) {
        spec.addPositional(operands("0..*", arity, label, List.of()));
    }

    static List<String> names(ParseResult parsed) {
        return parsed.matchedPositionalValue(0, List.<String>of());
    }

    static @Nullable Path store(ParseResult parsed) {
        String given = text(parsed, STORE);
        if (given == null) {
            return null;
        }
        try {
            Path directory = Path.of(given);
            if (!given.isEmpty() && (Files.isDirectory(directory) || !Files.exists(directory))) {
                return directory.toAbsolutePath();
            }
        } catch (InvalidPathException e) {
            // an invalid path cannot be a directory
        }
        throw new UsageException(STORE + " '" + given + "' is not a directory");
    }
}
