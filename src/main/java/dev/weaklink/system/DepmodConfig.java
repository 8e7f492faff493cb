package dev.weaklink.system;

import dev.weaklink.sys.InputProblem;
import dev.weaklink.sys.IoReason;
import dev.weaklink.sys.Root;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.StringTokenizer;
import java.util.TreeMap;
import java.util.function.BiConsumer;

/**
 * The depmod.d(5) configuration for one kernel, as kmod's depmod reads it (tools/depmod.c, cfg_load; observed with kmod
 * 30). Like kmod, weaklink ignores the old file /etc/depmod.conf.
 *
 * @param search the directories below the kernel's directory, in the order of the search. {@link #BUILT_IN} stands for
 *     all directories that are not listed, {@link #EXTERNAL} for the external directories. If {@link #BUILT_IN} is
 *     missing, the directories that are not listed come last
 * @param overrides the overrides as {@code SUBDIR/MODULE}, the strongest first
 * @param externals the absolute paths of the external directories, the strongest first
 * @param excludes the names of files and directories that depmod skips in addition to build and source
 * @param problems the wholly or partly ignored lines, and the unreadable files and directories
 */
record DepmodConfig(
        List<String> search,
        List<String> overrides,
        List<String> externals,
        List<String> excludes,
        List<InputProblem> problems) {
    public static final String BUILT_IN = "built-in";
    public static final String EXTERNAL = "external";

    public static final DepmodConfig DEFAULT =
            new DepmodConfig(List.of("updates", BUILT_IN), List.of(), List.of(), List.of(), List.of());

    public DepmodConfig {
        search = List.copyOf(search);
        overrides = List.copyOf(overrides);
        externals = List.copyOf(externals);
        excludes = List.copyOf(excludes);
        problems = List.copyOf(problems);
    }

    public static DepmodConfig read(Root root, String release) {
        List<InputProblem> problems = new ArrayList<>();
        DepmodConfigParser parser = new DepmodConfigParser(release, problems);
        new ConfigLines(root, problems, parser::line).read("depmod.d");
        return parser.config();
    }

    /** Parses depmod.d(5) commands for one kernel release; invalid lines become problems. */
    private static final class DepmodConfigParser {
        private final ReleasePattern release;
        private final List<InputProblem> problems;
        private final List<String> search = new ArrayList<>();
        private final List<String> overrides = new ArrayList<>();
        private final List<String> externals = new ArrayList<>();
        private final List<String> excludes = new ArrayList<>();

        DepmodConfigParser(String release, List<InputProblem> problems) {
            this.release = new ReleasePattern(release);
            this.problems = problems;
        }

        /** Parses one line, with its continuation lines already joined. A comment must start in the first column. */
        void line(String where, String line) {
            if (line.startsWith("#")) {
                return;
            }
            List<String> words = words(line);
            if (words.isEmpty()) {
                return;
            }
            try {
                command(where, words);
            } catch (IllegalArgumentException e) {
                problems.add(new InputProblem(where, "line ignored: " + e.getMessage(), true));
            }
        }

        DepmodConfig config() {
            List<String> order = search.isEmpty() ? DepmodConfig.DEFAULT.search() : search;
            // The last override in the files is the strongest.
            Collections.reverse(overrides);
            return new DepmodConfig(order, overrides, externals, excludes, problems);
        }

        private void command(String where, List<String> words) {
            switch (words.get(0)) {
                case "search":
                    search.addAll(words.subList(1, words.size()));
                    break;
                case "override":
                    override(words);
                    break;
                case "external":
                    external(where, words);
                    break;
                case "exclude":
                    excludes.addAll(words.subList(1, words.size()));
                    break;
                case "include", "make_map_files":
                    problems.add(new InputProblem(where, "command " + words.get(0) + " is not implemented", true));
                    break;
                default:
                    throw new IllegalArgumentException("unknown command " + words.get(0));
            }
        }

        private void override(List<String> words) {
            if (words.size() < 4) {
                throw new IllegalArgumentException("override needs a module, a kernel and a directory");
            }
            if (release.matches(words.get(2))) {
                overrides.add(words.get(3) + "/" + words.get(1));
            }
        }

        /**
         * Adds an external directory. The manual page allows several directories on a line, but depmod reads only the
         * first.
         */
        private void external(String where, List<String> words) {
            if (words.size() < 3) {
                throw new IllegalArgumentException("external needs a kernel and a directory");
            }
            if (!release.matches(words.get(1))) {
                return;
            }
            if (!words.get(2).startsWith("/")) {
                throw new IllegalArgumentException("external directory is not absolute");
            }
            externals.add(words.get(2));
            if (words.size() > 3) {
                problems.add(
                        new InputProblem(where, "depmod reads only the first directory of an external line", true));
            }
        }

        private static List<String> words(String line) {
            StringTokenizer tokens = new StringTokenizer(line, " \t");
            List<String> words = new ArrayList<>();
            while (tokens.hasMoreTokens()) {
                words.add(tokens.nextToken());
            }
            return words;
        }
    }

    /** Reads the lines of depmod.d(5) files in kmod's order (libkmod-config.c: conf_files_list). */
    private static final class ConfigLines {
        /**
         * The parent directories of {@code depmod.d} in order of precedence: a file hides files of the same name in
         * later directories.
         */
        private static final List<String> DIRECTORIES =
                List.of("/etc/", "/run/", "/usr/local/lib/", "/lib/", "/usr/lib/");

        private static final long MAX_FILE_SIZE = 1 << 20;

        private final Root root;
        private final List<InputProblem> problems;
        private final BiConsumer<String, String> lines;

        public ConfigLines(Root root, List<InputProblem> problems, BiConsumer<String, String> lines) {
            this.root = root;
            this.problems = problems;
            this.lines = lines;
        }

        public void read(String name) {
            Map<String, String> directoryOf = new TreeMap<>();
            for (String above : DIRECTORIES) {
                for (String file : configFiles(above + name)) {
                    directoryOf.putIfAbsent(file, above + name);
                }
            }
            for (Map.Entry<String, String> file : directoryOf.entrySet()) {
                readFile(file.getValue() + "/" + file.getKey());
            }
        }

        private List<String> configFiles(String directory) {
            List<String> names = new ArrayList<>();
            try (DirectoryStream<Path> entries = Files.newDirectoryStream(root.resolve(directory))) {
                for (Path entry : entries) {
                    String name = String.valueOf(entry.getFileName());
                    if (name.endsWith(".conf") && !name.startsWith(".")) {
                        names.add(name);
                    }
                }
            } catch (NoSuchFileException | NotDirectoryException e) {
                // Most systems have only one or two of the directories.
            } catch (DirectoryIteratorException e) {
                problems.add(new InputProblem(
                        directory, "cannot be listed: " + IoReason.of(Objects.requireNonNull(e.getCause()))));
            } catch (IOException e) {
                problems.add(new InputProblem(directory, "cannot be listed: " + IoReason.of(e)));
            }
            return names;
        }

        private void readFile(String inside) {
            try {
                Path file = root.resolve(inside);
                BasicFileAttributes attributes = Files.readAttributes(file, BasicFileAttributes.class);
                if (!attributes.isRegularFile()) {
                    // A link to /dev/null is the usual way to hide a file of a later directory.
                    return;
                }
                if (attributes.size() > MAX_FILE_SIZE) {
                    problems.add(
                            new InputProblem(inside, "file ignored: larger than " + (MAX_FILE_SIZE >> 20) + " MiB"));
                    return;
                }
                parse(inside, new String(Files.readAllBytes(file), StandardCharsets.UTF_8));
            } catch (IOException e) {
                problems.add(new InputProblem(inside, "cannot be read: " + IoReason.of(e)));
            }
        }

        private void parse(String inside, String text) throws IOException {
            BufferedReader reader = new BufferedReader(new StringReader(text));
            int number = 0;
            String line = reader.readLine();
            while (line != null) {
                int first = ++number;
                StringBuilder joined = new StringBuilder();
                while (line != null && line.endsWith("\\")) {
                    joined.append(line, 0, line.length() - 1);
                    line = reader.readLine();
                    number++;
                }
                lines.accept(
                        inside + ":" + first,
                        joined.append(line == null ? "" : line).toString());
                line = reader.readLine();
            }
        }
    }
}
