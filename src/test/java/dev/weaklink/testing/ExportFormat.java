package dev.weaklink.testing;

import org.jspecify.annotations.Nullable;

/**
 * How a module's export tables are laid out.
 *
 * @param fields members of struct kernel_symbol
 * @param crcs what the {@code __kcrctab} sections hold
 * @param references what relocations to names and CRC labels refer to
 * @param noNamespace what an export without a namespace has in the third field
 * @param flagged whether all exports are in one table and flags tell which are GPL-only: 7.1 and later
 */
public record ExportFormat(Fields fields, Crcs crcs, References references, NoNamespace noNamespace, boolean flagged) {

    /** struct kernel_symbol. */
    public enum Fields {
        /** Value and name as pointers: up to 4.18, and to 5.3 without PREL32. */
        POINTERS_2(2, Relocation.Kind.WORD),
        /** Value, name and namespace as pointers: 5.4 and later without PREL32. */
        POINTERS_3(3, Relocation.Kind.WORD),
        /** Value and name as s32 relative to themselves: 4.19 to 5.3 on x86 and arm64. */
        RELATIVE_2(2, Relocation.Kind.RELATIVE_32),
        /** Value, name and namespace as s32 relative to themselves: 5.4 and later on x86 and arm64. */
        RELATIVE_3(3, Relocation.Kind.RELATIVE_32);

        private final int count;
        private final Relocation.Kind relocationKind;

        Fields(int count, Relocation.Kind relocationKind) {
            this.count = count;
            this.relocationKind = relocationKind;
        }

        /** Number of members. */
        public int count() {
            return count;
        }

        /** How each member is relocated. */
        public Relocation.Kind relocationKind() {
            return relocationKind;
        }
    }

    /** An entry of {@code __kcrctab}. */
    public enum Crcs {
        /** unsigned long, relocated to the absolute symbol {@code __crc_X}: up to 4.9. */
        ABSOLUTE_WORD(Relocation.Kind.WORD),
        /** u32, relocated to the absolute symbol {@code __crc_X}: 4.10 to 5.18. */
        ABSOLUTE_32(Relocation.Kind.ABSOLUTE_32),
        /** s32 relative to itself, relocated to a u32 in {@code .rodata}: MODULE_REL_CRCS. */
        RELATIVE(Relocation.Kind.RELATIVE_32),
        /** u32 with no relocation: 5.19 and later. */
        PLAIN(null),
        /** No such sections: MODVERSIONS is off. */
        NONE(null);

        private final Relocation.@Nullable Kind relocationKind;

        Crcs(Relocation.@Nullable Kind relocationKind) {
            this.relocationKind = relocationKind;
        }

        /** How an entry is relocated, null if it is not. */
        public Relocation.@Nullable Kind relocationKind() {
            return relocationKind;
        }

        /** Whether there are symbols {@code __crc_X}, which stay undefined if unresolved. */
        public boolean usesSymbols() {
            return relocationKind != null;
        }
    }

    /** What relocations refer to. */
    public enum References {
        /** The section symbol, with the offset as addend. */
        SECTION_SYMBOL,
        /** Labels such as {@code __kstrtab_X}. */
        NAMED_SYMBOLS
    }

    /** The namespace field of an export in no namespace. */
    public enum NoNamespace {
        /** 0, without a relocation: 5.4 to 5.7. */
        ZERO,
        /** A reference to an empty string: 5.8 and later. */
        EMPTY_STRING
    }

    /** What a current kernel (5.19 and later) uses on the machine. */
    public static ExportFormat current(Machine machine) {
        return new ExportFormat(
                machine.hasRelativeExports() ? Fields.RELATIVE_3 : Fields.POINTERS_3,
                Crcs.PLAIN,
                References.NAMED_SYMBOLS,
                NoNamespace.EMPTY_STRING,
                false);
    }

    /** What kernels up to 4.9 use, and RHEL 7. */
    public static ExportFormat old() {
        return new ExportFormat(
                Fields.POINTERS_2, Crcs.ABSOLUTE_WORD, References.SECTION_SYMBOL, NoNamespace.ZERO, false);
    }

    /** The same with other members. */
    public ExportFormat with(Fields newFields) {
        return new ExportFormat(newFields, crcs, references, noNamespace, flagged);
    }

    /** The same with other CRC entries. */
    public ExportFormat with(Crcs newCrcs) {
        return new ExportFormat(fields, newCrcs, references, noNamespace, flagged);
    }

    /** The same with other references. */
    public ExportFormat with(References newReferences) {
        return new ExportFormat(fields, crcs, newReferences, noNamespace, flagged);
    }

    /** The same with another way of saying that there is no namespace. */
    public ExportFormat with(NoNamespace newNoNamespace) {
        return new ExportFormat(fields, crcs, references, newNoNamespace, flagged);
    }

    /** The same with one table and flags. */
    public ExportFormat withFlags() {
        return new ExportFormat(fields, crcs, references, noNamespace, true);
    }
}
