package dev.weaklink.rules;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The meaning of name patterns. */
class NamePatternTest {
    @ParameterizedTest
    @CsvSource({
        "foo,           foo,            true",
        "foo,           foobar,         false",
        "foo*,          foo,            true",
        "foo*,          foobar,         true",
        "foo*,          foo/bar,        false",
        "foo**,         foo/bar/baz,    true",
        "*foo,          barfoo,         true",
        "f?o,           foo,            true",
        "f?o,           fo,             false",
        "f?o,           f/o,            false",
        "*-kmp-*,       srp-kmp-default, true",
        "a*b*c,         aXbXbXc,        true",
        "a*b*c,         aXbXbX,         false",
        "**/x,          a/b/x,          true",
        "*/x,           a/b/x,          false",
        "*,             '',             true",
        "?,             '',             false",
        "foo.bar,       fooxbar,        false",
    })
    void matchesWholeNamesOnly(String pattern, String name, boolean matches) {
        assertThat(new NamePattern(pattern).matches(name)).isEqualTo(matches);
    }

    @ParameterizedTest
    @CsvSource({
        "extra/foo,     extra/foo,         true",
        "extra/foo,     extra/foo/bar/baz, true",
        "extra/foo,     extra/foobar,      false",
        "extra/foo/bar, extra/foo,         false",
        "extra/*,       extra/foo/bar,     true",
        "extra,         extra,             true",
        "foo,           '',                false",
        "foo,           extra/foo,         false",
    })
    void matchesEverythingBelowADirectory(String pattern, String directory, boolean matches) {
        assertThat(new NamePattern(pattern).matchesDirectory(directory)).isEqualTo(matches);
    }

    @Test
    void hyphenAndUnderscoreAreTheSameInModulesOnly() {
        assertThat(NamePattern.ofModule("mlx5-vfio-*").matches("mlx5_vfio_pci")).isTrue();
        assertThat(new NamePattern("mlx5-vfio-*").matches("mlx5_vfio_pci")).isFalse();
    }

    @Test
    void matchesManyStarsInProportionalTime() {
        NamePattern pattern = new NamePattern("*a".repeat(127) + "b");
        assertThat(pattern.matches("a".repeat(100_000))).isFalse();
    }
}
