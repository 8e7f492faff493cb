package dev.weaklink.module;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.module.Allocation.Measured;
import dev.weaklink.module.ElfDefect.ElfDefectKind;
import dev.weaklink.module.ElfFields.Section;
import dev.weaklink.testing.ElfSection;
import dev.weaklink.testing.ExportFormat;
import dev.weaklink.testing.ExportFormat.References;
import dev.weaklink.testing.Machine;
import dev.weaklink.testing.ModuleBuilder;
import dev.weaklink.testing.ModuleSpec.Export;
import dev.weaklink.testing.ModuleSpec.ExtraSymbol;
import dev.weaklink.testing.Oddities;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests small files with overlapping or repeated data. The reader must read the data once or stop. */
class HostileModuleTest {
    private static final String LONG_NAME = "a".repeat(200_000);
    private static final int MANY = 4_000;
    private static final int SYMBOL_SIZE = 24;
    private static final int RELA_SIZE = 24;

    @Test
    void importsThatAllHaveTheSameLongName() {
        ModuleBuilder module = ModuleBuilder.typical(Machine.X86_64, "m").importing(LONG_NAME, false);
        for (int i = 0; i < MANY; i++) {
            module.importing("s" + i, false);
        }

        KernelModule read = readBounded(sharingTheFirstImportsName(module.build()));

        assertThat(read.defects()).extracting(ElfDefect::kind).containsExactly(ElfDefectKind.NAMES_OVERLAP);
        assertThat(read.imports().names().size()).isPositive();
    }

    @Test
    void commonSymbolsThatAllHaveTheSameLongName() {
        ModuleBuilder module = ModuleBuilder.typical(Machine.X86_64, "m").importing(LONG_NAME, false);
        for (int i = 0; i < MANY; i++) {
            module.symbol("s" + i, ExtraSymbol.Kind.COMMON);
        }

        KernelModule read = readBounded(sharingTheFirstImportsName(module.build()));

        assertThat(read.defects()).extracting(ElfDefect::kind).contains(ElfDefectKind.NAMES_OVERLAP);
    }

    @Test
    void exportsThatAllHaveTheSameLongNameAndNamespace() {
        ModuleBuilder module = ModuleBuilder.typical(Machine.X86_64, "m")
                .exportFormat(ExportFormat.current(Machine.X86_64).with(References.SECTION_SYMBOL))
                .exporting(LONG_NAME, Export.Table.NORMAL, 1);
        for (int i = 0; i < MANY; i++) {
            module.exporting("s" + i, Export.Table.NORMAL, 1);
        }
        ElfFields elf = new ElfFields(Machine.X86_64, module.build());
        ByteBuffer bytes = ByteBuffer.wrap(elf.bytes()).order(ByteOrder.LITTLE_ENDIAN);
        int relocations = elf.section(".rela__ksymtab");
        long longName = bytes.getLong(elf.offset(relocations) + RELA_SIZE + 16);
        for (int i = 0; i < (MANY + 1) * 3; i++) {
            if (i % 3 != 0) {
                bytes.putLong(elf.offset(relocations) + i * RELA_SIZE + 16, longName);
            }
        }

        KernelModule read = readBounded(elf.bytes());

        assertThat(read.defects()).extracting(ElfDefect::kind).contains(ElfDefectKind.NAMES_OVERLAP);
    }

    @Test
    void relocationSectionsThatAllLieInTheSamePlace() {
        ModuleBuilder module =
                ModuleBuilder.typical(Machine.X86_64, "m").oddities(Oddities.NONE.andEmptySections(60_000));
        for (int i = 0; i < MANY; i++) {
            module.textRelocation(1, 0);
        }
        ElfFields elf = new ElfFields(Machine.X86_64, module.build());
        int relocations = elf.section(".rela.text");
        for (int i = 1; i <= 60_000; i++) {
            elf.copy(relocations, i, true);
        }

        KernelModule read = readBounded(elf.bytes());

        assertThat(read.relocations()).isEqualTo(Relocations.NOT_EXAMINED);
    }

