package dev.weaklink.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ReleasePatternTest {
    private static final String RELEASE = "5.14.0-70.13.1.el9_0.x86_64+debug";

    @ParameterizedTest
    @CsvSource(
            delimiter = ' ',
            quoteCharacter = '"',
            value = {
                "* true",
                "5.14.0 true",
                "5x14 false",
                "5.14 true",
                "5\\.14 true",
                "5\\.15 false",
                "^5 true",
                "^14 false",
                "debug$ true",
                "el9$ false",
                "el(8|9) true",
                "el[89]_ true",
                "el[^89]_ false",
                "-[0-9]+\\.13 true",
                "[[:digit:]]{2}\\.13 true",
                "[[:upper:]] false",
                "[[:alpha:][:digit:]_]+64 true",
                "[]x]86 true",
                "[a-]70 true",
                "[.&&5]14 true",
                "x86_64+debug false",
                "x86_64\\+debug true",
                "[\\.]14 true",
            })
    void matchesAnywhereAsAPosixExpression(String pattern, boolean expected) {
        assertThat(matches(pattern, RELEASE)).isEqualTo(expected);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "((){999999999}){999999999}",
                "a{32768}",
                "a{2,1}",
                "a{",
                "*a",
                "^*",
                "(",
                "[",
                "[[:digit:]",
                "[[:nonsense:]]",
                "a\\",
                "(?i)a",
                "[a",
                "0++-70",
                "x86_64+?",
                "5{1}?",
                "5{,2}",
                "el\\d",
                "\\<el",
                "[[.x.]]86",
                "[[:word:]]",
                "(0)\\1"
            })
    void refusesInvalidAndAmbiguousExpressions(String pattern) {
        assertThatThrownBy(() -> matches(pattern, RELEASE))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("kernel version is not a supported regular expression");
    }

    @Test
    @Timeout(20)
    void matchesInLinearTime() {
        String release = "a".repeat(64);
        assertThat(matches("a?".repeat(100) + "b", release)).isFalse();
        assertThat(matches("(a*)*(a|aa)+$", release)).isTrue();
        assertThat(matches("a{1000}", release)).isFalse();
    }

    @ParameterizedTest
    @Timeout(20)
    @ValueSource(strings = {"((){32767}){32767}", "(a{999}){999}", "(((a*){99}){99}){99}", "(^{0}){32768}"})
    void repetitionIsBounded(String pattern) {
        assertThatThrownBy(() -> matches(pattern, RELEASE)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    @Timeout(20)
    void limitsAllPatternsTogether() {
        ReleasePattern release = new ReleasePattern("a".repeat(64));
        assertThatThrownBy(() -> {
                    for (int i = 0; i < 100_000; i++) {
                        release.matches("(a?){250}b");
                    }
                })
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("exceed the limit for their total size");
        assertThat(release.matches("*")).isTrue();
    }

    @Test
    void refusesAHugePattern() {
        assertThatThrownBy(() -> matches("(".repeat(100_000), RELEASE))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("too long");
    }

    @Test
    void acceptsDeepNesting() {
        assertThat(matches("(".repeat(125) + "5" + ")".repeat(125), RELEASE)).isTrue();
    }

    private static boolean matches(String pattern, String release) {
        return new ReleasePattern(release).matches(pattern);
    }
}
