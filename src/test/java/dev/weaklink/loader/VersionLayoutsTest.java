package dev.weaklink.loader;

import dev.weaklink.kernel.LoaderRule;
import dev.weaklink.testing.Machine;
import dev.weaklink.testing.ModuleBuilder;
import dev.weaklink.testing.ModuleSpec.Versions;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Version tables that the kernel parses in another layout than that of the module, and extended version tables. */
class VersionLayoutsTest {
    private static final int CRC = 0x0badcafe;

    /** A kernel that counts records of 64 bytes finds no record in a shorter table. */
    @ParameterizedTest
    @EnumSource(names = {"X86_64", "I386", "AARCH64", "ARM", "S390X"})
    void classicKernelFindsNothingInAShortPackedTable(Machine machine) {
        ModuleBuilder module =
                ModuleBuilder.typical(machine, "m").importing("printk", CRC).versions(Versions.Layout.PACKED);
        Kernels kernel = Kernels.version("6.8", machine).exporting("printk", CRC);

        Judged.alone(kernel, module)
                .isUndetermined()
                .noting("m: no symbol version for module_layout")
                .noting("m: no symbol version for printk");
        Judged.alone(kernel.rule(LoaderRule.MISSING_VERSION, "refuse"), module)
                .isRefused("ENOEXEC", Layer.MODULE_LAYOUT);
    }

    /** The first packed name is at the same offset as a classic name if unsigned long has 8 bytes. */
    @ParameterizedTest
    @EnumSource(names = {"X86_64", "S390X"})
    void a64BitClassicKernelReadsTheFirstPackedNameWithAWrongCrc(Machine machine) {
        Kernels kernel = Kernels.version("6.8", machine).exporting("printk", CRC);
        String filler = "a_symbol_that_makes_the_table_long_enough";
        kernel.exporting(filler, 1);
        ModuleBuilder layoutFirst = ModuleBuilder.typical(machine, "m")
                .importing("printk", CRC)
                .importing(filler, 1)
                .versions(Versions.Layout.PACKED);
        ModuleBuilder layoutLast = ModuleBuilder.typical(machine, "m")
                .withoutVersion("module_layout")
                .importing("printk", CRC)
                .importing(filler, 1)
                .version("module_layout", Kernels.LAYOUT_CRC)
                .versions(Versions.Layout.PACKED);

        Judged.alone(kernel, layoutFirst)
                .isRefused("ENOEXEC", Layer.MODULE_LAYOUT)
                .saying("m: disagrees about version of symbol module_layout");
        Judged.alone(kernel, layoutLast)
                .isRefused("EINVAL", Layer.SYMBOL_CRC)
                .saying("m: disagrees about version of symbol printk")
                .noting("m: no symbol version for " + filler);
    }

    @Test
    void a32BitClassicKernelSeesNoPackedName() {
        Kernels kernel = Kernels.version("6.8", Machine.ARM).exporting("printk", CRC);
        String filler = "a_symbol_that_makes_the_table_long_enough";

        Judged.alone(
                        kernel.exporting(filler, 1),
                        ModuleBuilder.typical(Machine.ARM, "m")
                                .importing("printk", CRC)
                                .importing(filler, 1)
                                .versions(Versions.Layout.PACKED))
                .isUndetermined();
    }

    @Test
    void packedKernelReadsAPackedTable() {
        Kernels kernel = kernel("6.8").rule(LoaderRule.VERSIONS_LAYOUT, "packed");
        ModuleBuilder module = using("printk", CRC).versions(Versions.Layout.PACKED);

        Judged.alone(kernel, module).isCompatible();
        Judged.alone(kernel, module.changedVersion("printk", 1)).isRefused("EINVAL", Layer.SYMBOL_CRC);
    }

