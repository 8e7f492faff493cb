package dev.weaklink.module;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.format.elf.ElfIdentity;
import dev.weaklink.module.ElfFields.Header;
import dev.weaklink.module.ElfFields.Section;
import dev.weaklink.module.KernelModule.ModuleBtf;
import dev.weaklink.module.ModuleReader.ModuleTypes;
import dev.weaklink.testing.ElfSection;
import dev.weaklink.testing.ExportFormat;
import dev.weaklink.testing.Machine;
import dev.weaklink.testing.ModuleBuilder;
import dev.weaklink.testing.ModuleSpec.Export;
import dev.weaklink.testing.ModuleSpec.Presence;
import dev.weaklink.testing.ModuleSpec.Versions;
import dev.weaklink.testing.Oddities;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests single facts, and the kernel's choice if a section or key occurs several times. */
class ModuleReaderTest {
    @Test
    void ignoresVersionsThatAreNotLoaded() {
        assertThat(read(typical().versions(Presence.NOT_ALLOCATED)).versions()).isNull();
    }

    @Test
    void readsAnEmptyVersionTable() {
        VersionTable table = read(typical().withoutVersion("module_layout")).versions();

        assertThat(table).isNotNull();
        assertThat(table.names().size()).isZero();
        assertThat(table.crcs()).isEmpty();
    }

    @Test
    void versionsWithoutContentsAreAnEmptyTable() {
        VersionTable table = read(typical().versions(Presence.NOBITS)).versions();

        assertThat(table).isNotNull();
        assertThat(table.names().size()).isZero();
    }

    @Test
    void usesTheFirstOfTwoVersionTables() {
        VersionTable table = read(typical().versions(Presence.TWICE)).versions();

        assertThat(table).isNotNull();
        assertThat(table.names().size()).isEqualTo(1);
    }

    @ParameterizedTest
    @CsvSource({"1, 1", "63, 1", "64, 1", "65, 0", "128, 0"})
    void ignoresATruncatedVersionRecord(int missingBytes, int records) {
        VersionTable table =
                read(typical().version("printk", 7).versionsLack(missingBytes)).versions();

        assertThat(table).isNotNull();
        assertThat(table.names().size()).isEqualTo(records);
    }

    @Test
    void readsATruncatedPackedTableAsAClassicOne() {
        VersionTable table =
                read(typical().versions(Versions.Layout.PACKED).versionsLack(4)).versions();

        assertThat(table).isNotNull();
        assertThat(table.layout()).isEqualTo(VersionTable.Layout.CLASSIC);
    }

    @Test
    void keepsTheUpperHalfOfA64BitCrcSlot() {
        VersionTable table = read(typical().version("printk", 0x1_0000_0007L)).versions();

        assertThat(table).isNotNull();
        assertThat(table.crcs()).containsExactly(0x11223344L, 0x1_0000_0007L);
    }

    @Test
    void modinfoThatIsNotLoadedIsReadAndMarked() {
        ModInfo modInfo = read(typical().modInfo(Presence.NOT_ALLOCATED)).modInfo();

        assertThat(modInfo.first("license")).isEqualTo("GPL");
        assertThat(modInfo.present()).isTrue();
        assertThat(modInfo.allocated()).isFalse();
    }

    @Test
    void modinfoWithoutContentsIsEmpty() {
        assertThat(read(typical().modInfo(Presence.NOBITS)).modInfo()).isEqualTo(new ModInfo(List.of(), true, true));
    }

    @Test
    void modinfoMayBeAbsent() {
        assertThat(read(typical().modInfo(Presence.ABSENT)).modInfo()).isEqualTo(ModInfo.ABSENT);
    }

    @Test
    void usesTheFirstEntryOfAKey() {
        ModInfo modInfo = read(ModuleBuilder.minimal(Machine.X86_64, "m")
                        .modInfo("licenses=no")
                        .modInfo("license")
                        .modInfo("license=GPL")
                        .modInfo("import_ns=A")
                        .modInfo("license=Proprietary")
                        .modInfo("import_ns=B=C")
                        .modInfo("import_ns="))
                .modInfo();

        assertThat(modInfo.first("license")).isEqualTo("GPL");
        assertThat(modInfo.all("import_ns")).containsExactly("A", "B=C", "");
        assertThat(modInfo.first("vermagic")).isNull();
    }

