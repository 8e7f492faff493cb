package dev.weaklink.module;

import dev.weaklink.sys.StableId;

/**
 * A violation of one of the loader's validity checks. The target's kernel version decides which defects count and how
 * the message is worded.
 *
 * @param kind the violated check
 * @param first a number that the kind describes, or else the first number of the loader's message
 * @param second a number that the kind describes, or else the second number of the loader's message
 * @param text a string for the loader's message, mostly the name of a section or symbol; empty if there is none
 */
public record ElfDefect(ElfDefectKind kind, long first, long second, String text) {

    public static ElfDefect of(ElfDefectKind kind) {
        return new ElfDefect(kind, 0, 0, "");
    }

    public static ElfDefect of(ElfDefectKind kind, long first, long second) {
        return new ElfDefect(kind, first, second, "");
    }

    public enum ElfDefectKind implements StableId {
        /** An empty file, for which the kernel returns EINVAL before any other check. */
        EMPTY_FILE,
        /** A file shorter than an ELF header; first = length. */
        SHORT_HEADER,
        BAD_MAGIC,
        /** A file that is not relocatable; first = e_type found. */
        BAD_TYPE,
        BAD_SHENTSIZE,
        SECTION_TABLE_OUTSIDE,
        /** An invalid index of the section name table; first = e_shstrndx, second = e_shnum. */
        BAD_SHSTRNDX,
        /**
         * A section name table outside the file, which is usually also reported as SECTION_OUTSIDE; first = sh_type.
         */
        NAME_TABLE_OUTSIDE,
        /**
         * Section contents outside the file; first = section, second = sh_type, text = the file's length without a
         * signature, in decimal.
         */
        SECTION_OUTSIDE,
        EMPTY_NAME_TABLE,
        NAME_TABLE_UNTERMINATED,
        /** A section name table whose type is not SHT_STRTAB; first = sh_type. */
        NAME_TABLE_TYPE,
        SECTION_ZERO_NOT_NULL,
        /** An SHT_SYMTAB section with a bad sh_link; first = sh_link, second = e_shnum. */
        BAD_SYMTAB_LINK,
        /**
         * An sh_name outside the name table; first = section, second = sh_type, text = "allocated" if the section has
         * SHF_ALLOC.
         */
        SECTION_NAME_OUTSIDE,
        SEVERAL_MODINFO,
        NO_THIS_MODULE,
        SEVERAL_THIS_MODULE,
        THIS_MODULE_NOBITS,
        THIS_MODULE_NOT_ALLOCATED,
        NO_SYMBOL_TABLE,
        SEVERAL_SYMBOL_TABLES,
        /** A symbol string table of another type than SHT_STRTAB; first = sh_type. */
        STRING_TABLE_TYPE,
        STRING_TABLE_UNTERMINATED,
        SYMBOL_NAME_OUTSIDE,
        /**
         * Symbol names that overlap so much that their total length exceeds the file's. The reader left out some of the
         * names.
         */
        NAMES_OVERLAP,
        EXTENDED_VERSIONS_HALF,
        EXTENDED_VERSIONS_NAMES,
        /** A missing section that the machine's loader requires; text = its name. */
        ARCH_SECTION_MISSING,
        /**
         * A section that has SHF_WRITE and SHF_EXECINSTR when the loader checks the flags; first = section, text = its
         * name.
         */
        WRITABLE_AND_EXECUTABLE,
        /** Loaded sections with a total size of more than 256 MiB; first = bytes. */
        MUCH_MEMORY,
        /**
         * A loaded section with an alignment that no linker produces; first = section, second = alignment, text = the
         * section's name.
         */
        ODD_ALIGNMENT,
        /**
         * A .data..percpu section of more than 8 KiB, the smallest per-CPU space that kernels reserve for modules;
         * first = bytes.
         */
        MUCH_PER_CPU_MEMORY,
        /**
         * A symbol whose section index is beyond the section table; first = the section index in the low 16 bits, above
         * them the number of imports before the symbol; second = the last valid index; text = the symbol's name.
         */
        BAD_SYMBOL_SECTION,
        /** An SHN_COMMON symbol; first = number of imports before the symbol in the symbol table, text = name. */
        COMMON_SYMBOL,
        CTORS_AND_INIT_ARRAY,
        BROKEN_PARAMETERS,
        /**
         * An address in {@code __stack_protector_loc} that is not the address of a {@code larl} or {@code lgrl}
         * instruction.
         */
        STACK_PROTECTOR_LOCATION,
        /**
         * An entry of {@code .static_call_sites} that refers to neither the key nor the trampoline of a static call.
         */
        STATIC_CALL_KEY,
        /**
         * A byte of struct module that is not zero although no build sets it, or a name without its NUL; first = the
         * byte's offset.
         */
        STRUCT_MODULE_BYTES,
        /**
         * A missing section for arm64's ftrace trampolines; first = 0 for core code, 1 for init code; text = the
         * section's name.
         */
        TRAMPOLINE_MISSING,
        /** Two loaded sections with the same name; first = the index of the later section, text = the name. */
        SECTION_NAME_TWICE,
        /**
         * Relocations that the live-patch code applies or refuses when the kernel loads the module; first = section,
         * text = its name.
         */
        LIVE_PATCH_RELOCATIONS
    }

    /**
     * Returns whether the defect is a fault of the file, even if some kernels tolerate it. A missing trampoline section
     * is not a fault: only some kernels require the section, and modules built for other kernels lack it.
     */
    public boolean isOfFile() {
        return kind != ElfDefectKind.TRAMPOLINE_MISSING;
    }
}
