package dev.weaklink.module;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.module.ElfDefect.ElfDefectKind;
import dev.weaklink.module.ElfFields.Header;
import dev.weaklink.module.ElfFields.Section;
import dev.weaklink.testing.ElfSection;
import dev.weaklink.testing.Machine;
import dev.weaklink.testing.ModuleBuilder;
import dev.weaklink.testing.ModuleSpec.ExtraSymbol;
import dev.weaklink.testing.ModuleSpec.Presence;
import dev.weaklink.testing.Oddities;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the loader's checks of single sections and symbols. The named functions are in kernel/module/main.c. */
class SectionDefectTest {
    private static final Machine MACHINE = Machine.X86_64;

    /** Tests elf_validity_cache_index_info (6.4+). */
    @Test
    void reportsSeveralModinfoSections() {
        assertThat(defects(typical().modInfo(Presence.TWICE).build()))
                .containsExactly(ElfDefect.of(ElfDefectKind.SEVERAL_MODINFO));
    }

    /** Tests elf_validity_cache_index_mod (6.4+), setup_load_info (before). */
    @Test
    void reportsAMissingStructModule() {
        assertThat(defects(typical().thisModule(Presence.ABSENT).build()))
                .containsExactly(ElfDefect.of(ElfDefectKind.NO_THIS_MODULE));
    }

    /** Tests elf_validity_cache_index_mod (6.4+). */
    @Test
    void reportsSeveralStructModules() {
        assertThat(defects(typical().thisModule(Presence.TWICE).build()))
                .contains(ElfDefect.of(ElfDefectKind.SEVERAL_THIS_MODULE));
    }

    /** Tests elf_validity_cache_index_mod (6.4+). */
    @Test
    void reportsAStructModuleWithoutContents() {
        assertThat(defects(typical().thisModule(Presence.NOBITS).build()))
                .containsExactly(ElfDefect.of(ElfDefectKind.THIS_MODULE_NOBITS));
    }

    /** Tests elf_validity_cache_index_mod (6.4+), and find_sec (before), which ignores the section. */
    @Test
    void reportsAStructModuleThatIsNotLoaded() {
        assertThat(defects(typical().thisModule(Presence.NOT_ALLOCATED).build()))
                .containsExactly(ElfDefect.of(ElfDefectKind.THIS_MODULE_NOT_ALLOCATED));
    }

    /** Tests elf_validity_cache_index_sym (6.4+), setup_load_info (before). */
    @Test
    void reportsAMissingSymbolTable() {
        assertThat(defects(typical().oddities(Oddities.NONE.andNoSymbolTable()).build()))
                .containsExactly(ElfDefect.of(ElfDefectKind.NO_SYMBOL_TABLE));
    }

    /** Tests elf_validity_cache_index_sym (6.4+): num_sym_secs != 1. */
    @Test
    void reportsSeveralSymbolTables() {
        ElfFields elf = new ElfFields(MACHINE, withEmptySections(1));

        assertThat(defects(elf.copy(elf.section(".symtab"), 1, true)))
                .containsExactly(ElfDefect.of(ElfDefectKind.SEVERAL_SYMBOL_TABLES));
    }

    /** Tests elf_validity_cache_strtab (6.13+): the table begins and ends with NUL. */
    @Test
    void reportsAStringTableWithoutNulAtBothEnds() {
        ElfFields cut = elf();
        int strings = cut.section(".strtab");
        cut.set(strings, Section.SIZE, cut.get(strings, Section.SIZE) - 1);
        ElfFields scribbled = elf();
        scribbled.bytes()[scribbled.offset(strings)] = 'x';

        assertThat(defects(cut)).contains(ElfDefect.of(ElfDefectKind.STRING_TABLE_UNTERMINATED));
        assertThat(defects(scribbled)).contains(ElfDefect.of(ElfDefectKind.STRING_TABLE_UNTERMINATED));
    }

    /** Kernels without a check of the type read the names nevertheless. */
    @Test
    void reportsAStringTableThatClaimsToHaveNoContents() {
        ElfFields elf = elf();
        elf.set(elf.section(".strtab"), Section.TYPE, 8);

        assertThat(defects(elf)).contains(ElfDefect.of(ElfDefectKind.STRING_TABLE_TYPE, 8, 0));
    }

