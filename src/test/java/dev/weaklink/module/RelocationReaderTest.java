package dev.weaklink.module;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.weaklink.module.ElfFields.Section;
import dev.weaklink.module.Relocations.RelocatedField;
import dev.weaklink.module.Relocations.Use;
import dev.weaklink.module.Relocations.Value;
import dev.weaklink.testing.ElfSection;
import dev.weaklink.testing.Machine;
import dev.weaklink.testing.ModuleBuilder;
import dev.weaklink.testing.Oddities;
import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests relocations with one changed field, on x86-64 (arch/x86/kernel/module.c) unless stated. */
class RelocationReaderTest {
    private static final int RELA = 24;
    private static final int R_OFFSET = 0;
    private static final int R_INFO = 8;
    private static final int R_ADDEND = 16;

    private ElfFields elf;
    private int table;
    private ByteBuffer bytes;

    RelocationReaderTest() {
        open(Machine.X86_64, 2, 11);
    }

    private void open(Machine machine, int first, int second) {
        ModuleBuilder module = ModuleBuilder.typical(machine, "m").importing("printk", 1);
        elf = new ElfFields(
                machine,
                module.textRelocation(first, 0).textRelocation(second, 0).build());
        table = elf.offset(elf.section(".rela.text"));
        bytes = ByteBuffer.wrap(elf.bytes()).order(machine.order());
    }

    @Test
    void acceptsAnUnchangedModule() {
        assertThat(first().place()).isEqualTo(RelocatedField.FREE);
        assertThat(uses()).extracting(Use::value).containsOnly(Value.FITS);
    }

    @ParameterizedTest
    @CsvSource({"-1000000, OUTSIDE", "1000000, OUTSIDE", "8, FREE", "3, USED_BEFORE", "0, USED_BEFORE"})
    void checksTheRelocatedBytes(long behindFirst, RelocatedField place) {
        bytes.putLong(table + RELA + R_OFFSET, bytes.getLong(table + R_OFFSET) + behindFirst);

        assertThat(uses()).extracting(Use::place).contains(place);
    }

    /** Writes four or eight bytes, also across the border of two words of the reader's marks. */
    @Test
    void refusesTwoRelocationsOfOneByte() {
        elf.set(elf.section(".text"), ElfFields.Section.SIZE, 100);
        for (int first = 50; first < 80; first++) {
            for (int second = first - 9; second <= first + 9; second++) {
                for (int types = 0; types < 4; types++) {
                    int wide = types & 1;
                    int wideToo = types >> 1;
                    bytes.putLong(table + R_OFFSET, first).putLong(table + RELA + R_OFFSET, second);
                    bytes.putLong(table + R_INFO, 2 - wide).putLong(table + RELA + R_INFO, 2 - wideToo);
                    boolean apart = second >= first + 4 + 4 * wide || first >= second + 4 + 4 * wideToo;

                    assertThat(uses().stream().anyMatch(use -> use.place() == RelocatedField.USED_BEFORE))
                            .as("%d and %d, types %d", first, second, types)
                            .isEqualTo(!apart);
                }
            }
        }
    }

    /** Uses overlapping sections, which would each need a mark for each byte. */
    @Test
    void doesNotExamineOverlappingSections() {
        for (String name : List.of(".text", ".gnu.linkonce.this_module")) {
            int section = elf.section(name);
            elf.set(section, ElfFields.Section.SIZE, elf.bytes().length - elf.offset(section));
        }

        assertThat(ModuleReader.readRelocations(elf.bytes(), elf.bytes().length).examined())
                .isFalse();
    }

    /** Uses symbol 0, whose value does not depend on the module's address. */
    @ParameterizedTest
    @CsvSource({
        "11, 2147483647, FITS",
        "11, 2147483648, OVERFLOWS",
        "11, -2147483649, OVERFLOWS",
        "10, -1, OVERFLOWS",
        "10, 4294967295, FITS",
        "10, 4294967296, OVERFLOWS",
        "2, 4294967296, FITS",
        "1, 4294967296, FITS"
    })
    void checksTheRangeOfAnAbsoluteValue(int type, long value, Value expected) {
        bytes.putLong(table + RELA + R_INFO, type).putLong(table + RELA + R_ADDEND, value);

        assertThat(uses())
                .filteredOn(use -> use.index() == 1)
                .extracting(Use::value)
                .isSubsetOf(expected);
        assertThat(uses()).extracting(Use::value).contains(expected);
    }