    @Test
    void readsEachByteOfModinfoAsACharacter() {
        ModuleBuilder module = typical().modInfo("author=J\u00f6rg \u001b[31m");

        assertThat(read(module).modInfo().first("author")).isEqualTo("J\u00f6rg \u001b[31m");
    }

    @Test
    void takesTheNameFromStructModuleThenModinfoThenTheFile() {
        ModuleBuilder module = ModuleBuilder.minimal(Machine.X86_64, "inner").modInfo("name=told");

        assertThat(read(module).name()).isEqualTo("inner");
        assertThat(read(module.structName("")).name()).isEqualTo("told");
        assertThat(read(module.withoutModInfo("name")).name()).isEqualTo("file_name");
    }

    @Test
    void findsNoNameInATooShortStructModule() {
        assertThat(read(typical().structSize(79)).structName()).isNull();
        assertThat(read(typical().structSize(80)).structName()).isEqualTo("m");
        assertThat(read(typical(Machine.ARM).structSize(71)).structName()).isNull();
        assertThat(read(typical(Machine.ARM).structSize(72)).structName()).isEqualTo("m");
    }

    @ParameterizedTest
    @EnumSource(Machine.class)
    void buildIdAndBtf(Machine machine) {
        String id = "00ff17a0b1c2d3e4f5060708090a0b0c0d0e0f10";

        KernelModule module = read(
                typical(machine).oddities(Oddities.NONE.andBuildId(id).andBtf().andBtfBase()));

        assertThat(module.buildId()).isEqualTo(id);
        assertThat(module.btf()).isEqualTo(new ModuleBtf(true, true));
        assertThat(read(typical(machine)).buildId()).isNull();
        assertThat(read(typical(machine)).btf()).isEqualTo(ModuleBtf.NONE);
    }

    @Test
    void readsTypesWithTheirBase() {
        byte[] own = typical(Machine.X86_64).oddities(Oddities.NONE.andBtf()).build();
        ModuleTypes types = Objects.requireNonNull(ModuleReader.types(own, own.length));
        assertThat(types.base()).isNull();
        assertThat(types.section().remaining()).isPositive();
        byte[] both = typical(Machine.X86_64)
                .oddities(Oddities.NONE.andBtf().andBtfBase())
                .build();
        types = Objects.requireNonNull(ModuleReader.types(both, both.length));
        assertThat(Objects.requireNonNull(types.base()).remaining()).isPositive();
        byte[] none = typical(Machine.X86_64).build();
        assertThat(ModuleReader.types(none, none.length)).isNull();
    }

