package dev.weaklink.testing;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.testing.ModuleSpec.Export;
import dev.weaklink.testing.SymversBuilder.Kind;
import dev.weaklink.testing.SymversBuilder.Layout;
import dev.weaklink.testing.SymversBuilder.Row;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SymversBuilderTest {
    @ParameterizedTest
    @CsvSource({
        "THREE_COLUMNS, 0x0000abcd|a_fn|drivers/a",
        "FOUR_COLUMNS, 0x0000abcd|a_fn|drivers/a|EXPORT_SYMBOL_GPL",
        "NAMESPACE_THIRD, 0x0000abcd|a_fn|NS|drivers/a|EXPORT_SYMBOL_GPL",
        "NAMESPACE_LAST, 0x0000abcd|a_fn|drivers/a|EXPORT_SYMBOL_GPL|NS",
    })
    void writesTheColumnsOfEachLayout(Layout layout, String columns) {
        Row row = new Row(0xabcd, "a_fn", "drivers/a", Kind.EXPORT_SYMBOL_GPL, "NS");

        assertThat(new SymversBuilder(layout).row(row).text()).isEqualTo(columns.replace('|', '\t') + "\n");
    }

    @Test
    void writesAnEmptyColumnForAnEmptyNamespace() {
        assertThat(new SymversBuilder(Layout.NAMESPACE_LAST)
                        .kernel("a", Kind.EXPORT_SYMBOL, -1)
                        .text())
                .isEqualTo("0xffffffff\ta\tvmlinux\tEXPORT_SYMBOL\t\n");
        assertThat(new SymversBuilder(Layout.NAMESPACE_THIRD)
                        .kernel("a", Kind.EXPORT_SYMBOL, -1)
                        .text())
                .isEqualTo("0xffffffff\ta\t\tvmlinux\tEXPORT_SYMBOL\n");
    }

    @Test
    void keepsInvalidLinesInOrder() {
        SymversBuilder symvers = new SymversBuilder(Layout.FOUR_COLUMNS)
                .kernel("a", Kind.EXPORT_SYMBOL, 1)
                .line("not a row \u0001")
                .kernel("b", Kind.EXPORT_SYMBOL, 2);

        assertThat(symvers.text().lines().skip(1).findFirst()).contains("not a row \u0001");
        assertThat(symvers.rows()).extracting(Row::symbol).containsExactly("a", "b");
    }

    @Test
    void writesRowsWithAModulesPath() {
        ModuleSpec module = ModuleBuilder.minimal(Machine.X86_64, "a")
                .exporting(new Export("a_ns", Export.Table.GPL, 7, "NS"))
                .exporting("a_old", Export.Table.UNUSED, 8)
                .spec();

        assertThat(new SymversBuilder(Layout.NAMESPACE_LAST)
                        .exportsOf(module, "extra/a")
                        .text())
                .isEqualTo("0x00000007\ta_ns\textra/a\tEXPORT_SYMBOL_GPL\tNS\n"
                        + "0x00000008\ta_old\textra/a\tEXPORT_UNUSED_SYMBOL\t\n");
    }
}