    /**
     * Uses an address in the last two GiB, where modules are loaded. Sign-extended, such an address fits 32 bits;
     * zero-extended, it does not.
     */
    @ParameterizedTest
    @CsvSource({"11, 0, FITS", "10, 0, OVERFLOWS", "11, 4000000000, OVERFLOWS", "11, -900000000, UNCERTAIN"})
    void checksAnAddressInTheModule(int type, long addend, Value expected) {
        long inModule = symbolIn(elf.section(".text"));
        bytes.putLong(table + RELA + R_INFO, inModule << 32 | type);
        bytes.putLong(table + RELA + R_ADDEND, addend);

        assertThat(uses()).extracting(Use::value).contains(expected);
    }

    /**
     * Uses symbols of the kernel. Their addresses are in the last two GiB, too, unless they are absolute or per-CPU.
     */
    @ParameterizedTest
    @CsvSource({"11, FITS", "10, UNCERTAIN"})
    void checksAnAddressInTheKernel(int type, Value expected) {
        bytes.putLong(table + RELA + R_INFO, symbolIn(0) << 32 | type);

        assertThat(uses())
                .filteredOn(use -> use.index() == 1)
                .extracting(Use::value)
                .isSubsetOf(expected);
        assertThat(uses()).extracting(Use::value).contains(expected);
    }

    /**
     * Tests arch/s390/kernel/module.c (apply_rela, apply_rela_bits) and arch/arm64/kernel/module.c (apply_relocate_add,
     * reloc_data, reloc_insn_movw). The symbol is in the relocated section, in another section, or in the kernel.
     */
    @ParameterizedTest
    @CsvSource({
        "S390X, 19, .text, 0, FITS",
        "S390X, 19, .text, 1, OVERFLOWS",
        "S390X, 19, .gnu.linkonce.this_module, -1, OVERFLOWS",
        "S390X, 19, .modinfo, -1, UNCERTAIN",
        "S390X, 19, '', 2, UNCERTAIN",
        "AARCH64, 261, '', 0, FITS",
        "RISCV64, 23, .text, 0, FITS",
        "RISCV64, 23, .text, 8589934592, OVERFLOWS",
        "RISCV64, 23, '', 8589934592, UNCERTAIN",
        "RISCV64, 19, .text, 8589934592, UNCERTAIN",
        "RISCV64, 19, '', 0, FITS",
        "RISCV64, 1, .text, 0, OVERFLOWS",
        "RISCV64, 24, '', 0, NO_UPPER_HALF",
        "RISCV64, 25, .modinfo, 0, NO_UPPER_HALF",
        "S390X, 20, .gnu.linkonce.this_module, 1, OVERFLOWS",
        "S390X, 20, '', 2, FITS",
        "S390X, 20, .gnu.linkonce.this_module, 1099511627776, UNCERTAIN",
        "S390X, 18, '', 2, UNCERTAIN",
        "S390X, 6, '', 0, UNCERTAIN",
        "S390X, 26, .text, 2, FITS",
        "S390X, 26, .text, 1, OVERFLOWS",
        "S390X, 26, '', 65535, OVERFLOWS",
        "S390X, 33, '', 1, OVERFLOWS",
        "S390X, 21, '', 3, OVERFLOWS",
        "S390X, 26, '', 1099511627776, UNCERTAIN",
        "S390X, 19, '', 1, UNCERTAIN",
        "S390X, 19, .modinfo, 1099511627776, UNCERTAIN",
        "S390X, 16, .text, 40000, OVERFLOWS",
        "S390X, 16, .modinfo, 0, UNCERTAIN",
        "S390X, 4, .text, 0, OVERFLOWS",
        "S390X, 57, .modinfo, 0, UNCERTAIN",
        "S390X, 1, '', 0, UNCERTAIN",
        "S390X, 22, .text, 1099511627776, FITS",
        "AARCH64, 258, .text, 0, OVERFLOWS",
        "AARCH64, 263, .text, 0, OVERFLOWS",
        "AARCH64, 264, .text, 0, FITS",
        "AARCH64, 257, '', 0, FITS",
        "AARCH64, 259, '', 0, UNCERTAIN",
        "AARCH64, 261, .gnu.linkonce.this_module, 0, FITS",
        "AARCH64, 261, .gnu.linkonce.this_module, 1099511627776, UNCERTAIN",
        "AARCH64, 275, .modinfo, 0, UNCERTAIN",
        "AARCH64, 261, .text, 4294967296, OVERFLOWS",
        "AARCH64, 279, .text, 40000, OVERFLOWS",
        "AARCH64, 279, '', 0, UNCERTAIN"
    })
    void readsRelocationsInOtherSections(Machine machine, int type, String section, long addend, Value expected) {
        open(machine, type, type);
        long symbol = section.isEmpty() ? symbolIn(0) : symbolIn(elf.section(section));
        bytes.putLong(table + R_INFO, symbol << 32 | type).putLong(table + R_ADDEND, addend);
        bytes.putLong(table + RELA + R_INFO, 0);

        assertThat(uses())
                .filteredOn(use -> use.section() == elf.section(".rela.text") && use.type() == type)
                .extracting(Use::value)
                .containsExactly(expected);
    }