    /** Tests elf_validity_cache_strtab (6.13+): st_name of an undefined symbol. */
    @Test
    void reportsASymbolNameOutsideTheStringTable() {
        ElfFields elf = new ElfFields(MACHINE, typical().importing("wanted", 1).build());
        int symtab = elf.section(".symtab");
        int count = (int) elf.get(symtab, Section.SIZE) / 24;
        ByteBuffer bytes = ByteBuffer.wrap(elf.bytes()).order(ByteOrder.LITTLE_ENDIAN);
        long size = elf.get(elf.section(".strtab"), Section.SIZE);
        for (int i = 1; i < count; i++) {
            if (bytes.getShort(elf.offset(symtab) + i * 24 + 6) == ElfSection.SHT_NULL) {
                bytes.putInt(elf.offset(symtab) + i * 24, (int) size);
            }
        }

        assertThat(defects(elf)).containsExactly(ElfDefect.of(ElfDefectKind.SYMBOL_NAME_OUTSIDE));
        assertThat(read(elf.bytes()).imports().names().size()).isZero();
    }

    /**
     * Tests elf_validity_cache_strtab (6.13+), which checks all symbols; before, layout_symtab reads beyond the table.
     */
    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void reportsTheNameOfADefinedSymbol(int symbol) {
        ElfFields elf = elf();
        ByteBuffer bytes = ByteBuffer.wrap(elf.bytes()).order(ByteOrder.LITTLE_ENDIAN);
        bytes.putInt(elf.offset(elf.section(".symtab")) + symbol * 24, 0xfff2);

        assertThat(defects(elf)).contains(ElfDefect.of(ElfDefectKind.SYMBOL_NAME_OUTSIDE));
    }

    /** Tests elf_validity_cache_index_versions (6.14+). */
    @Test
    void reportsHalfOfTheExtendedVersions() {
        ElfDefect half = ElfDefect.of(ElfDefectKind.EXTENDED_VERSIONS_HALF);

        assertThat(defects(typical().extendedVersions(List.of(1), null).build()))
                .containsExactly(half);
        assertThat(defects(typical().extendedVersions(null, List.of("a")).build()))
                .containsExactly(half);
    }

    /** Tests elf_validity_cache_index_versions (6.14+). */
    @Test
    void reportsMoreExtendedCrcsThanNames() {
        // The section ends with an additional NUL, which counts as an empty name.
        assertThat(defects(
                        typical().extendedVersions(List.of(1, 2), List.of("a")).build()))
                .isEmpty();
        assertThat(defects(typical()
                        .extendedVersions(List.of(1, 2, 3), List.of("a"))
                        .build()))
                .containsExactly(ElfDefect.of(ElfDefectKind.EXTENDED_VERSIONS_NAMES));
    }

    /** Tests module_enforce_rwx_sections (5.8+). */
    @Test
    void reportsAWritableAndExecutableSection() {
        ElfFields elf = new ElfFields(
                MACHINE, typical().oddities(Oddities.NONE.andWritableCode()).build());

        assertThat(defects(elf))
                .containsExactly(new ElfDefect(ElfDefectKind.WRITABLE_AND_EXECUTABLE, elf.section(".wx"), 0, ".wx"));
    }

    /** Tests module_frob_arch_sections, which the loader calls before module_enforce_rwx_sections. */
    @ParameterizedTest
    @CsvSource({
        "ARM, .plt, true",
        "ARM, .init.plt, true",
        "AARCH64, .plt, true",
        "AARCH64, .text.ftrace_trampoline, true",
        "RISCV64, .got.plt, true",
        "RISCV64, .init.plt, false",
        "X86_64, .plt, false",
        "PPC64LE, .plt, false",
    })
    void flagsThatTheLoaderRewritesDoNotMatter(Machine machine, String section, boolean rewritten) {
        ModuleBuilder module = ModuleBuilder.typical(machine, "m").oddities(Oddities.NONE.andWritableCode(section));

        assertThat(kinds(module).contains(ElfDefectKind.WRITABLE_AND_EXECUTABLE))
                .isNotEqualTo(rewritten);
    }

    /**
     * Tests layout_sections, which adds sizes in an unsigned int. Sections that are not copied may be outside the file.
     */
    @ParameterizedTest
    @CsvSource({"200000000, 0", "1610612736, 1610612736", "4294967296, 0"})
    void reportsSectionsOfManyMegabytes(long size, long noted) {
        ElfFields elf = new ElfFields(MACHINE, typical().build());
        int text = elf.section(".text");
        elf.set(text, Section.TYPE, ElfSection.SHT_NOBITS).set(text, Section.SIZE, size);

        assertThat(defects(elf).stream().mapToLong(ElfDefect::first).map(bytes -> bytes >> 20))
                .isEqualTo(noted == 0 ? List.of() : List.of(noted >> 20));
    }

