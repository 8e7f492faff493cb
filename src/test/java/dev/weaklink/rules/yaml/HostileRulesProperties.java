package dev.weaklink.rules.yaml;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.rules.yaml.RulesReader.RuleProblem;
import dev.weaklink.rules.yaml.RulesReader.RulesMerger;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** Random rule files: the reader must never crash, and must return rules or problems with a position in the file. */
class HostileRulesProperties {
    private static final List<String> PIECES = List.of(
            "products",
            "ignore",
            "pin",
            "undetermined",
            "symbols",
            "findings",
            "finding",
            "id",
            "module",
            "unit",
            "kernel",
            "recognise",
            "required",
            "provider",
            "link",
            "then",
            "because",
            "generic",
            "yes",
            ": ",
            ":",
            "- ",
            "-",
            "\n",
            "\n  ",
            "\n    ",
            "[",
            "]",
            "{",
            "}",
            ",",
            "? ",
            "&a ",
            "*a",
            "!t ",
            "!!int ",
            "|\n",
            ">\n",
            "'",
            "\"",
            "#",
            "%",
            "@",
            "`",
            "~",
            "<<",
            "---\n",
            "...\n",
            "\t",
            "\u0000",
            "\ufeff",
            "\u2028",
            "\ud800",
            "0x",
            "1e999999999",
            "_",
            ".",
            "\\\\");

    @Property
    void parsesOrRefusesAnyText(@ForAll String text) {
        judge(text);
    }

    @Property
    void parsesOrRefusesAnyYaml(@ForAll("pieces") List<String> pieces) {
        judge(String.join("", pieces));
    }

    @Property
    void parsesOrRefusesAChangedFile(@ForAll("places") int at, @ForAll("pieces") List<String> pieces)
            throws IOException {
        String file = shipped("mlnx-en.yaml");
        int start = at % file.length();
        int end = Math.min(file.length(), start + at % 7);
        judge(file.substring(0, start) + String.join("", pieces) + file.substring(end));
    }

    @Provide
    Arbitrary<List<String>> pieces() {
        return Arbitraries.of(PIECES).list().ofMaxSize(40);
    }

    @Provide
    Arbitrary<Integer> places() {
        return Arbitraries.integers().between(0, 10_000);
    }

    private static String shipped(String name) throws IOException {
        try (InputStream in = HostileRulesProperties.class.getResourceAsStream("/rules/" + name)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private static void judge(String text) {
        Problems problems = new Problems("x.yaml");
        RulesMerger merger = new RulesMerger();
        RuleSection file = RuleFileParser.parse(text, problems);
        if (file != null) {
            merger.add(file);
        }
        long lines = text.codePoints()
                        .filter(c -> c == '\n' || c == '\r' || c == 0x85 || c == 0x2028 || c == 0x2029)
                        .count()
                + 1;
        for (RuleProblem problem : problems.found()) {
            assertThat((long) problem.line()).isBetween(0L, lines + 1);
            assertThat(problem.message()).isNotBlank().hasSizeLessThan(500);
        }
        if (problems.found().isEmpty() && merger.problems().isEmpty()) {
            assertThat(merger.rules().products()).hasSizeLessThan(text.length() + 1);
        }
    }
}
