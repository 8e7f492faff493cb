package dev.weaklink.testing;

import java.nio.ByteOrder;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Rare features of a written module.
 *
 * @param buildId build-id in lower-case hex, null for no such note
 * @param btf contents of {@code .BTF}, null for none
 * @param btfBase contents of {@code .BTF.base}, null for none
 * @param writableCode name of a section with WRITE and EXECINSTR, null for none
 * @param symbolTable whether there is a symbol table
 * @param symbolTableLink its sh_link, -1 for the right one
 * @param emptySections number of additional empty sections, put before all others
 * @param missingSections names of those the machine gives to every module that this one lacks
 * @param addedSections names of additional loaded sections of one byte
 * @param parameters names of parameters, which are to have files in /sys/module
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
    /** No types, and a string section with the empty string. */
    private static final byte[] NO_TYPES = new BtfBuilder().build(ByteOrder.LITTLE_ENDIAN);

    /** None of them. */
    public static final Oddities NONE =
            new Oddities(null, null, null, null, true, -1, 0, List.of(), List.of(), List.of());

    /** These, with a build-id note. */
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

    /** These, with {@code .BTF}. */
    public Oddities andBtf() {
        return andBtf(NO_TYPES);
    }

    /** These, with this {@code .BTF}. */
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

    /** These, with {@code .BTF.base}. */
    public Oddities andBtfBase() {
        return andBtfBase(NO_TYPES);
    }

    /** These, with this {@code .BTF.base}. */
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

    /** These, with a section that is both writable and executable. */
    public Oddities andWritableCode() {
        return andWritableCode(".wx");
    }

    /** These, with a section of this name that is both writable and executable. */
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

    /** These, without a symbol table. */
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

    /** These, with the symbol table's sh_link pointing elsewhere. */
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

    /** These, with so many empty sections before all others. */
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

    /** These, without a section that the machine gives to every module. */
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

    /** These, with a loaded section of this name, whether there is one already or not. */
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

    /** These, with a parameter. */
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