    @Test
    void ignoresABuildIdLongerThanItsNote() {
        ElfFields elf = new ElfFields(
                Machine.X86_64,
                typical().oddities(Oddities.NONE.andBuildId("00112233")).build());
        int note = elf.section(".note.gnu.build-id");

        assertThat(read(elf.set(note, Section.SIZE, 19).bytes()).buildId()).isNull();
        assertThat(read(elf.set(note, Section.SIZE, 15).bytes()).buildId()).isNull();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void readsANoteOfALoadedModuleInEitherByteOrder(boolean little) {
        ByteBuffer note = ByteBuffer.allocate(20).order(little ? ByteOrder.LITTLE_ENDIAN : ByteOrder.BIG_ENDIAN);
        note.putInt(4).putInt(4).putInt(3).putInt(0x12345678).putInt(little ? 0x3322ff00 : 0x00ff2233);
        assertThat(BuildIdReader.ofNote(note.array())).isEqualTo("00ff2233");
        assertThat(BuildIdReader.ofNote(Arrays.copyOf(note.array(), 19))).isNull();
        assertThat(BuildIdReader.ofNote(new byte[0])).isNull();
        assertThat(BuildIdReader.ofNote(new byte[4096])).isNull();
        assertThat(BuildIdReader.ofNote(note.putInt(4, -1).array())).isNull();
    }

    @Test
    void recordsTheFirstRelocationWithANonZeroTarget() {
        Relocations relocations = read(typical()
                        .textRelocation(1, 0)
                        .textRelocation(2, 5)
                        .textRelocation(1, 5))
                .relocations();

        assertThat(relocations.firstNonZeroTarget()).isEqualTo(2);
    }

    @Test
    void checksFourBytesOfA32BitRelocation() {
        assertThat(read(typical().textRelocation(2, 1L << 32)).relocations().firstNonZeroTarget())
                .isEqualTo(-1);
        assertThat(read(typical().textRelocation(1, 1L << 32)).relocations().firstNonZeroTarget())
                .isEqualTo(1);
        assertThat(read(typical().textRelocation(24, 1L << 32)).relocations().firstNonZeroTarget())
                .isEqualTo(24);
    }

    @Test
    void recordsRelocationTypesOfAnyNumber() {
        Relocations relocations = read(typical()
                        .textRelocation(63, 0)
                        .textRelocation(64, 0)
                        .textRelocation(1 << 20, 0))
                .relocations();

        assertThat(relocations.uses()).extracting(Relocations.Use::type).contains(63, 64, 1 << 20);
        assertThat(relocations.types().get(64)).isTrue();
    }

    @Test
    void ignoresRelocationsOfSectionsThatAreNotLoaded() {
        ElfFields elf =
                new ElfFields(Machine.X86_64, typical().textRelocation(77, 1).build());

        assertThat(read(elf.bytes()).relocations().types().get(77)).isTrue();
        assertThat(read(elf.set(elf.section(".text"), Section.FLAGS, ElfSection.SHF_EXECINSTR)
                                .bytes())
                        .relocations()
                        .types()
                        .get(77))
                .isFalse();
    }

    /** Tests elf_check_arch, which checks only e_machine on x86-64 and arm64. */
    @ParameterizedTest
    @EnumSource(names = {"X86_64", "AARCH64", "I386", "ARM"})
    void ignoresTheClassByteIfTheMachineDecides(Machine machine) {
        ElfFields elf =
                new ElfFields(machine, typical(machine).importing("printk", 7).build());
        elf.set(Header.CLASS, machine.is64() ? 1 : 2);

        KernelModule module = read(elf.bytes());

        assertThat(module.defects()).isEmpty();
        assertThat(module.imports().names().name(0)).isEqualTo("printk");
    }

    @Test
    void usesTheByteOrderOfTheMachineNotOfTheHeader() {
        byte[] x86 = typical().build();
        x86[5] = 2;
        byte[] s390 = typical(Machine.S390X).build();
        s390[5] = 1;

        assertThat(read(x86).elf()).isEqualTo(new ElfIdentity(62, true, true, 0));
        assertThat(read(s390).elf()).isEqualTo(new ElfIdentity(22, true, false, 0));
        assertThat(read(s390).defects()).isEmpty();
    }

    @Test
    void readsGplOnlyFromFlags() {
        Exports exports = read(typical()
                        .exporting("a", Export.Table.GPL, 1)
                        .exporting("b", Export.Table.NORMAL, 2)
                        .exporting("c", Export.Table.GPL, 3)
                        .exportFormat(ExportFormat.current(Machine.X86_64).withFlags())
                        .build())
                .exports();

        assertThat(exports.names().size()).isEqualTo(3);
        assertThat(exports.gplOnly().stream()).containsExactly(0, 2);
    }

    @Test
    void keepsAnExportWithAnInvalidNameInOrder() {
        ElfFields elf = new ElfFields(
                Machine.X86_64,
                typical()
                        .exporting("a", Export.Table.NORMAL, 1)
                        .exporting("b", Export.Table.NORMAL, 2)
                        .build());
        int relocations = elf.section(".rela__ksymtab");
        // An export has three relocations; the changed one belongs to no field.
        int secondName = elf.offset(relocations) + 4 * 24;
        Arrays.fill(elf.bytes(), secondName, secondName + 8, (byte) 0x7f);

        Exports exports = read(elf.bytes()).exports();

        assertThat(exports.names().name(0)).isEqualTo("a");
        assertThat(exports.names().name(1)).isEmpty();
        assertThat(exports.crcs()).containsExactly(1, 2);
    }

    private static ModuleBuilder typical() {
        return typical(Machine.X86_64);
    }

    private static ModuleBuilder typical(Machine machine) {
        return ModuleBuilder.typical(machine, "m");
    }

    private static KernelModule read(ModuleBuilder module) {
        return read(module.build());
    }

    private static KernelModule read(byte[] bytes) {
        return ModuleReader.read(Origin.file("dir/file-name.ko.xz"), bytes, bytes.length);
    }
}
