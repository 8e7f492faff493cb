package dev.weaklink.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.module.SymbolNames;
import dev.weaklink.testing.ModuleArbitraries;
import dev.weaklink.testing.SymversBuilder;
import dev.weaklink.testing.SymversBuilder.Kind;
import dev.weaklink.testing.SymversBuilder.Layout;
import dev.weaklink.testing.SymversBuilder.Row;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;

/** Checks that written rows are read back, and that random bytes cause no failure. */
class SymversReaderProperties {
    @Provide
    Arbitrary<List<Row>> rows() {
        return Combinators.combine(
                        ModuleArbitraries.crcs(),
                        ModuleArbitraries.symbolNames(),
                        Arbitraries.of("vmlinux", "drivers/net/mii", "/abs/path/m", "x"),
                        Arbitraries.of(Kind.class),
                        ModuleArbitraries.namespaces().injectNull(0.6))
                .as(Row::new)
                .list()
                .ofMaxSize(30);
    }

    /** Generates parts of lines of a Module.symvers, in any order. */
    @Provide
    Arbitrary<String> nearlySymvers() {
        return Arbitraries.of(
                        "\t",
                        "\t",
                        "\t",
                        "\n",
                        "\r\n",
                        "0x",
                        "0x00000001",
                        "ffffffff",
                        "a",
                        "vmlinux",
                        "EXPORT_",
                        "EXPORT_SYMBOL",
                        "EXPORT_SYMBOL_GPL",
                        "(unknown)",
                        "GPL",
                        "\0",
                        "\u00ff")
                .list()
                .ofMaxSize(80)
                .map(pieces -> String.join("", pieces));
    }

    @Property
    void rowsAreReadBackFromEveryLayout(
            @ForAll("rows") List<Row> rows, @ForAll Layout layout, @ForAll boolean carriageReturns) {
        SymversBuilder builder = new SymversBuilder(layout);
        rows.forEach(builder::row);
        String text = carriageReturns ? builder.text().replace("\n", "\r\n") : builder.text();

        Symvers symvers = read(text.getBytes(StandardCharsets.ISO_8859_1));

        assertThat(symvers.problems()).isEmpty();
        assertThat(SymversRows.of(symvers.exports())).isEqualTo(expected(rows, layout));
        assertThat(symvers.hasNonZeroCrc()).isEqualTo(rows.stream().anyMatch(row -> row.crc() != 0));
    }

    @Property
    void findsEverySymbolAtItsFirstRow(@ForAll("rows") List<Row> rows) {
        ExportTable exports = table(rows);
        List<String> names = rows.stream().map(Row::symbol).toList();

        for (String name : names) {
            assertThat(exports.find(name)).isEqualTo(names.indexOf(name));
        }
        assertThat(exports.find("no such symbol")).isEqualTo(-1);
    }

    @Property
    void aChangedTableEqualsATableOfItsRows(
            @ForAll("rows") List<Row> rows,
            @ForAll("rows") List<Row> more,
            @ForAll Set<@IntRange(max = 30) Integer> gone) {
        int[] crcs = new int[rows.size()];
        BitSet absent = new BitSet();
        List<Row> left = new ArrayList<>();
        for (int i = 0; i < crcs.length; i++) {
            Row row = rows.get(i);
            crcs[i] = row.crc() + 1;
            absent.set(i, gone.contains(i));
            if (!absent.get(i)) {
                left.add(new Row(crcs[i], row.symbol(), row.module(), row.kind(), row.namespace()));
            }
        }
        left.addAll(more);

        ExportTable changed = table(rows).with(crcs, absent, table(more));
        assertAlike(changed, table(left), table(rows).names());

        if (left.isEmpty()) {
            return;
        }
        left.remove(0);
        BitSet first = new BitSet();
        first.set(0);
        int[] same = IntStream.range(0, changed.size()).map(changed::crc).toArray();
        left.addAll(rows);
        assertAlike(
                changed.with(same, first, table(rows)), table(left), table(rows).names());
    }

    private static void assertAlike(ExportTable table, ExportTable expected, SymbolNames symbols) {
        assertThat(table.find(symbols)).isEqualTo(expected.find(symbols));
        assertThat(SymversRows.of(table)).isEqualTo(SymversRows.of(expected));
        for (String module : List.of("mii", "m", "x")) {
            assertThat(rowsOf(module, table)).isEqualTo(rowsOf(module, expected));
        }
        for (int row = 0; row < expected.size(); row++) {
            assertThat(table.symbol(row)).isEqualTo(expected.symbol(row));
            assertThat(table.find(expected.names(), row)).isEqualTo(expected.find(expected.names(), row));
            assertThat(table.isVmlinux(row)).isEqualTo(expected.isVmlinux(row));
        }
    }

    private static int[] rowsOf(String module, ExportTable table) {
        int exporter = table.exporterOf(module);
        return exporter < 0 ? new int[0] : table.rowsOf(exporter);
    }

    private static ExportTable table(List<Row> rows) {
        SymversBuilder builder = new SymversBuilder(Layout.NAMESPACE_LAST);
        rows.forEach(builder::row);
        return read(builder.bytes()).exports();
    }

    @Property(tries = 2000)
    void readsEveryLineAsARowOrAProblem(@ForAll("nearlySymvers") String text) {
        Symvers symvers = read(text.getBytes(StandardCharsets.ISO_8859_1));

        long lines = text.lines().filter(line -> !line.isEmpty()).count();
        assertThat(symvers.exports().size() + symvers.problems().size()).isEqualTo((int) lines);
    }

    @Property
    void readsAnyBytes(@ForAll byte[] bytes) {
        assertThat(read(bytes).exports().size()).isZero();
    }

    private static List<String> expected(List<Row> rows, Layout layout) {
        List<String> expected = new ArrayList<>();
        for (Row row : rows) {
            boolean gpl = row.kind() == Kind.EXPORT_SYMBOL_GPL || row.kind() == Kind.EXPORT_UNUSED_SYMBOL_GPL;
            String license = layout == Layout.THREE_COLUMNS ? "?" : gpl ? "gpl" : "free";
            boolean hasNamespace =
                    row.namespace() != null && (layout == Layout.NAMESPACE_LAST || layout == Layout.NAMESPACE_THIRD);
            expected.add(HexFormat.of().toHexDigits(row.crc())
                    + " "
                    + String.join(" ", row.symbol(), row.module(), license)
                    + (hasNamespace ? " " + row.namespace() : ""));
        }
        return expected;
    }

    private static Symvers read(byte[] bytes) {
        return SymversReader.read(bytes, bytes.length);
    }
}
