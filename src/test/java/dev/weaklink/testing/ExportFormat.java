package dev.weaklink.testing;

import org.jspecify.annotations.Nullable;

/**
 * The layout of a module's export tables.
 *
 * @param fields the members of struct kernel_symbol
 * @param crcs the form of the entries of {@code __kcrctab}
 * @param references the symbols to which relocations of names and CRC labels refer
 * @param noNamespace the third field of an export without a namespace
 * @param flagged true if all exports are in one table and flags mark GPL-only exports: 7.1 and later
 */
public record ExportFormat(Fields fields, Crcs crcs, References references, NoNamespace noNamespace, boolean flagged) {

    /** The members of struct kernel_symbol. */
    public enum Fields {
        /** Value and name as pointers: up to 4.18; up to 5.3 without PREL32. */
        POINTERS_2(2, Relocation.Kind.WORD),
        /** Value, name and namespace as pointers: 5.4 and later without PREL32. */
        POINTERS_3(3, Relocation.Kind.WORD),
        /** Value and name as s32 relative to their own addresses: 4.19 to 5.3 on x86 and arm64. */
        RELATIVE_2(2, Relocation.Kind.RELATIVE_32),
        /** Value, name and namespace as s32 relative to their own addresses: 5.4 and later on x86 and arm64. */
        RELATIVE_3(3, Relocation.Kind.RELATIVE_32);

        private final int count;
        private final Relocation.Kind relocationKind;

        Fields(int count, Relocation.Kind relocationKind) {
            this.count = count;
            this.relocationKind = relocationKind;
        }

        public int count() {
            return count;
        }

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
        /** s32 relative to its own address, relocated to a u32 in {@code .rodata}: MODULE_REL_CRCS. */
        RELATIVE(Relocation.Kind.RELATIVE_32),
        /** u32 without relocation: 5.19 and later. */
        PLAIN(null),
        /** The form without {@code __kcrctab}: MODVERSIONS is off. */
        NONE(null);

        private final Relocation.@Nullable Kind relocationKind;

        Crcs(Relocation.@Nullable Kind relocationKind) {
            this.relocationKind = relocationKind;
        }

        /** Returns the kind of an entry's relocation, null if it has none. */
        public Relocation.@Nullable Kind relocationKind() {
            return relocationKind;
        }

        /** Returns whether the module has symbols {@code __crc_X}, which stay undefined if unresolved. */
        public boolean usesSymbols() {
            return relocationKind != null;
        }
    }

    /** The symbols to which relocations refer. */
    public enum References {
        /** The section symbol, with the offset as addend. */
        SECTION_SYMBOL,
        /** Labels such as {@code __kstrtab_X}. */
        NAMED_SYMBOLS
    }

    /** The namespace field of an export without a namespace. */
    public enum NoNamespace {
        /** The value 0, without a relocation: 5.4 to 5.7. */
        ZERO,
        /** A reference to an empty string: 5.8 and later. */
        EMPTY_STRING
    }

    /** Returns the format of a current kernel (5.19 to 7.0) on this machine. */
    public static ExportFormat current(Machine machine) {
        return new ExportFormat(
                machine.hasRelativeExports() ? Fields.RELATIVE_3 : Fields.POINTERS_3,
                Crcs.PLAIN,
                References.NAMED_SYMBOLS,
                NoNamespace.EMPTY_STRING,
                false);
    }

    /** Returns the format of kernels up to 4.9, such as RHEL 7. */
    public static ExportFormat old() {
        return new ExportFormat(
                Fields.POINTERS_2, Crcs.ABSOLUTE_WORD, References.SECTION_SYMBOL, NoNamespace.ZERO, false);
    }

    public ExportFormat with(Fields newFields) {
        return new ExportFormat(newFields, crcs, references, noNamespace, flagged);
    }

    public ExportFormat with(Crcs newCrcs) {
        return new ExportFormat(fields, newCrcs, references, noNamespace, flagged);
    }

    public ExportFormat with(References newReferences) {
        return new ExportFormat(fields, crcs, newReferences, noNamespace, flagged);
    }

    public ExportFormat with(NoNamespace newNoNamespace) {
        return new ExportFormat(fields, crcs, references, newNoNamespace, flagged);
    }

    public ExportFormat withFlags() {
        return new ExportFormat(fields, crcs, references, noNamespace, true);
    }
}
