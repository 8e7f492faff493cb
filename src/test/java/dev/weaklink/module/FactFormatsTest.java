package dev.weaklink.module;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.sys.Numbers;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests CRCs, names and origins as text. */
class FactFormatsTest {
    @ParameterizedTest
    @CsvSource({
        "0, 0x00000000",
        "1, 0x00000001",
        "4294967295, 0xffffffff",
        "4294967296, 0x0000000100000000",
        "-1, 0xffffffffffffffff"
    })
    void formatsCrcsWithEightOrSixteenDigits(long crc, String text) {
        assertThat(Numbers.crc(crc)).isEqualTo(text);
    }

    @Property
    void a32BitCrcIsWrittenUnsigned(@ForAll int crc) {
        assertThat(Numbers.crc(crc)).isEqualTo("0x" + HexFormat.of().toHexDigits(crc));
    }

    @ParameterizedTest
    @CsvSource({
        "a.ko, a",
        "a/b-c.ko.xz, b_c",
        "/lib/modules/x/snd-hda-intel.ko.gz, snd_hda_intel",
        "no-ending, no_ending",
        "dir.ko/file, file",
        ".ko, .ko"
    })
    void derivesTheModuleNameFromTheFileName(String file, String name) {
        assertThat(Origin.file(file).moduleName()).isEqualTo(name);
        assertThat(new Origin("p.rpm", file).moduleName()).isEqualTo(name);
    }

    @Test
    void namesAreComparedAsBytes() {
        byte[] bytes = "xabcabd".getBytes(StandardCharsets.US_ASCII);
        SymbolNames names = new SymbolNames.SymbolNamesBuilder(0)
                .add(bytes, 1, 3)
                .add("abc")
                .add(bytes, 4, 3)
                .add("")
                .add("\u00e9")
                .build();

        assertThat(names.same(0, names, 1)).isTrue();
        assertThat(names.same(0, names, 2)).isFalse();
        assertThat(names.is(0, "abc")).isTrue();
        assertThat(names.is(0, "ab")).isFalse();
        assertThat(names.is(3, "")).isTrue();
        assertThat(names.is(4, "\u00e9")).isTrue();
        assertThat(names.indexOf("abd")).isEqualTo(2);
        assertThat(names.indexOf("abe")).isEqualTo(-1);
        assertThat(names.hash(0)).isEqualTo(SymbolNames.hash(bytes, 1, 3));
    }
}
