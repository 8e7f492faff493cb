package dev.weaklink.rules;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.rules.ProviderPreference.PreferenceKind;
import java.util.List;
import org.junit.jupiter.api.Test;

class ProviderPreferenceTest {
    private static final String EL95 = "5.14.0-503.11.1.el9_5.x86_64";
    private static final String EL95_LATER = "5.14.0-503.40.1.el9_5.x86_64";
    private static final String EL96 = "5.14.0-570.12.1.el9_6.x86_64";
    private static final List<String> NEWEST_FIRST = List.of(EL96, EL95_LATER, EL95);

    @Test
    void putsTheNewestFirst() {
        assertThat(ProviderPreference.NEWEST.order(EL95, NEWEST_FIRST)).isEqualTo(NEWEST_FIRST);
    }

    @Test
    void putsTheSameMinorReleaseBeforeTheNewest() {
        ProviderPreference preference = new ProviderPreference(PreferenceKind.SAME_MINOR, List.of());
        assertThat(preference.order("5.14.0-503.99.1.el9_5.x86_64", NEWEST_FIRST))
                .containsExactly(EL95_LATER, EL95, EL96);
        assertThat(preference.order("6.1.0", List.of("6.1.0", "6.1.0-1", "5.10")))
                .containsExactly("6.1.0", "6.1.0-1", "5.10");
    }

    @Test
    void comparesTheWholeNumberOfAMinorRelease() {
        ProviderPreference preference = new ProviderPreference(PreferenceKind.SAME_MINOR, List.of());
        assertThat(preference.order("6.1.0-5-amd64", List.of("6.1.0-53-amd64", "6.1.0-5-amd64")))
                .containsExactly("6.1.0-5-amd64", "6.1.0-53-amd64");
    }

    @Test
    void unlistedReleasesAreNotUsed() {
        ProviderPreference preference = new ProviderPreference(
                PreferenceKind.LISTED, List.of(new NamePattern("*-503.11.*"), new NamePattern("*.el9_6.*")));
        assertThat(preference.order(EL95_LATER, NEWEST_FIRST)).containsExactly(EL95, EL96);
    }
}
