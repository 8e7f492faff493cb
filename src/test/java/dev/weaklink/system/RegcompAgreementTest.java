package dev.weaklink.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Compares weaklink's answers for random patterns with those of the C library, through bash's {@code =~}. weaklink may
 * also refuse a pattern.
 */
class RegcompAgreementTest {
    private static final String[] PARTS = {
        "6",
        "1",
        "el",
        "_",
        "x",
        "-",
        ".",
        "\\.",
        "*",
        "+",
        "?",
        "{2}",
        "{,2}",
        "{1,3}",
        "{0}",
        "{",
        "}",
        "(",
        ")",
        "(",
        ")",
        "|",
        "^",
        "$",
        "[",
        "]",
        "[^",
        "[[:digit:]]",
        "[[:alpha:]_]",
        "[0-9",
        "[a-",
        "[.-.]",
        "[=x=]",
        ":]",
        "[]6]",
        "\\w",
        "\\W",
        "\\b",
        "\\B",
        "\\<",
        "\\>",
        "\\s",
        "\\`",
        "\\'",
        "\\x",
        "\\",
        "()",
        "(6|1)*",
        "[--6]",
        "[[:foo:]]",
        "[[:pha:]]",
        "[[.x.]-z]",
        "a"
    };
    private static final String[] RELEASES = {"6.1.0-9-test", "5.14.0-70.el9_0.x86_64", "61", "x"};
    private static final int PATTERNS = 4_000;

    @Test
    @Timeout(120)
    void answersAsTheLibraryDoes() throws Exception {
        assumeTrue(hasGlibcBash(), "no bash that uses glibc");
        Random random = new Random(20);
        List<String[]> asked = new ArrayList<>();
        for (int i = 0; i < PATTERNS; i++) {
            StringBuilder pattern = new StringBuilder();
            for (int parts = 1 + random.nextInt(7); parts > 0; parts--) {
                pattern.append(PARTS[random.nextInt(PARTS.length)]);
            }
            // A star alone is a special case of depmod, and weaklink refuses references to groups.
            String text = pattern.toString().replaceAll("^\\*$|\\\\(?=[0-9])", "x");
            asked.add(new String[] {text, RELEASES[random.nextInt(RELEASES.length)]});
        }
        List<String> expected = library(asked);
        int refused = 0;
        for (int i = 0; i < PATTERNS; i++) {
            String ours = ours(asked.get(i));
            refused += ours.equals("2") && !expected.get(i).equals("2") ? 1 : 0;
            assertThat(ours).as("%s =~ %s", asked.get(i)[1], asked.get(i)[0]).isIn(expected.get(i), "2");
        }
        assertThat(expected).contains("0", "1", "2");
        assertThat(refused).isLessThan(PATTERNS / 4);
    }

    /** Returns weaklink's answer as bash's exit status: 0 for a match, 1 for no match, 2 for an invalid expression. */
    private static String ours(String[] pair) {
        try {
            return new ReleasePattern(pair[1]).matches(pair[0]) ? "0" : "1";
        } catch (IllegalArgumentException e) {
            return "2";
        }
    }

    private static List<String> library(List<String[]> asked) throws Exception {
        StringBuilder input = new StringBuilder();
        asked.forEach(pair -> input.append(pair[0]).append('\n').append(pair[1]).append('\n'));
        Process bash = bash("while IFS= read -r p && IFS= read -r r; do [[ $r =~ $p ]]; echo $?; done");
        Thread writer = new Thread(() -> {
            try (var out = bash.getOutputStream()) {
                out.write(input.toString().getBytes(StandardCharsets.UTF_8));
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        });
        writer.start();
        List<String> answers = new String(bash.getInputStream().readAllBytes(), StandardCharsets.UTF_8)
                .lines()
                .toList();
        writer.join();
        return answers;
    }

    private static boolean hasGlibcBash() throws Exception {
        if (!Files.isExecutable(Path.of("/bin/bash"))) {
            return false;
        }
        Process bash = bash("getconf GNU_LIBC_VERSION");
        return new String(bash.getInputStream().readAllBytes(), StandardCharsets.UTF_8).startsWith("glibc");
    }

    private static Process bash(String script) throws IOException {
        ProcessBuilder builder = new ProcessBuilder("/bin/bash", "-c", script);
        builder.environment().put("LC_ALL", "C");
        return builder.redirectError(ProcessBuilder.Redirect.DISCARD).start();
    }
}
