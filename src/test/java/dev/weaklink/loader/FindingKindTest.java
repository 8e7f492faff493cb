package dev.weaklink.loader;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.sys.ShippedText;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class FindingKindTest {
    /** Otherwise, a missing or superfluous line would only show with the rarest defect. */
    @Test
    void tableListsEveryKindInOrder() {
        List<String> lines = new ArrayList<>();
        for (String line : ShippedText.of("/findings.txt").lines().toList()) {
            if (!line.isEmpty() && !line.startsWith("#") && !line.startsWith("@")) {
                lines.add(line.substring(0, line.indexOf(' ')));
            }
        }
        List<String> kinds = new ArrayList<>();
        for (FindingKind kind : FindingKind.values()) {
            kinds.add(kind.id());
        }
        assertThat(lines).isEqualTo(kinds);
    }

    @Test
    void usesNoPlaceholderWithoutAValue() {
        for (FindingKind kind : FindingKind.values()) {
            assertThat(List.of(kind.meaning(), kind.versions(), kind.remedy()))
                    .allSatisfy(text -> assertThat(text).isNotEmpty().doesNotStartWith("@"));
            assertThat(kind.source()).doesNotStartWith("@");
        }
    }
}