    /** Tests simplify_symbols of 5.15, 6.1 and 6.12 stable releases since 2026. */
    @Test
    void reportsASymbolInASectionThatDoesNotExist() {
        ElfFields elf = new ElfFields(
                MACHINE, typical().symbol("lost", ExtraSymbol.Kind.DEFINED).build());
        int symtab = elf.section(".symtab");
        int last = elf.offset(symtab) + (int) elf.get(symtab, Section.SIZE) - 24;
        long count = elf.get(Header.SHNUM);
        ByteBuffer.wrap(elf.bytes()).order(ByteOrder.LITTLE_ENDIAN).putShort(last + 6, (short) count);

        assertThat(defects(elf))
                .containsExactly(new ElfDefect(ElfDefectKind.BAD_SYMBOL_SECTION, count, count - 1, "lost"));
    }

    /** Tests simplify_symbols: SHN_COMMON, except for symbols of link-time optimisation. */
    @Test
    void reportsACommonSymbol() {
        ModuleBuilder module = typical()
                .importing("first", 1)
                .symbol("__gnu_lto_v1", ExtraSymbol.Kind.COMMON)
                .symbol("shared", ExtraSymbol.Kind.COMMON);

        assertThat(defects(module.build())).containsExactly(new ElfDefect(ElfDefectKind.COMMON_SYMBOL, 1, 0, "shared"));
    }

    /** Tests find_module_sections with CONFIG_CONSTRUCTORS. */
    @Test
    void reportsConstructorsOfTwoKinds() {
        ElfFields elf = new ElfFields(MACHINE, withEmptySections(2));
        int names = elf.offset((int) elf.get(Header.SHSTRNDX));
        // The name table keeps only one copy of ".empty", so both names need bytes behind the file.
        byte[] bytes = Arrays.copyOf(elf.bytes(), elf.bytes().length + 512);
        ElfFields longer = new ElfFields(MACHINE, bytes);
        int table = (int) longer.get(Header.SHSTRNDX);
        int size = (int) longer.get(table, Section.SIZE);
        int moved = elf.bytes().length;
        byte[] more = ".ctors\0.init_array\0".getBytes(StandardCharsets.US_ASCII);
        System.arraycopy(bytes, names, bytes, moved, size);
        System.arraycopy(more, 0, bytes, moved + size, more.length);
        longer.set(table, Section.OFFSET, moved).set(table, Section.SIZE, size + more.length);
        longer.set(1, Section.NAME, size).set(1, Section.FLAGS, ElfSection.SHF_ALLOC);
        longer.set(2, Section.NAME, size + 7).set(2, Section.FLAGS, ElfSection.SHF_ALLOC);

        assertThat(defects(longer)).containsExactly(ElfDefect.of(ElfDefectKind.CTORS_AND_INIT_ARRAY));
    }

    private static ModuleBuilder typical() {
        return ModuleBuilder.typical(MACHINE, "m");
    }

    private static ElfFields elf() {
        return new ElfFields(MACHINE, typical().build());
    }

    private static byte[] withEmptySections(int count) {
        return typical().oddities(Oddities.NONE.andEmptySections(count)).build();
    }

    /** Tests module_frob_arch_sections. If a module has none of the optional sections, none is missing. */
    @ParameterizedTest
    @CsvSource({
        "AARCH64, .plt, ARCH_SECTION_MISSING",
        "AARCH64, .init.plt, ARCH_SECTION_MISSING",
        "AARCH64, .text.ftrace_trampoline, TRAMPOLINE_MISSING",
        "AARCH64, .init.text.ftrace_trampoline, TRAMPOLINE_MISSING",
        "RISCV64, .plt, ARCH_SECTION_MISSING",
        "RISCV64, .got, ARCH_SECTION_MISSING",
        "RISCV64, .got.plt, ARCH_SECTION_MISSING",
        "PPC64LE, .stubs, ARCH_SECTION_MISSING",
        "LOONGARCH64, .got, ARCH_SECTION_MISSING",
        "LOONGARCH64, .plt, ARCH_SECTION_MISSING",
        "LOONGARCH64, .plt.idx, ARCH_SECTION_MISSING",
        "S390X, .plt, ",
        "ARM, .plt, ",
    })
    void reportsAMissingSectionThatTheLoaderRequires(Machine machine, String section, ElfDefectKind kind) {
        ModuleBuilder module = ModuleBuilder.typical(machine, "m");
        Oddities without = Oddities.NONE.andMissing(section);

        assertThat(kinds(module)).isEmpty();
        assertThat(kinds(module.oddities(without))).isEqualTo(kind == null ? List.of() : List.of(kind));
    }

