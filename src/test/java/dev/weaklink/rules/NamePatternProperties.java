package dev.weaklink.rules;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.regex.Pattern;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** Name patterns must match like the equivalent regular expressions. */
class NamePatternProperties {
    @Property
    void equalsTheRegularExpression(@ForAll("patterns") List<String> pieces, @ForAll("names") String name) {
        String pattern = String.join("", pieces);
        String expression = pattern.replace("**", "\u0001")
                .replace("*", "[^/]*")
                .replace("?", "[^/]")
                .replace("\u0001", ".*");
        assertThat(new NamePattern(pattern).matches(name)).isEqualTo(Pattern.matches(expression, name));
    }

    @Provide
    Arbitrary<List<String>> patterns() {
        return Arbitraries.of("a", "b", "/", "*", "?", "**").list().ofMaxSize(7);
    }

    @Provide
    Arbitrary<String> names() {
        return Arbitraries.strings().withChars('a', 'b', '/').ofMaxLength(8);
    }
}