    @Test
    void packedKernelReadsOneNameOfAClassicTableWithCrcZero() {
        Kernels kernel = kernel("6.8").rule(LoaderRule.VERSIONS_LAYOUT, "packed");

        Judged.alone(kernel, using("printk", CRC)).isRefused("ENOEXEC", Layer.MODULE_LAYOUT);
        Judged.alone(
                        kernel,
                        typical()
                                .withoutVersion("module_layout")
                                .importing("printk", CRC)
                                .version("module_layout", Kernels.LAYOUT_CRC))
                .isRefused("EINVAL", Layer.SYMBOL_CRC)
                .saying("m: disagrees about version of symbol printk")
                .noting("m: no symbol version for module_layout");
    }

    @Test
    void packedKernelFindsNothingInABigEndianClassicTable() {
        Kernels kernel = Kernels.version("6.8", Machine.S390X)
                .exporting("printk", CRC)
                .rule(LoaderRule.VERSIONS_LAYOUT, "packed");
        ModuleBuilder module = ModuleBuilder.typical(Machine.S390X, "m").importing("printk", CRC);

        // the upper half of the first slot is 0, which ends a packed table
        Judged.alone(kernel, module).isUndetermined();
    }

    @Test
    void packedKernelFollowsACrcToTheRecordItPointsTo() {
        Kernels kernel = kernel("6.8").rule(LoaderRule.VERSIONS_LAYOUT, "packed");
        ModuleBuilder module = typical()
                .withoutVersion("module_layout")
                .version("first", 64)
                .importing("printk", CRC)
                .version("module_layout", Kernels.LAYOUT_CRC);

        Judged.alone(kernel, module)
                .isRefused("EINVAL", Layer.SYMBOL_CRC)
                .saying("m: disagrees about version of symbol printk");
    }

    @Test
    void extendedVersionsGoBeforeTheOthersFrom614On() {
        ModuleBuilder rightOnlyExtended = typical()
                .importing("printk", 1)
                .extendedVersions(List.of(Kernels.LAYOUT_CRC, CRC), List.of("module_layout", "printk"));
        ModuleBuilder wrongOnlyExtended = using("printk", CRC)
                .extendedVersions(List.of(Kernels.LAYOUT_CRC, 1), List.of("module_layout", "printk"));

        Judged.alone(kernel("6.14"), rightOnlyExtended).isCompatible();
        Judged.alone(kernel("6.13"), rightOnlyExtended).isRefused("EINVAL", Layer.SYMBOL_CRC);
        Judged.alone(kernel("6.14"), wrongOnlyExtended).isRefused("EINVAL", Layer.SYMBOL_CRC);
        Judged.alone(kernel("6.13"), wrongOnlyExtended).isCompatible();
    }

    @Test
    void returnsEnoexecForAnotherExtendedCrcOfModuleLayout() {
        ModuleBuilder module = typical().extendedVersions(List.of(1), List.of("module_layout"));

        Judged.alone(kernel("6.14"), module).isRefused("ENOEXEC", Layer.MODULE_LAYOUT);
        Judged.alone(kernel("6.13"), module).isCompatible();
    }

    @ParameterizedTest
    @ValueSource(strings = {"accept", "refuse"})
    void acceptsAMissingExtendedEntryUnderAnyRule(String rule) {
        ModuleBuilder module =
                using("printk", CRC).extendedVersions(List.of(Kernels.LAYOUT_CRC), List.of("module_layout"));

        Judged.alone(kernel("6.14").rule(LoaderRule.MISSING_VERSION, rule), module)
                .isUndetermined()
                .noting("m: no extended symbol version for printk");
    }

    @Test
    void returnsEnoexecForHalfOfTheExtendedVersionsFrom614On() {
        ModuleBuilder module = typical().extendedVersions(null, List.of("module_layout"));

        Judged.alone(kernel("6.13"), module).isCompatible();
        Judged.alone(kernel("6.14"), module)
                .isRefused("ENOEXEC", Layer.ELF)
                .saying("extended version crc+name presence does not match");
    }

    private static Kernels kernel(String version) {
        return Kernels.version(version).exporting("printk", CRC);
    }

    private static ModuleBuilder typical() {
        return ModuleBuilder.typical(Machine.X86_64, "m");
    }

    private static ModuleBuilder using(String symbol, int crc) {
        return typical().importing(symbol, crc);
    }
}
