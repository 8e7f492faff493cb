package dev.weaklink;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The limits that CONTRIBUTING.md sets for src/main/java. */
class SourceTest {
    private static final int MOST_LINES_OF_A_FILE = 600;
    private static final int MOST_LINES_OF_A_METHOD = 50;

    /** The files that are tables: the kinds of findings, and the steps that check an ELF file. */
    private static final Set<String> TABLES = Set.of("FindingKind.java", "ElfStep.java");

    private static final int MOST_LINES_TWICE = 12;
    /** The number of Javadoc comments that begin with one of {@link #ODD_WORDS}. It may only fall. */
    private static final int ODD_FIRST_SENTENCES = 0;

    /**
     * The words with which a first sentence must not begin: question words, pronouns and prepositions. A first sentence
     * begins with a verb, or with a noun and its article.
     */
    private static final Set<String> ODD_WORDS =
            Set.of(("What Whether Of Those One Where How That Has Which Not In With"
                            + " From Without Null False True No None Nothing If Some Ours Others Is By At For To As Why It Its")
                    .split(" "));

    private static final Pattern JAVADOC = Pattern.compile("/\\*\\*(.*?)\\*/", Pattern.DOTALL);
    private static final Pattern FIRST_WORD = Pattern.compile("[A-Za-z]*");
    private static final Pattern CLASS_NAME = Pattern.compile("`([A-Z][a-z]+[A-Z][A-Za-z]*)`");

    private static List<Path> files() throws IOException {
        try (Stream<Path> all = Files.walk(Path.of("src/main/java"))) {
            return all.filter(file -> file.toString().endsWith(".java"))
                    .sorted()
                    .toList();
        }
    }

    /** Class names in CONTRIBUTING.md are in backquotes, such as {@code `KernelModule`}. */
    @Test
    void mapNamesOnlyExistingClasses() throws IOException {
        Set<String> sources = new HashSet<>();
        try (Stream<Path> all = Files.walk(Path.of("src"))) {
            all.map(file -> file.getFileName().toString()).forEach(sources::add);
        }
        Matcher named = CLASS_NAME.matcher(Files.readString(Path.of("CONTRIBUTING.md")));
        Set<String> classes = new TreeSet<>();
        while (named.find()) {
            classes.add(named.group(1) + ".java");
        }
        assertThat(classes).isNotEmpty().isSubsetOf(sources);
    }

    @Test
    void filesAreShort() throws IOException {
        List<String> tooLong = new ArrayList<>();
        for (Path file : files()) {
            int lines = Files.readAllLines(file).size();
            if (lines > MOST_LINES_OF_A_FILE
                    && !TABLES.contains(file.getFileName().toString())) {
                tooLong.add(file.getFileName() + ": " + lines);
            }
        }
        assertThat(tooLong).isEmpty();
    }

    /** A body extends from the line that opens it to its closing brace at the same indentation. */
    @Test
    void methodsAreShort() throws IOException {
        List<String> tooLong = new ArrayList<>();
        for (Path file : files()) {
            if (TABLES.contains(file.getFileName().toString())) {
                continue;
            }
            List<String> lines = Files.readAllLines(file);
            int start = -1;
            for (int i = 0; i < lines.size(); i++) {
                String line = lines.get(i);
                String bare = line.strip();
                int indentation = line.length() - line.stripLeading().length();
                boolean member = indentation == 2 || indentation == 4;
                if (member && isDeclaration(bare)) {
                    start = i;
                } else if (start >= 0 && bare.equals("}") && line.length() == closing(lines.get(start))) {
                    if (i - start - 1 > MOST_LINES_OF_A_METHOD) {
                        tooLong.add(i - start - 1 + " " + file.getFileName() + ":" + (start + 1));
                    }
                    start = -1;
                }
            }
        }
        assertThat(tooLong).isEmpty();
    }

    private static int closing(String declaration) {
        return declaration.length() - declaration.stripLeading().length() + 1;
    }

    private static boolean isDeclaration(String line) {
        return line.matches("(@\\w+ )?((public|protected|private|static|final|default|synchronized|<.*>)"
                        + " )*[\\w.<>\\[\\]@?, ]+ \\w+\\(.*")
                && !line.matches("(return|new|throw|else|case|assert)\\b.*")
                // The options of a command are a table, too.
                && !line.contains("CommandSpec ")
                && !line.contains("record ")
                && !line.endsWith(";")
                && !line.endsWith("{}")
                && !line.contains(" = ");
    }

    /** Blank lines, comments, imports and lone punctuation do not count, nor does white space. */
    @Test
    void repeatsNoTwelveLines() throws IOException {
        Map<String, String> seen = new HashMap<>();
        List<String> twice = new ArrayList<>();
        for (Path file : files()) {
            List<String> window = new ArrayList<>();
            for (String line : Files.readAllLines(file)) {
                String bare = line.strip();
                if (bare.matches("[\\p{Punct}\\s]*|import .*|package .*|//.*|/?\\*.*|@Override")) {
                    continue;
                }
                window.add(bare);
                if (window.size() == MOST_LINES_TWICE) {
                    String earlier = seen.put(String.join("\n", window), file.getFileName() + ": " + bare);
                    if (earlier != null) {
                        twice.add(earlier + " ~ " + file.getFileName());
                    }
                    window.remove(0);
                }
            }
        }
        assertThat(twice).isEmpty();
    }

    @Test
    void firstSentencesOfCommentsBeginWithAVerbOrANoun() throws IOException {
        List<String> odd = new ArrayList<>();
        for (Path file : files()) {
            Matcher comment = JAVADOC.matcher(Files.readString(file));
            while (comment.find()) {
                String first = firstSentence(comment.group(1));
                Matcher word = FIRST_WORD.matcher(first);
                if (word.lookingAt() && ODD_WORDS.contains(word.group())) {
                    odd.add(file.getFileName() + ": " + first);
                }
            }
        }
        assertThat(odd.size()).as("rewrite the new ones of: %s", odd).isLessThanOrEqualTo(ODD_FIRST_SENTENCES);
    }

    private static String firstSentence(String comment) {
        String text = comment.replaceAll("\\s*\n\\s*\\*\\s?", " ").strip();
        return text.split("(?<=[.;]) |@param|@return|@throws")[0].strip();
    }
}