    @Test
    void exportTablesWithRelocationSectionsThatAllLieInTheSamePlace() {
        ModuleBuilder module =
                ModuleBuilder.typical(Machine.X86_64, "m").oddities(Oddities.NONE.andEmptySections(60_000));
        for (int i = 0; i < MANY; i++) {
            module.exporting("s" + i, Export.Table.NORMAL, i);
        }
        ElfFields elf = new ElfFields(Machine.X86_64, module.build());
        int relocations = elf.section(".rela__ksymtab");
        for (int i = 1; i <= 60_000; i++) {
            elf.copy(relocations, i, true);
        }

        assertThat(readBounded(elf.bytes()).exports().names().size()).isEqualTo(MANY);
    }

    @Test
    void readsMoreSectionsThanASignedShortCanCount() {
        ModuleBuilder module = ModuleBuilder.typical(Machine.S390X, "m")
                .importing("printk", 7)
                .oddities(Oddities.NONE.andEmptySections(33_000));

        KernelModule read = readBounded(module.build());

        assertThat(read.defects()).isEmpty();
        assertThat(read.structName()).isEqualTo("m");
        assertThat(read.imports().names().name(0)).isEqualTo("printk");
        assertThat(read.versions()).isNotNull();
    }

    @Test
    void allocatesNothingForAClaimedHugeSection() {
        for (String section : new String[] {"__versions", ".modinfo", "__ksymtab", "__kcrctab"}) {
            ElfFields elf = new ElfFields(Machine.X86_64, exporter().build());
            int index = elf.section(section);
            for (long size : new long[] {1L << 31, 1L << 32, Long.MAX_VALUE, -1, -elf.offset(index)}) {
                KernelModule read =
                        readBounded(elf.set(index, Section.SIZE, size).bytes());

                assertThat(read.defects()).extracting(ElfDefect::kind).contains(ElfDefectKind.SECTION_OUTSIDE);
            }
        }
    }

    @Test
    void limitsExtendedVersionsToTheirSection() {
        ModuleBuilder module = ModuleBuilder.typical(Machine.X86_64, "m")
                .extendedVersions(Collections.nCopies(50_000, 1), List.of("a"));

        KernelModule read = readBounded(module.build());

        assertThat(read.defects()).extracting(ElfDefect::kind).containsExactly(ElfDefectKind.EXTENDED_VERSIONS_NAMES);
    }

    private static ModuleBuilder exporter() {
        return ModuleBuilder.typical(Machine.X86_64, "m").exporting("x", Export.Table.NORMAL, 1);
    }

    private static byte[] sharingTheFirstImportsName(byte[] module) {
        ElfFields elf = new ElfFields(Machine.X86_64, module);
        ByteBuffer bytes = ByteBuffer.wrap(module).order(ByteOrder.LITTLE_ENDIAN);
        int symtab = elf.sectionOfType(ElfSection.SHT_SYMTAB);
        int start = elf.offset(symtab);
        int end = start + (int) elf.get(symtab, Section.SIZE);
        int strings = elf.offset((int) elf.get(symtab, Section.LINK));
        int longName = new String(module, StandardCharsets.ISO_8859_1).indexOf(LONG_NAME, strings) - strings;
        for (int at = start + SYMBOL_SIZE; at < end; at += SYMBOL_SIZE) {
            bytes.putInt(at, longName);
        }
        return module;
    }

    private static KernelModule readBounded(byte[] bytes) {
        // The first run may load classes.
        ModuleReader.read(Origin.file("m.ko"), bytes, bytes.length);
        Measured<KernelModule> measured =
                Allocation.of(() -> ModuleReader.read(Origin.file("m.ko"), bytes, bytes.length));

        assertThat(measured.bytes()).isLessThan(100_000 + 20L * bytes.length);
        return measured.result();
    }
}
