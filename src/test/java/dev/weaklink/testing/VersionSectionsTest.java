package dev.weaklink.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weaklink.testing.ModuleSpec.Version;
import dev.weaklink.testing.ModuleSpec.Versions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Compares the sections byte for byte with the dump of readelf. */
class VersionSectionsTest {
    @TempDir
    Path directory;

    @Test
    void writesTheCrcIntoTheLastBytesOfA64BitBigEndianSlot() throws IOException {
        ModuleBuilder module = ModuleBuilder.minimal(Machine.S390X, "demo").version("abc", 0x11223344L);

        assertThat(dump("__versions", module)).isEqualTo("0000000011223344" + "616263" + "00".repeat(53));
    }

    @Test
    void writesFourBytesOfCrcOn32BitMachines() throws IOException {
        ModuleBuilder module = ModuleBuilder.minimal(Machine.ARM, "demo").version("abc", 0x11223344L);

        assertThat(dump("__versions", module)).isEqualTo("44332211" + "616263" + "00".repeat(57));
    }

    @Test
    void packedRecordsAreAsLongAsTheirNamesNeedAndEndWithEightZeroBytes() throws IOException {
        ModuleBuilder module = ModuleBuilder.minimal(Machine.X86_64, "demo")
                .versions(Versions.Layout.PACKED)
                .version("abc", 0x11223344L)
                .version("abcd", 0x55667788L);

        assertThat(dump("__versions", module))
                .isEqualTo("0c000000"
                        + "44332211"
                        + "61626300"
                        + "10000000"
                        + "88776655"
                        + "6162636400000000"
                        + "0000000000000000");
    }

    @Test
    void packedNumbersAreInTheMachinesByteOrder() throws IOException {
        ModuleBuilder module = ModuleBuilder.minimal(Machine.PPC64, "demo")
                .versions(Versions.Layout.PACKED)
                .version("abc", 0x11223344L);

        assertThat(dump("__versions", module)).isEqualTo("0000000c" + "11223344" + "61626300" + "0000000000000000");
    }

    @Test
    void extendedVersionsAreTwoSectionsTheSecondWithOneNulMore() throws IOException {
        ModuleBuilder module = ModuleBuilder.minimal(Machine.S390X, "demo")
                .extendedVersions(List.of(0x11223344, -1), List.of("abc", "d"));

        assertThat(dump("__version_ext_crcs", module)).isEqualTo("11223344ffffffff");
        assertThat(dump("__version_ext_names", module)).isEqualTo("61626300" + "6400" + "00");
    }

    @Test
    void theSectionCanLackBytesAtItsEnd() throws IOException {
        ModuleBuilder module =
                ModuleBuilder.minimal(Machine.X86_64, "demo").version("abc", 1).versionsLack(60);

        assertThat(dump("__versions", module)).isEqualTo("01000000");
    }

    @Test
    void refusesANameThatFillsTheField() {
        ModuleBuilder module = ModuleBuilder.minimal(Machine.X86_64, "demo").version("a".repeat(56), 1);

        assertThatThrownBy(module::build).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void removesTheLeadingDotOnPowerPc() {
        ModuleSpec module = ModuleBuilder.minimal(Machine.PPC64, "demo")
                .importing(".TOC.", false)
                .importing(".printk", 7)
                .spec();

        assertThat(module.imports()).hasSize(2);
        assertThat(module.importsAsLoaded()).containsExactly(new ModuleSpec.Import("printk", false));
        assertThat(module.versionsAsLoaded()).containsExactly(new Version("printk", 7));
    }

    @Test
    void theDotStaysOnOtherMachines() {
        ModuleSpec module = ModuleBuilder.minimal(Machine.S390X, "demo")
                .importing(".printk", 7)
                .spec();

        assertThat(module.importsAsLoaded()).containsExactly(new ModuleSpec.Import(".printk", false));
    }

    @Test
    void keepsTheLowerHalfOfACrcInANarrowSlot() {
        long wide = 0x1_0000_0002L;

        assertThat(ModuleBuilder.minimal(Machine.X86_64, "demo")
                        .version("a", wide)
                        .spec())
                .satisfies(
                        spec -> assertThat(spec.versionsAsLoaded().get(0).crc()).isEqualTo(wide));
        assertThat(ModuleBuilder.minimal(Machine.I386, "demo")
                        .version("a", wide)
                        .spec())
                .satisfies(
                        spec -> assertThat(spec.versionsAsLoaded().get(0).crc()).isEqualTo(2));
    }

    private String dump(String section, ModuleBuilder module) throws IOException {
        Path file = Files.write(directory.resolve("demo.ko"), module.build());
        return ExternalTool.orSkip("readelf")
                .run("-W", "-x", section, file.toString())
                .lines()
                .filter(line -> line.startsWith("  0x"))
                .map(line -> line.substring(13, 48).replace(" ", ""))
                .collect(Collectors.joining());
    }
}
