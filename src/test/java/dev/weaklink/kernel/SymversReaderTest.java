package dev.weaklink.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.kernel.Symvers.SymversLayout;
import dev.weaklink.kernel.Symvers.SymversProblem;
import dev.weaklink.testing.SymversBuilder;
import dev.weaklink.testing.SymversBuilder.Kind;
import dev.weaklink.testing.SymversBuilder.Row;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the layouts of Module.symvers (scripts/mod/modpost.c:write_dump), and malformed lines. */
class SymversReaderTest {
    private static final Row PLAIN = new Row(0x12345678, "plain", "vmlinux", Kind.EXPORT_SYMBOL, null);
    private static final Row GPL = new Row(-1, "only_gpl", "drivers/net/mii", Kind.EXPORT_SYMBOL_GPL, "NET");

    @Test
    void namespaceInTheLastColumn() {
        Symvers symvers = read(new SymversBuilder(SymversBuilder.Layout.NAMESPACE_LAST));

        assertThat(symvers.layout()).isEqualTo(SymversLayout.NAMESPACE_LAST);
        assertThat(rows(symvers))
                .containsExactly("12345678 plain vmlinux free", "ffffffff only_gpl drivers/net/mii gpl NET");
    }

    @Test
    void namespaceInTheThirdColumn() {
        Symvers symvers = read(new SymversBuilder(SymversBuilder.Layout.NAMESPACE_THIRD));

        assertThat(symvers.layout()).isEqualTo(SymversLayout.NAMESPACE_THIRD);
        assertThat(rows(symvers))
                .containsExactly("12345678 plain vmlinux free", "ffffffff only_gpl drivers/net/mii gpl NET");
    }

    @Test
    void readsRowsWithoutANamespaceColumn() {
        Symvers symvers = read(new SymversBuilder(SymversBuilder.Layout.FOUR_COLUMNS));

        assertThat(symvers.layout()).isEqualTo(SymversLayout.WITHOUT_NAMESPACE);
        assertThat(rows(symvers))
                .containsExactly("12345678 plain vmlinux free", "ffffffff only_gpl drivers/net/mii gpl");
    }

    @Test
    void readsRowsWithoutAnExportColumn() {
        Symvers symvers = read(new SymversBuilder(SymversBuilder.Layout.THREE_COLUMNS));

        assertThat(symvers.layout()).isEqualTo(SymversLayout.WITHOUT_NAMESPACE);
        assertThat(rows(symvers)).containsExactly("12345678 plain vmlinux ?", "ffffffff only_gpl drivers/net/mii ?");
    }

    @Test
    void findsNoLayoutInAnEmptyFile() {
        Symvers symvers = read("");

        assertThat(symvers.layout()).isEqualTo(SymversLayout.UNKNOWN);
        assertThat(symvers.exports().size()).isZero();
        assertThat(symvers.problems()).isEmpty();
        assertThat(symvers.hasNonZeroCrc()).isFalse();
    }

    @ParameterizedTest
    @CsvSource({
        "EXPORT_SYMBOL, free",
        "EXPORT_SYMBOL_GPL, gpl",
        "EXPORT_SYMBOL_GPL_FUTURE, free",
        "EXPORT_UNUSED_SYMBOL, free",
        "EXPORT_UNUSED_SYMBOL_GPL, gpl",
        "(unknown), ?"
    })
    void wordsOfTheExportColumn(String word, String license) {
        assertThat(rows(read("0x00000001\ta\tvmlinux\t" + word + "\t\n")))
                .containsExactly("00000001 a vmlinux " + license);
        assertThat(rows(read("0x00000001\ta\tvmlinux\t" + word + "\n")))
                .containsExactly("00000001 a vmlinux " + license);
        assertThat(rows(read("0x00000001\ta\tNS\tvmlinux\t" + word + "\n")))
                .containsExactly("00000001 a vmlinux " + license + " NS");
    }