    /** Tests modules for a kernel that does not search for these sections, and so builds modules without them. */
    @ParameterizedTest
    @EnumSource(names = {"AARCH64", "RISCV64"})
    void reportsNothingForAModuleWithoutOptionalSections(Machine machine) {
        Oddities none = Oddities.NONE;
        for (String section : machine.moduleSections()) {
            none = none.andMissing(section);
        }

        assertThat(kinds(ModuleBuilder.typical(machine, "m").oddities(none))).isEmpty();
    }

    /** Tests add_sect_attrs. Sections that are not loaded have no file in /sys/module. */
    @Test
    void reportsSectionsOfOneName() {
        assertThat(defects(typical().oddities(Oddities.NONE.andSection(".text")).build()))
                .containsExactly(new ElfDefect(ElfDefectKind.SECTION_NAME_TWICE, 5, 0, ".text"));
        assertThat(defects(
                        typical().oddities(Oddities.NONE.andSection(".symtab")).build()))
                .extracting(ElfDefect::kind)
                .containsExactly(ElfDefectKind.SECTION_NAME_TWICE);
        assertThat(defects(withEmptySections(2))).isEmpty();
    }

    /** Tests move_module, which copies all of struct module. */
    @ParameterizedTest
    @CsvSource({
        "X86_64, 80, true",
        "X86_64, 895, true",
        "X86_64, 0, false",
        "X86_64, 79, false",
        "I386, 72, true",
        "I386, 71, false",
        "S390X, 80, true",
    })
    void reportsAByteOfStructModule(Machine machine, int at, boolean noted) {
        ElfFields elf =
                new ElfFields(machine, ModuleBuilder.typical(machine, "m").build());
        elf.bytes()[elf.offset(elf.section(".gnu.linkonce.this_module")) + at] = 1;

        ElfDefect found = ElfDefect.of(ElfDefectKind.STRUCT_MODULE_BYTES, at, 0);
        assertThat(defects(elf)).isEqualTo(noted ? List.of(found) : List.of());
    }

    /** Tests SHT_REL, whose addends are in the fields of init and exit. */
    @Test
    void allowsBytesThatARelocationOverwrites() {
        ElfFields elf = new ElfFields(
                Machine.I386, ModuleBuilder.typical(Machine.I386, "m").build());
        elf.bytes()[elf.offset(elf.section(".gnu.linkonce.this_module")) + 76] = 1;

        assertThat(defects(elf)).isEmpty();
    }

    /**
     * Tests kernel/livepatch/core.c:klp_apply_section_relocs, on every machine and for every value of
     * {@code livepatch=}.
     */
    @ParameterizedTest
    @CsvSource({
        ".klp.rela.vmlinux..text, true",
        ".klp.rela.ext4..text, false",
        ".klp.rela., true",
        ".klp.rela, true",
        ".rela.text, true"
    })
    void findsRelocationsThatTheLivePatchCodeApplies(String name, boolean applied) {
        for (Machine machine : Machine.values()) {
            byte[] built = ModuleBuilder.typical(machine, "m")
                    .oddities(Oddities.NONE.andSection(name))
                    .build();
            ElfFields elf = new ElfFields(machine, built);
            int section = elf.section(name);
            elf.set(section, Section.FLAGS, 0x00100000);
            assertThat(kinds(elf)).doesNotContain(ElfDefectKind.LIVE_PATCH_RELOCATIONS);
            elf.set(section, Section.INFO, elf.section(".text"));

            assertThat(kinds(elf).contains(ElfDefectKind.LIVE_PATCH_RELOCATIONS))
                    .isEqualTo(applied);
        }
    }

    private static List<ElfDefectKind> kinds(ElfFields elf) {
        return defects(elf).stream().map(ElfDefect::kind).toList();
    }

    private static List<ElfDefectKind> kinds(ModuleBuilder module) {
        return defects(module.build()).stream().map(ElfDefect::kind).toList();
    }

    private static List<ElfDefect> defects(ElfFields elf) {
        return defects(elf.bytes());
    }

    private static List<ElfDefect> defects(byte[] bytes) {
        return read(bytes).defects();
    }

    private static KernelModule read(byte[] bytes) {
        return ModuleReader.read(Origin.file("m.ko"), bytes, bytes.length);
    }
}
