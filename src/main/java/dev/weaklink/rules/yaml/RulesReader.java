package dev.weaklink.rules.yaml;

import dev.weaklink.rules.Attributed;
import dev.weaklink.rules.KernelRequirements;
import dev.weaklink.rules.Product;
import dev.weaklink.rules.Product.Recognition;
import dev.weaklink.rules.Rules;
import dev.weaklink.rules.yaml.Problems.TextPlace;
import dev.weaklink.rules.yaml.RuleSection.RuleKey;
import dev.weaklink.sys.IoReason;
import dev.weaklink.sys.Root;
import dev.weaklink.sys.Similar;
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
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads rule files: first the files that weaklink ships, then the files of the site. {@link #read} sorts both by name.
 * A file of the site hides the shipped file of the same name.
 */
public final class RulesReader {
    /** The names of the shipped files; Java cannot list a directory in a jar. */
    static final List<String> SHIPPED = List.of("doca-ofed.yaml", "generic.yaml", "mlnx-en.yaml", "mlnx-ofed.yaml");

    private static final String SHIPPED_DIRECTORY = "rules/";

    private final List<RuleProblem> problems = new ArrayList<>();
    private final List<String> files = new ArrayList<>();
    private final RulesMerger merger = new RulesMerger();

    private RulesReader() {}

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
     * Reads the files that weaklink ships, and the given files instead of the site's files. A given file hides the
     * shipped file of the same name.
     *
     * @param paths the paths on this machine, not below the root directory; messages name each file as it is given here
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
     * Reads the kernels that builds have to support.
     *
     * @param problems receives the problems of the file
     * @return null if the file has any problem
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
            RuleSection file = RuleFileParser.parse(text, wrong);
            if (file != null) {
                merger.add(file);
            }
        }
        problems.addAll(wrong.found());
    }

    private RulesResult result() {
        if (problems.isEmpty()) {
            problems.addAll(merger.problems());
        }
        return problems.isEmpty() ? new RulesResult.Good(merger.rules(), files) : new RulesResult.Bad(problems);
    }

    /** Loads the texts of rule files. If a file cannot be used, a method returns null and adds a problem. */
    private static final class RuleText {
        /** The maximum size of a file in bytes; the program's own files have a few kilobytes. */
        private static final int MAX_SIZE = 128 << 10;

        private static final String SHIPPED = "/rules/";

        private RuleText() {}

        static @Nullable String shipped(String name, Problems problems) {
            try (InputStream in = RuleText.class.getResourceAsStream(SHIPPED + name)) {
                if (in != null) {
                    return text(in, problems);
                }
                problems.add(TextPlace.WHOLE, "is not part of this installation; install weaklink again");
            } catch (IOException e) {
                problems.add(TextPlace.WHOLE, "cannot be read: " + IoReason.of(e));
            }
            return null;
        }

        static @Nullable String of(Path file, Problems problems) {
            try {
                BasicFileAttributes attributes = Files.readAttributes(file, BasicFileAttributes.class);
                if (!attributes.isRegularFile()) {
                    problems.add(TextPlace.WHOLE, "is not a regular file");
                    return null;
                }
                try (InputStream in = Files.newInputStream(file)) {
                    return text(in, problems);
                }
            } catch (IOException e) {
                problems.add(TextPlace.WHOLE, "cannot be read: " + IoReason.of(e));
                return null;
            }
        }

        private static @Nullable String text(InputStream in, Problems problems) throws IOException {
            byte[] bytes = in.readNBytes(MAX_SIZE + 1);
            if (bytes.length > MAX_SIZE) {
                problems.add(TextPlace.WHOLE, "is larger than " + MAX_SIZE + " bytes; use several files");
                return null;
            }
            try {
                return StandardCharsets.UTF_8
                        .newDecoder()
                        .decode(ByteBuffer.wrap(bytes))
                        .toString();
            } catch (CharacterCodingException e) {
                problems.add(TextPlace.WHOLE, "is not UTF-8; write it in UTF-8");
                return null;
            }
        }
    }

    private record SiteFiles(Root root, List<RuleProblem> problems) {
        static final String DIRECTORY = "/etc/weaklink";

        private static final String SUFFIX = ".yaml";
        private static final int MAX_FILES = 200;

        List<String> names() {
            List<String> names = new ArrayList<>();
            try (DirectoryStream<Path> entries = Files.newDirectoryStream(root.resolve(DIRECTORY))) {
                for (Path entry : entries) {
                    add(names, String.valueOf(entry.getFileName()));
                }
            } catch (NoSuchFileException e) {
                // The usual case: a site without its own rules.
            } catch (DirectoryIteratorException e) {
                problem(DIRECTORY, "cannot be listed: " + e.getMessage());
            } catch (IOException e) {
                problem(DIRECTORY, "cannot be listed: " + IoReason.of(e));
            }
            if (names.size() > MAX_FILES) {
                problem(DIRECTORY, "has more than " + MAX_FILES + " rule files, so none of them is read; join some");
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
                problem(inside(name), "would not be read; rename it so that its name ends in " + SUFFIX);
            }
        }

        private void problem(String file, String message) {
            problems.add(new RuleProblem(file, 0, 0, message));
        }

        static String inside(String name) {
            return DIRECTORY + "/" + name;
        }

        /** Returns whether a file is a symlink to /dev/null, which only hides the program's file of the same name. */
        boolean isMask(String name) throws IOException {
            Path file = root.resolve(DIRECTORY).resolve(name);
            return Files.isSymbolicLink(file) && Files.readSymbolicLink(file).equals(Path.of("/dev/null"));
        }

        Path path(String name) throws IOException {
            return root.resolve(inside(name));
        }
    }

    /**
     * Merges files. A later file takes precedence over an earlier file: its rules are tried first, and so are its
     * products that have {@code recognise}. If both files set a property of a product, the later value counts.
     */
    static final class RulesMerger {
        /** The files, the last one first. */
        private final List<RuleSection> files = new ArrayList<>();

        private final Map<String, RuleSection> products = new LinkedHashMap<>();

        private final List<String> order = new ArrayList<>();

        void add(RuleSection file) {
            files.add(0, file);
            List<String> recognised = new ArrayList<>();
            for (RuleSection product : file.list(RuleFileParser.PRODUCTS)) {
                String id = product.get(RuleFileParser.ID, "");
                if (product.has(RuleFileParser.RECOGNISE)) {
                    recognised.add(id);
                }
                RuleSection earlier = products.put(id, product);
                if (earlier != null) {
                    product.inherit(earlier);
                }
            }
            order.removeAll(recognised);
            order.addAll(0, recognised);
        }

        List<RuleProblem> problems() {
            List<RuleProblem> problems = new ArrayList<>();
            products.forEach((id, product) -> {
                if (!id.equals(Product.GENERIC)
                        && product.get(RuleFileParser.RECOGNISE, Recognition.NONE)
                                .isEmpty()) {
                    problems.add(
                            product.lateProblem("no rule says how to recognise product '" + id + "'" + advice(id)));
                }
            });
            return problems;
        }

        private String advice(String id) {
            List<String> others = new ArrayList<>(products.keySet());
            others.remove(id);
            String suggestion = Similar.nearest(id, others);
            return suggestion.isEmpty() ? "; give it 'recognise'" : suggestion;
        }

        /** Returns the merged rules; valid only if {@link #problems} is empty. */
        Rules rules() {
            RuleSection common = products.get(Product.GENERIC);
            Product generic = common == null ? Product.DEFAULT : product(common, Product.DEFAULT);
            return new Rules(
                    order.stream()
                            .map(id -> product(Objects.requireNonNull(products.get(id)), generic))
                            .toList(),
                    generic,
                    all(RuleFileParser.IGNORE),
                    all(RuleFileParser.PIN),
                    all(RuleFileParser.UNDETERMINED),
                    all(RuleFileParser.SYMBOLS),
                    all(RuleFileParser.FINDINGS));
        }

        private <T> List<T> all(RuleKey<List<T>> key) {
            return files.stream().flatMap(file -> file.list(key).stream()).toList();
        }

        /**
         * Returns the product that a section describes. If the section does not set all-or-nothing, provider, link or
         * undetermined, the product inherits the value of {@code other}. Other values are not inherited.
         */
        private static Product product(RuleSection section, Product other) {
            String id = section.get(RuleFileParser.ID, "");
            return new Product(
                    id,
                    section.attributed(RuleFileParser.TITLE, Attributed.byDefault(id)),
                    section.get(RuleFileParser.RECOGNISE, Recognition.NONE),
                    section.attributed(RuleFileParser.REQUIRED, Attributed.byDefault(List.of())),
                    section.attributed(RuleFileParser.ALL_OR_NOTHING, other.allOrNothing()),
                    section.attributed(RuleFileParser.PREFERENCE, other.provider()),
                    section.attributed(RuleFileParser.MAY_BREAK, Attributed.byDefault(List.of())),
                    section.attributed(RuleFileParser.LINK, other.link()),
                    section.attributed(RuleFileParser.UNDETERMINED_POLICY, other.undetermined()),
                    section.attributed(RuleFileParser.REBUILD));
        }
    }

    /** The result of reading rule files: the rules, or the problems if there are any. */
    public sealed interface RulesResult {
        /**
         * The result if all files are valid.
         *
         * @param rules the rules in force
         * @param files the files that contain the rules, in the order in which they were read
         */
        record Good(Rules rules, List<String> files) implements RulesResult {
            public Good {
                files = List.copyOf(files);
            }
        }

        /**
         * The result if any file has a problem. The caller must not act, because a rule that could not be parsed might
         * have forbidden the action.
         *
         * @param problems at least one problem
         */
        record Bad(List<RuleProblem> problems) implements RulesResult {
            public Bad {
                problems = List.copyOf(problems);
            }
        }
    }

    /**
     * A problem with a rule file.
     *
     * @param file the file as in {@link dev.weaklink.rules.Attributed.RuleOrigin}
     * @param line the line, from 1; 0 if the problem is about the file as a whole
     * @param column the column, from 1; 0 if the problem is about the file as a whole
     * @param message the problem and the remedy; may contain any characters of the file
     */
    public record RuleProblem(String file, int line, int column, String message) {
        public String place() {
            return line == 0 ? file : file + ":" + line + ":" + column;
        }

        /**
         * Returns {@code file:line:column: message}, without the numbers if the problem is about the whole file. The
         * caller must escape the result before showing it.
         */
        @Override
        public String toString() {
            return place() + ": " + message;
        }
    }
}