    @Test
    void refusesALastLineWithoutItsNewlineSinceTheFileIsCutOffThere() {
        Symvers symvers = read("0x00000001\ta\tvmlinux\tEXPORT_SYMBOL\t\n0x00000002\tb\tvmlinux\tEXPORT_SYMBOL");

        assertThat(rows(symvers)).containsExactly("00000001 a vmlinux free");
        assertThat(symvers.problems()).hasSize(1);
    }

    @Test
    void acceptsCarriageReturns() {
        Symvers symvers = read("0x00000001\ta\tvmlinux\tEXPORT_SYMBOL\t\r\n"
                + "0x00000002\tb\tvmlinux\tEXPORT_SYMBOL_GPL\tN\r\n"
                + "\r\n"
                + "0x00000003\tc\tvmlinux\tEXPORT_SYMBOL_GPL\r\n"
                + "0x00000004\td\tvmlinux\r\n");

        assertThat(rows(symvers))
                .containsExactly(
                        "00000001 a vmlinux free",
                        "00000002 b vmlinux gpl N",
                        "00000003 c vmlinux gpl",
                        "00000004 d vmlinux ?");
        assertThat(symvers.problems()).isEmpty();
    }

    @Test
    void countsEmptyLinesWithoutAProblem() {
        Symvers symvers = read("\n\n0x00000001\ta\tvmlinux\tEXPORT_SYMBOL\t\n\nbad\n");

        assertThat(symvers.exports().size()).isEqualTo(1);
        assertThat(symvers.problems()).containsExactly(new SymversProblem(5, "fewer than 3 columns"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "garbage",
                "0x00000001 a vmlinux EXPORT_SYMBOL",
                "00000001\ta\tvmlinux\tEXPORT_SYMBOL",
                "0x\ta\tvmlinux\tEXPORT_SYMBOL",
                "0x123456789\ta\tvmlinux\tEXPORT_SYMBOL",
                "0x0000000g\ta\tvmlinux\tEXPORT_SYMBOL",
                "0x-0000001\ta\tvmlinux\tEXPORT_SYMBOL",
                "0x0000000\u00e9\ta\tvmlinux\tEXPORT_SYMBOL",
                "\ta\tvmlinux\tEXPORT_SYMBOL",
                "0x00000001\t\tvmlinux\tEXPORT_SYMBOL",
                "0x00000001\ta\t\tEXPORT_SYMBOL",
                "0x00000001\ta\tvmlinux\tSYMBOL",
                "0x00000001\ta\tvmlinux\tSYMBOL\tNS",
                "0x00000001\ta\tNS\t\tEXPORT_SYMBOL",
                "0x00000001\ta\tvmlinux\tEXPORT_SYMBOL\tNS\tmore",
                "0x00000001\ta",
            })
    void reportsAnInvalidLineWithItsNumberAndReadsTheOthers(String line) {
        Symvers symvers = read("0x00000001\tbefore\tvmlinux\tEXPORT_SYMBOL\t\n"
                + line
                + "\n0x00000002\tafter\tvmlinux\tEXPORT_SYMBOL\t\n");

        assertThat(symvers.problems()).extracting(SymversProblem::line).containsExactly(2);
        assertThat(rows(symvers)).containsExactly("00000001 before vmlinux free", "00000002 after vmlinux free");
    }

    @Test
    void keepsOnlyTheFirstHundredProblems() {
        assertThat(read("x\n".repeat(1000)).problems()).hasSize(100);
    }

    @Test
    void findsTheFirstOfSeveralRows() {
        ExportTable exports = read("0x00000001\ta\tvmlinux\tEXPORT_SYMBOL\t\n"
                        + "0x00000002\ta\tdrivers/a\tEXPORT_SYMBOL_GPL\tNS\n")
                .exports();

        assertThat(exports.size()).isEqualTo(2);
        assertThat(exports.find("a")).isZero();
        assertThat(exports.crc(exports.find("a"))).isEqualTo(1);
    }

    @Test
    void readsAVeryLongLine() {
        String name = "n".repeat(1_000_000);

        Symvers symvers = read("0x00000001\t"
                + name
                + "\tvmlinux\tEXPORT_SYMBOL\t"
                + name
                + "\n"
                + name
                + "\n"
                + "0x00000002\tb\tvmlinux\tEXPORT_SYMBOL\t\n");

        assertThat(symvers.exports().find(name)).isZero();
        assertThat(symvers.exports().namespace(0)).isEqualTo(name);
        assertThat(symvers.exports().find("b")).isEqualTo(1);
        assertThat(symvers.problems()).containsExactly(new SymversProblem(2, "fewer than 3 columns"));
    }

    @Test
    void treatsAllZeroCrcsAsMissing() {
        assertThat(read("0x00000000\ta\tvmlinux\tEXPORT_SYMBOL\t\n").hasNonZeroCrc())
                .isFalse();
        assertThat(read("0x00000000\ta\tvmlinux\tEXPORT_SYMBOL\t\n" + "0x00000001\tb\tvmlinux\tEXPORT_SYMBOL\t\n")
                        .hasNonZeroCrc())
                .isTrue();
        assertThat(read("0x00000001\tb\tvmlinux\tnonsense\n0x00000000\ta\tvmlinux\tEXPORT_SYMBOL\n")
                        .hasNonZeroCrc())
                .isFalse();
    }

    @Test
    void distinguishesOwnersInAnyOrder() {
        ExportTable exports = read("0x1\ta\tvmlinux\tEXPORT_SYMBOL\t\n"
                        + "0x1\tb\tvmlinuz\tEXPORT_SYMBOL\t\n"
                        + "0x1\tc\tvmlinux\tEXPORT_SYMBOL\t\n"
                        + "0x1\td\tvm\tEXPORT_SYMBOL\t\n")
                .exports();

        assertThat(List.of(exports.owner(0), exports.owner(1), exports.owner(2), exports.owner(3)))
                .containsExactly("vmlinux", "vmlinuz", "vmlinux", "vm");
        assertThat(exports.isVmlinux(0)).isTrue();
        assertThat(exports.isVmlinux(1)).isFalse();
        assertThat(exports.isVmlinux(2)).isTrue();
        assertThat(exports.isVmlinux(3)).isFalse();
    }

    @Test
    void detectsModuleRows() {
        assertThat(read("0x1\ta\tvmlinux\tEXPORT_SYMBOL\n").hasModuleRows()).isFalse();
        assertThat(read("0x1\ta\tvmlinux\tEXPORT_SYMBOL\n0x1\tb\tfs/x\tEXPORT_SYMBOL\n")
                        .hasModuleRows())
                .isTrue();
    }

    @Test
    void doesNotUseALineThatIsCutOff() {
        Symvers symvers = read("0x1\ta\tvmlinux\tEXPORT_SYMBOL\n0x1\tb\tvmlinux\tEXPORT_SYMBOL_G");

        assertThat(rows(symvers)).hasSize(1);
        assertThat(symvers.problems())
                .containsExactly(new SymversProblem(2, "the file ends in the middle of the line"));
        assertThat(symvers.isWhole()).isFalse();
    }

    @Test
    void ignoresBytesBehindTheText() {
        byte[] bytes = "0x1\ta\tvmlinux\tEXPORT_SYMBOL\n0x1\tb\tv\tEXPORT_SYMBOL\n".getBytes(StandardCharsets.US_ASCII);
        int firstLine = 28;

        assertThat(bytes[firstLine - 1]).isEqualTo((byte) '\n');
        assertThat(SymversReader.read(bytes, firstLine).exports().size()).isEqualTo(1);
    }

    private static Symvers read(SymversBuilder builder) {
        return read(builder.row(PLAIN).row(GPL).text());
    }

    private static Symvers read(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.ISO_8859_1);
        return SymversReader.read(bytes, bytes.length);
    }

    private static List<String> rows(Symvers symvers) {
        return SymversRows.of(symvers.exports());
    }
}
