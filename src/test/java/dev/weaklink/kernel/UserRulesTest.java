package dev.weaklink.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weaklink.testing.SignatureTrailer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests the rules that the user sets, and the rules without any evidence. */
class UserRulesTest extends RulesFromEvidence {
    @ParameterizedTest
    @EnumSource(LoaderRule.class)
    void userSettingsOverrideAllEvidence(LoaderRule rule) {
        release = "6.1.0-53-amd64";
        config = config(DEBIAN_CONFIG);
        symvers = symvers(FIVE_COLUMNS);
        ownModule = read(typical().signed(SignatureTrailer.of(2, new byte[] {0x30, 0})));
        String other = rule == LoaderRule.VERSION
                ? "3.10"
                : rule.choices().stream()
                        .filter(v -> !rules().is(rule, v))
                        .findFirst()
                        .orElseThrow();

        given.put(rule, other);

        assertSeen(rule, other);
        assertThat(rules().setting(rule).evidence()).isEqualTo("given with --loader");
    }

    @Test
    void derivesRulesFromAGivenVersion() {
        release = "6.1.0";
        given.put(LoaderRule.VERSION, "6.14");

        assertThat(rules().version()).isEqualTo(new KernelVersion(6, 14, 0));
        assertAssumed(LoaderRule.EXTENDED_VERSIONS, "yes");
    }

    @ParameterizedTest
    @CsvSource({
        "FORCE_LOAD, maybe, 'loader rule force-load cannot be ''maybe''; use one of: yes, no'",
        "NAMESPACES, yes, 'loader rule namespaces cannot be ''yes''; use one of: enforce, warn, none'",
        "VERSION, new, 'loader rule version cannot be ''new''; use a version such as 6.1'",
        "VERSION, 6, 'loader rule version cannot be ''6''; use a version such as 6.1'",
        "VERSION, 0.1, 'loader rule version cannot be ''0.1''; use a version such as 6.1'"
    })
    void listsTheAcceptedValuesForAnInvalidOne(LoaderRule rule, String value, String message) {
        given.put(rule, value);

        assertThatThrownBy(this::rules)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(message);
    }

    @Test
    void givesEveryRuleAValueWithoutAnyEvidence() {
        LoaderBehavior rules = rules();

        for (LoaderRule rule : LoaderRule.values()) {
            assertThat(rule.accepts(rules.setting(rule).value())).as(rule.id()).isTrue();
            assertThat(rules.setting(rule).assumed()).as(rule.id()).isTrue();
        }
    }
}
