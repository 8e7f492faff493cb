package dev.weaklink.realkernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Set;
import org.junit.jupiter.api.Test;

class VerdictLineTest {
    private static final String REFUSED = """
      {"schema":"weaklink.verdict/1","module":"m","file":"/x/m.ko","target":"6.1.0-54-amd64",\
      "verdict":"INCOMPATIBLE","errno":"EINVAL","findings":[\
      {"layer":"symbol-crc","effect":"refuses","symbol":"b","wants":"0x1","dmesg":"m: …"},\
      {"layer":"symbol-crc","effect":"note","symbol":"a"}],"unchecked":["signature"]}""";

    @Test
    void readsTheSymbolsOfARefusal() {
        VerdictLine verdict = VerdictLine.parse(REFUSED);
        assertThat(verdict.incompatible()).isTrue();
        assertThat(verdict.loads()).isFalse();
        assertThat(verdict.errno()).isEqualTo("EINVAL");
        assertThat(verdict.fileName()).isEqualTo("m.ko");
        assertThat(verdict.refusedSymbols(Set.of("symbol-crc"))).containsExactly("b");
        assertThat(verdict.unchecked()).containsExactly("signature");
    }

    @Test
    void moduleLoadsOnlyIfCompatibleAndWithoutErrno() {
        String line = REFUSED.replace("\"errno\":\"EINVAL\",", "");
        assertThat(VerdictLine.parse(line).loads()).isFalse();
        assertThat(VerdictLine.parse(line.replace("INCOMPATIBLE", "COMPATIBLE")).loads())
                .isTrue();
        assertThat(VerdictLine.parse(REFUSED.replace("INCOMPATIBLE", "COMPATIBLE"))
                        .loads())
                .isFalse();
    }

    @Test
    void rejectsAnotherSchema() {
        assertThatThrownBy(() -> VerdictLine.parse(REFUSED.replace("verdict/1", "verdict/2")))
                .isInstanceOf(AssertionError.class)
                .hasMessageStartingWith("not a verdict");
    }
}