    @ParameterizedTest
    @CsvSource({"AARCH64, 261", "AARCH64, 275", "RISCV64, 18", "RISCV64, 23"})
    void notesRelocationsOfWeakSymbols(Machine machine, int type) {
        byte[] module = ModuleBuilder.typical(machine, "m")
                .importing("optional", true)
                .textRelocation(type, 0)
                .build();
        elf = new ElfFields(machine, module);
        bytes = ByteBuffer.wrap(elf.bytes()).order(machine.order());
        int symtab = elf.section(".symtab");
        int count = (int) elf.get(symtab, Section.SIZE) / RELA;
        int weak = 0;
        for (int i = 1; i < count; i++) {
            int at = elf.offset(symtab) + i * RELA;
            weak = bytes.getShort(at + 6) == 0 && bytes.get(at + 4) >> 4 == 2 ? i : weak;
        }
        bytes.putLong(elf.offset(elf.section(".rela.text")) + R_INFO, (long) weak << 32 | type);

        assertThat(uses())
                .filteredOn(use -> use.type() == type)
                .extracting(Use::value, Use::symbol)
                .contains(tuple(Value.WEAK, "optional"));
    }

    @Test
    void treatsTooManyKindsAsUncertain() {
        ModuleBuilder module = ModuleBuilder.typical(Machine.AARCH64, "m");
        int names = 600;
        for (int i = 0; i < names; i++) {
            module.importing("optional" + i, true).textRelocation(261, 0);
        }
        elf = new ElfFields(Machine.AARCH64, module.build());
        bytes = ByteBuffer.wrap(elf.bytes()).order(Machine.AARCH64.order());
        table = elf.offset(elf.section(".rela.text"));
        int symtab = elf.section(".symtab");
        int relocation = 0;
        for (int i = 1; i < elf.get(symtab, Section.SIZE) / RELA; i++) {
            int at = elf.offset(symtab) + i * RELA;
            if (bytes.getShort(at + 6) == 0 && bytes.get(at + 4) >> 4 == 2) {
                bytes.putLong(table + relocation++ * RELA + R_INFO, (long) i << 32 | 261);
            }
        }
        assertThat(relocation).isEqualTo(names);

        assertThat(uses())
                .hasSize(513)
                .extracting(Use::value)
                .contains(Value.WEAK)
                .endsWith(Value.UNCERTAIN);
    }

