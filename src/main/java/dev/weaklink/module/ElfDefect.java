package dev.weaklink.module;

import dev.weaklink.sys.StableId;

/**
 * Something the loader's validity checks object to. Which of them count, and the words used, depend on the target's
 * version; see facts of each kind.
 *
 * @param kind what is wrong
 * @param first first number of the loader's message, where it has one
 * @param second second number of the loader's message, where it has one
 * @param text what else the message has, mostly the name of a section or symbol; else empty
 */
public record ElfDefect(Kind kind, long first, long second, String text) {

    /** A defect without numbers or names. */
    public static ElfDefect of(Kind kind) {
        return new ElfDefect(kind, 0, 0, "");
    }

    /** A defect with numbers. */
    public static ElfDefect of(Kind kind, long first, long second) {
        return new ElfDefect(kind, first, second, "");
    }

    /** In the loader's order of looking. */
    public enum Kind implements StableId {
        /** A file of no bytes: EINVAL before anything else. */
        EMPTY_FILE,
        /** Fewer bytes than an ELF header; first = length. */
        SHORT_HEADER,
        BAD_MAGIC,
        /** first = e_type found. */
        BAD_TYPE,
        /** e_shentsize is not the size of a section header. */
        BAD_SHENTSIZE,
        /** The section header table is not inside the file. */
        SECTION_TABLE_OUTSIDE,
        /** first = e_shstrndx, second = e_shnum. */
        BAD_SHSTRNDX,
        /** The section name table is not in the file, which is SECTION_OUTSIDE, too; first = sh_type. */
        NAME_TABLE_OUTSIDE,
        /**
         * Section contents outside the file; first = section, second = sh_type, text = the file's length without a
         * signature, in decimal.
         */
        SECTION_OUTSIDE,
        EMPTY_NAME_TABLE,
        NAME_TABLE_UNTERMINATED,
        /** The section name table is no SHT_STRTAB; first = sh_type. */
        NAME_TABLE_TYPE,
        /** Section 0 is not all zero. */
        SECTION_ZERO_NOT_NULL,
        /** SHT_SYMTAB with bad sh_link; first = sh_link, second = e_shnum. */
        BAD_SYMTAB_LINK,
        /**
         * sh_name outside the name table; first = section, second = sh_type, text = "allocated" if it has SHF_ALLOC.
         */
        SECTION_NAME_OUTSIDE,
        /** More than one .modinfo. */
        SEVERAL_MODINFO,
        /** No .gnu.linkonce.this_module. */
        NO_THIS_MODULE,
        /** .gnu.linkonce.this_module more than once. */
        SEVERAL_THIS_MODULE,
        THIS_MODULE_NOBITS,
        THIS_MODULE_NOT_ALLOCATED,
        NO_SYMBOL_TABLE,
        SEVERAL_SYMBOL_TABLES,
        /** The symbols' string table is no SHT_STRTAB; first = sh_type. */
        STRING_TABLE_TYPE,
        /** Symbol string table does not start and end with NUL. */
        STRING_TABLE_UNTERMINATED,
        /** A symbol's name is outside the string table. */
        SYMBOL_NAME_OUTSIDE,
        /** Names that overlap so much that together they are longer than the file; not all were read. */
        NAMES_OVERLAP,
        /** Only one of the two extended version sections. */
        EXTENDED_VERSIONS_HALF,
        /** More extended CRCs than names. */
        EXTENDED_VERSIONS_NAMES,
        /** No section that the loader of the machine cannot do without; text = its name. */
        ARCH_SECTION_MISSING,
        /**
         * Section with both SHF_WRITE and SHF_EXECINSTR whose flags the loader leaves as they are; first = section,
         * text = its name.
         */
        WRITABLE_AND_EXECUTABLE,
        /** Loaded sections of many MiB together; first = bytes. */
        MUCH_MEMORY,
        /** Loaded section with an alignment no linker gives; first = section, text = its name. */
        ODD_ALIGNMENT,
        /** .data..percpu beyond what the kernel sets aside for modules; first = bytes. */
        MUCH_PER_CPU_MEMORY,
        /**
         * Symbol with section index beyond the table; first = index, with the number of imports before it from bit 16
         * on, second = the last section, text = name.
         */
        BAD_SYMBOL_SECTION,
        /** SHN_COMMON symbol; first = number of imports before it in the symbol table, text = name. */
        COMMON_SYMBOL,
        /** Both .ctors and .init_array. */
        CTORS_AND_INIT_ARRAY,
        /** An array of parameters with entries that no compiler makes. */
        BROKEN_PARAMETERS,
        /** An address in {@code __stack_protector_loc} at which no instruction of its kind is. */
        STACK_PROTECTOR_LOCATION,
        /** An entry of {@code .static_call_sites} whose key is not the key or trampoline of a static call. */
        STATIC_CALL_KEY,
        /** Bytes of struct module that no build sets; first = offset of the first one. */
        STRUCT_MODULE_BYTES,
        /**
         * No section in which arm64's loader puts a trampoline for ftrace; first = 0 for the one of all code, 1 for
         * that of init code; text = its name.
         */
        TRAMPOLINE_MISSING,
        /** Two loaded sections of one name; first = the second of them, text = the name. */
        SECTION_NAME_TWICE
    }

    /**
     * Whether it is one whatever the kernel. Of what only some look for, a module that was built for others has nothing
     * to show.
     */
    public boolean isOfFile() {
        return kind != Kind.TRAMPOLINE_MISSING;
    }
}
