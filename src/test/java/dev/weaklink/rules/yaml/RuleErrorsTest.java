package dev.weaklink.rules.yaml;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.rules.NamePattern;
import dev.weaklink.rules.yaml.RulesReader.RuleProblem;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The messages about invalid rule files, with positions. */
class RuleErrorsTest {
    private static List<String> complaints(String text) {
        Problems problems = new Problems("x.yaml");
        RuleFileParser.parse(text, problems);
        return problems.found().stream().map(RuleProblem::toString).toList();
    }

    @Test
    void reportsAllErrorsWithTheirPlaces() {
        assertThat(complaints("""
            products:
              - id: a
                requird: [b]
                link: maybe
                all-or-nothing: 3
                required: {b: c}
              - title: nameless
              - id: a
                provider: []
              - id: generic
                recognise: {modules: x}
            ignore:
              - because: of this
              - modul: foo
              - module:
            pin:
              - module: foo
              - unit: foo
                link: yes
                link: no
            undetermined:
              - module: foo
              - then: link
            symbols:
              - symbol: a b
                then: FAIL
              - then: note
            symbols: later
            junk: 1
            """))
                .containsExactly(
                        "x.yaml:3:5: there is no 'requird' in a product; did you mean 'required'?",
                        "x.yaml:4:11: 'link' takes yes, no or ask, not 'maybe'",
                        "x.yaml:5:21: 'all-or-nothing' takes yes, dependent or no, not '3'",
                        "x.yaml:6:15: 'required' takes a name or a list of names, not keys and values",
                        "x.yaml:7:5: a product needs an id",
                        "x.yaml:8:5: product 'a' is already in line 2; merge both",
                        "x.yaml:9:15: 'provider' is empty; leave it out or name something",
                        "x.yaml:11:5: 'generic' is for all units that no other product recognises; remove 'recognise'",
                        "x.yaml:13:5: rule matches nothing; give it 'module', 'unit' or 'kernel'",
                        "x.yaml:14:5: there is no 'modul' in 'ignore'; did you mean 'module'?",
                        "x.yaml:15:12: 'module' takes a name or a list of names, not nothing",
                        "x.yaml:17:5: pin has no effect; give it 'provider' or 'link'",
                        "x.yaml:20:5: 'link' is already in line 19; remove one",
                        "x.yaml:22:5: rule has no effect; give it 'then': do-not-link or link",
                        "x.yaml:23:5: rule matches nothing; give it 'module', 'unit' or 'kernel'",
                        "x.yaml:25:13: 'symbol' takes names (wildcards * and ? are allowed), not 'a b'",
                        "x.yaml:26:11: 'then' takes pass, note or fail, not 'FAIL'",
                        "x.yaml:27:5: rule matches nothing; give it 'symbol', 'module' or 'namespace'",
                        "x.yaml:28:1: 'symbols' is already in line 24; remove one",
                        "x.yaml:29:1: there is no 'junk' in a rule file; the keys are products, ignore, pin,"
                                + " undetermined, symbols, findings");
    }

    @Test
    void refusesAnchorsTagsAndFurtherDocuments() {
        assertThat(complaints("ignore: &a [{module: x}]\npin: *a\n"))
                .containsExactly("x.yaml:1:9: anchors and aliases are not supported; repeat the value instead");
        assertThat(complaints("ignore:\n  - module: !t x\n"))
                .containsExactly("x.yaml:2:13: tags are not supported; remove the tag");
        assertThat(complaints("ignore: []\n---\npin: []\n"))
                .containsExactly("x.yaml:3:1: a second YAML document begins here; use one file for each document");
        assertThat(complaints("- a\n")).containsExactly("x.yaml:1:1: a rule file takes keys and values, not a list");
    }

    @Test
    void namesTheEndOfTruncatedYaml() {
        assertThat(complaints("ignore:\n  - module: [a\n"))
                .containsExactly(
                        "x.yaml:3:1: not valid YAML: expected ',' or ']', but got <stream end>, while parsing a"
                                + " flow sequence from line 2 on");
        assertThat(complaints("ignore:\n\t- module: a\n"))
                .containsExactly(
                        "x.yaml:2:1: not valid YAML: found character '\\t(TAB)' that cannot start any token. (Do"
                                + " not use \\t(TAB) for indentation)");
        assertThat(complaints("ignore: x\n  y: z\n"))
                .containsExactly("x.yaml:2:4: not valid YAML: mapping values are not allowed here");
        assertThat(complaints("# \ud83d\ude00\n#\u0001\n"))
                .containsExactly("x.yaml:2:2: not valid YAML: a character that YAML does not allow, such as a control"
                        + " character");
    }

    @Test
    void quotesSeveralLinesAsOne() {
        assertThat(complaints("pro\n\nducts\n"))
                .containsExactly("x.yaml:1:1: a rule file takes keys and values, not 'pro ducts'");
    }

    @Test
    void survivesAnySizeAndDepth() {
        assertThat(complaints("ignore: " + "[".repeat(100_000)))
                .containsExactly("x.yaml: not valid YAML: Nesting Depth exceeded max 50");
        assertThat(complaints("ignore: [" + "a, ".repeat(40_000) + "]"))
                .hasSize(101)
                .startsWith("x.yaml:1:10: 'ignore' takes keys and values, not 'a'");
        assertThat(complaints("junk: 1\n".repeat(10_000)))
                .hasSize(101)
                .endsWith("x.yaml:101:1: further errors are not shown");
        assertThat(complaints("k".repeat(100_000) + ": 1"))
                .singleElement()
                .asString()
                .hasSizeLessThan(500);
        assertThat(complaints("ignore: {module: " + "x".repeat(100_000) + "}"))
                .singleElement()
                .asString()
                .hasSizeLessThan(500);
    }

    @Test
    void acceptsAnEmptyFile() {
        assertThat(complaints("")).isEmpty();
        assertThat(complaints("# later\n")).isEmpty();
    }

    @Test
    void readsNumbersAndBooleansAsNames() {
        Problems problems = new Problems("x.yaml");
        RuleSection file = RuleFileParser.parse("ignore:\n  - module: [3, 0x1F, 1e3, 1_0, true, Yes]\n", problems);
        assertThat(problems.found()).isEmpty();
        assertThat(file.list(RuleFileParser.IGNORE).get(0).selector().modules())
                .map(NamePattern::text)
                .containsExactly("3", "0x1F", "1e3", "1_0", "true", "Yes");
    }
}