    /**
     * Tests arch/riscv/kernel/module.c:apply_relocate_add: the symbol of the lower half is the place of the upper half.
     */
    @ParameterizedTest
    @CsvSource({"0, FITS", "4, NO_UPPER_HALF"})
    void findsTheUpperHalfOfAnAddress(long distance, Value expected) {
        open(Machine.RISCV64, 23, 24);
        long symbol = symbolIn(elf.section(".text"));
        int symtab = elf.offset(elf.section(".symtab"));
        long place = bytes.getLong(symtab + (int) symbol * 24 + 8);
        bytes.putLong(table + R_OFFSET, place + distance).putLong(table + R_INFO, symbol << 32 | 23);
        bytes.putLong(table + RELA + R_INFO, symbol << 32 | 24);

        assertThat(uses())
                .filteredOn(use -> use.type() == 24)
                .extracting(Use::value)
                .containsExactly(expected);
    }

    /** Tests kernels without CONFIG_MODULE_SECTIONS, which have no space for entries of the GOT. */
    @ParameterizedTest
    @CsvSource({".got, UNCERTAIN", ".none, FITS"})
    void readsTheGlobalOffsetTableOfRiscv(String missing, Value expected) {
        byte[] module = ModuleBuilder.typical(Machine.RISCV64, "m")
                .importing("printk", 1)
                .textRelocation(20, 0)
                .oddities(Oddities.NONE.andMissing(missing))
                .build();

        assertThat(ModuleReader.readRelocations(module, module.length).uses())
                .filteredOn(use -> use.type() == 20)
                .extracting(Use::value)
                .containsExactly(expected);
    }

    /** Tests arch/arm64/kernel/module-plts.c:partition_branch_plt_relas. */
    @ParameterizedTest
    @CsvSource({"283, 283", "282, 282", "264, 999"})
    void appliesCallsOfArm64CodeFirst(int second, int expected) {
        open(Machine.AARCH64, 999, second);

        assertThat(first().type()).isEqualTo(expected);
        assertThat(uses()).extracting(Use::type).contains(999);
    }

    @Test
    void reportsASymbolBehindTheTable() {
        bytes.putInt(table + R_INFO + 4, 1 << 20);

        assertThat(first().value()).isEqualTo(Value.NO_SYMBOL);
    }

    @Test
    void reportsASectionOfAKindThatTheMachineDoesNotUse() {
        elf.set(elf.section(".rela.text"), Section.TYPE, ElfSection.SHT_REL);

        assertThat(uses()).extracting(Use::index).contains(-1);
    }

    /** Writes to a field other than init and exit, to which the kernel may have written before. */
    @Test
    void reportsEightBytesOutsideTheEntryPoints() {
        elf.set(elf.section(".rela.text"), Section.INFO, elf.section(".gnu.linkonce.this_module"));
        int type = 1;
        bytes.putLong(table + 8, bytes.getLong(table + 8) >>> 32 << 32 | type);

        assertThat(first().place()).isEqualTo(RelocatedField.USED_BEFORE);
    }

    @Test
    void reportsFourBytesOfStructModule() {
        elf.set(elf.section(".rela.text"), Section.INFO, elf.section(".gnu.linkonce.this_module"));

        assertThat(first().place()).isEqualTo(RelocatedField.USED_BEFORE);
    }

    private long symbolIn(int section) {
        int symtab = elf.section(".symtab");
        int last = (int) (elf.get(symtab, Section.SIZE) / RELA) - 1;
        bytes.putShort(elf.offset(symtab) + last * RELA + 6, (short) section);
        bytes.putLong(elf.offset(symtab) + last * RELA + 8, 0);
        return last;
    }

    private Use first() {
        return uses().stream()
                .filter(use -> use.section() == elf.section(".rela.text"))
                .findFirst()
                .orElseThrow();
    }

    private List<Use> uses() {
        Relocations relocations = ModuleReader.readRelocations(elf.bytes(), elf.bytes().length);
        assertThat(relocations.examined()).isTrue();
        return relocations.uses();
    }
}
