package dev.weaklink.module;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.format.elf.ElfHeader;
import dev.weaklink.format.elf.ElfImage;
import dev.weaklink.module.ElfDefect.ElfDefectKind;
import dev.weaklink.module.ElfFields.Section;
import dev.weaklink.testing.Machine;
import dev.weaklink.testing.ModuleBuilder;
import dev.weaklink.testing.Oddities;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests parameters as the compiler writes them, and with one change. */
class ParameterTableTest {
    private static final int RELA = 24;
    private static final int WORD = 8;

    private final ElfFields elf = module(Machine.X86_64, "first", "second");
    private final int table = elf.offset(elf.section("__param"));
    private final int relocations = elf.offset(elf.section(".rela__param"));
    private final ByteBuffer bytes = ByteBuffer.wrap(elf.bytes()).order(Machine.X86_64.order());

    @ParameterizedTest
    @EnumSource(Machine.class)
    void parametersOfEveryMachine(Machine machine) {
        assertThat(defects(module(machine, "first", "second"))).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(Machine.class)
    void countsAllSymbolsOfEveryMachine(Machine machine) throws IOException {
        ElfFields module = module(machine, "first");
        byte[] file = module.bytes();
        ElfImage image = ElfImage.open(file, file.length, ElfHeader.read(file, file.length));
        int symtab = module.section(".symtab");
        long entrySize = machine.is64() ? 24 : 16;

        assertThat(SymbolTable.bare(image).count()).isEqualTo((int) (module.get(symtab, Section.SIZE) / entrySize));
    }

    @Test
    void twoFilesOfOneName() {
        ElfFields twice = module(Machine.X86_64, "same", "same");
        assertThat(defects(twice)).containsExactly(ElfDefectKind.BROKEN_PARAMETERS);

        int second = twice.offset(twice.section("__param")) + 5 * WORD + 3 * WORD;
        ByteBuffer.wrap(twice.bytes()).order(Machine.X86_64.order()).putShort(second, (short) 0);
        assertThat(defects(twice)).isEmpty();
    }

    @Test
    void reportsAParameterWithoutAName() {
        assertThat(defects(module(Machine.X86_64, ""))).containsExactly(ElfDefectKind.BROKEN_PARAMETERS);
    }

    /** Changes name, module, operations or argument of the first entry, then of the second. */
    @ParameterizedTest
    @CsvSource({"0, 3", "2, 8", "4, 24", "7, 0", "7, 43"})
    void ignoresARelocationThatWritesElsewhere(int relocation, long place) {
        bytes.putLong(relocations + relocation * RELA, place);

        assertThat(defects(elf)).containsExactly(ElfDefectKind.BROKEN_PARAMETERS);
    }

    @ParameterizedTest
    @CsvSource({"100000, 1", "-1, 1"})
    void reportsAParameterNameOutsideTheFile(long addend, int defects) {
        bytes.putLong(relocations + 16, addend);

        assertThat(defects(elf)).hasSize(defects);
    }

    @Test
    void reportsAParameterTableOfAnotherSize() {
        int section = elf.section("__param");
        elf.set(section, Section.SIZE, elf.get(section, Section.SIZE) - WORD);

        assertThat(defects(elf)).containsExactly(ElfDefectKind.BROKEN_PARAMETERS);
    }

    /** Changes the bytes behind the permissions, which the reader ignores; every value of the permissions is valid. */
    @Test
    void ignoresThePermissions() {
        bytes.putLong(table + 3 * WORD, -1);

        assertThat(defects(elf)).isEmpty();
    }

    private static ElfFields module(Machine machine, String... parameters) {
        Oddities oddities = Oddities.NONE;
        for (String parameter : parameters) {
            oddities = oddities.andParameter(parameter);
        }
        byte[] file = ModuleBuilder.typical(machine, "m").oddities(oddities).build();
        return new ElfFields(machine, file);
    }

    private static List<ElfDefectKind> defects(ElfFields elf) {
        byte[] file = elf.bytes();
        return ModuleReader.read(Origin.file("m.ko"), file, file.length).defects().stream()
                .map(ElfDefect::kind)
                .toList();
    }
}
