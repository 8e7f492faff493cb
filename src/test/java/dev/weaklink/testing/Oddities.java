package dev.weaklink.testing;

import java.nio.ByteOrder;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The rare features of a written module.
 *
 * @param buildId the build id in lower-case hexadecimal, null for no such note
 * @param btf the contents of {@code .BTF}, null for no such section
 * @param btfBase the contents of {@code .BTF.base}, null for no such section
 * @param writableCode the name of a section with WRITE and EXECINSTR, null for no such section
 * @param symbolTable true if the module has a symbol table
 * @param symbolTableLink the symbol table's sh_link, -1 for the correct value
 * @param emptySections the number of additional empty sections before all others
 * @param missingSections the names of sections that this module lacks although every module of the machine has them
 * @param addedSections the names of additional loaded sections of one byte
 * @param parameters the names of parameters with files in /sys/module
 */
public record Oddities(
        @Nullable String buildId,
        byte @Nullable [] btf,
        byte @Nullable [] btfBase,
        @Nullable String writableCode,
        boolean symbolTable,
        long symbolTableLink,
        int emptySections,
        List<String> missingSections,
        List<String> addedSections,
        List<String> parameters) {
    /** A BTF section without types, whose strings are only the empty string. */
    private static final byte[] NO_TYPES = new BtfBuilder().build(ByteOrder.LITTLE_ENDIAN);

    public static final Oddities NONE =
            new Oddities(null, null, null, null, true, -1, 0, List.of(), List.of(), List.of());

    public Oddities andBuildId(String hex) {
        return new Oddities(
                hex,
                btf,
                btfBase,
                writableCode,
                symbolTable,
                symbolTableLink,
                emptySections,
                missingSections,
                addedSections,
                parameters);
    }

    public Oddities andBtf() {
        return andBtf(NO_TYPES);
    }

    public Oddities andBtf(byte[] section) {
        return new Oddities(
                buildId,
                section,
                btfBase,
                writableCode,
                symbolTable,
                symbolTableLink,
                emptySections,
                missingSections,
                addedSections,
                parameters);
    }

    public Oddities andBtfBase() {
        return andBtfBase(NO_TYPES);
    }

    public Oddities andBtfBase(byte[] section) {
        return new Oddities(
                buildId,
                btf,
                section,
                writableCode,
                symbolTable,
                symbolTableLink,
                emptySections,
                missingSections,
                addedSections,
                parameters);
    }

    /** Returns these features with a section that is both writable and executable. */
    public Oddities andWritableCode() {
        return andWritableCode(".wx");
    }

    public Oddities andWritableCode(String name) {
        return new Oddities(
                buildId,
                btf,
                btfBase,
                name,
                symbolTable,
                symbolTableLink,
                emptySections,
                missingSections,
                addedSections,
                parameters);
    }

    public Oddities andNoSymbolTable() {
        return new Oddities(
                buildId,
                btf,
                btfBase,
                writableCode,
                false,
                symbolTableLink,
                emptySections,
                missingSections,
                addedSections,
                parameters);
    }

    public Oddities andSymbolTableLink(long link) {
        return new Oddities(
                buildId,
                btf,
                btfBase,
                writableCode,
                symbolTable,
                link,
                emptySections,
                missingSections,
                addedSections,
                parameters);
    }

    /** Returns these features with {@code count} empty sections before all others. */
    public Oddities andEmptySections(int count) {
        return new Oddities(
                buildId,
                btf,
                btfBase,
                writableCode,
                symbolTable,
                symbolTableLink,
                count,
                missingSections,
                addedSections,
                parameters);
    }

    /** Returns these features without a section that every module of the machine has. */
    public Oddities andMissing(String section) {
        return new Oddities(
                buildId,
                btf,
                btfBase,
                writableCode,
                symbolTable,
                symbolTableLink,
                emptySections,
                and(missingSections, section),
                addedSections,
                parameters);
    }

    /** Returns these features with a loaded section of this name, even if there is one already. */
    public Oddities andSection(String name) {
        return new Oddities(
                buildId,
                btf,
                btfBase,
                writableCode,
                symbolTable,
                symbolTableLink,
                emptySections,
                missingSections,
                and(addedSections, name),
                parameters);
    }

    private static List<String> and(List<String> names, String name) {
        return Stream.concat(names.stream(), Stream.of(name)).toList();
    }

    public Oddities andParameter(String name) {
        return new Oddities(
                buildId,
                btf,
                btfBase,
                writableCode,
                symbolTable,
                symbolTableLink,
                emptySections,
                missingSections,
                addedSections,
                and(parameters, name));
    }
}
