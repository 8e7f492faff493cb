package dev.weaklink.check.report;

import dev.weaklink.module.ElfDefect;
import dev.weaklink.sys.Escape;
import dev.weaklink.sys.Numbers;

/** What is wrong with a module file, in words. */
public final class DefectWords {
  private DefectWords() {}

  /** One line, escaped. */
  public static String of(ElfDefect defect) {
    String text = Escape.bytes(defect.text());
    long first = defect.first();
    return switch (defect.kind()) {
      case EMPTY_FILE -> "the file is empty";
      case SHORT_HEADER -> "too short for an ELF file: " + Numbers.of((int) first, "byte");
      case BAD_MAGIC -> "not an ELF file";
      case BAD_TYPE -> "an ELF file of type " + first + ", not a relocatable one";
      case BAD_SHENTSIZE -> "section headers of the wrong size";
      case SECTION_TABLE_OUTSIDE -> "the section headers are not in the file";
      case BAD_SHSTRNDX -> "section " + first + " of " + defect.second() + " is to have the names";
      case NAME_TABLE_OUTSIDE -> "the section name table is not in the file";
      case SECTION_OUTSIDE -> "section " + first + " is not in the file";
      case EMPTY_NAME_TABLE -> "no section names";
      case NAME_TABLE_UNTERMINATED -> "the section names have no end";
      case SECTION_ZERO_NOT_NULL -> "section 0 is not empty";
      case BAD_SYMTAB_LINK -> "section " + first + " is to have the names of symbols";
      case SECTION_NAME_OUTSIDE -> "section " + first + " has its name outside the names";
      case SEVERAL_MODINFO -> "more than one .modinfo";
      case NO_THIS_MODULE -> "no struct module, so no module";
      case SEVERAL_THIS_MODULE -> "more than one struct module";
      case THIS_MODULE_NOBITS -> "a struct module without contents";
      case THIS_MODULE_NOT_ALLOCATED -> "a struct module that would not be loaded";
      case NO_SYMBOL_TABLE -> "no symbol table (stripped?)";
      case SEVERAL_SYMBOL_TABLES -> "more than one symbol table";
      case STRING_TABLE_UNTERMINATED -> "the names of symbols have no end";
      case SYMBOL_NAME_OUTSIDE -> "a symbol has its name outside the names";
      case NAMES_OVERLAP -> "names that overlap so much that not all were read";
      case EXTENDED_VERSIONS_HALF -> "extended versions without names, or names without versions";
      case EXTENDED_VERSIONS_NAMES -> "more extended versions than names";
      case WRITABLE_AND_EXECUTABLE -> "section " + text + " is writable and executable";
      case BAD_SYMBOL_SECTION ->
          "symbol " + text + " is in section " + (first & 0xffff) + ", which does not exist";
      case NAME_TABLE_TYPE, STRING_TABLE_TYPE -> "a string table has type " + first;
      case MUCH_MEMORY -> "sections of " + (first >> 20) + " MiB to load";
      case ODD_ALIGNMENT -> "section " + text + " has an alignment no linker gives";
      case MUCH_PER_CPU_MEMORY -> first + " bytes of per-CPU variables";
      case COMMON_SYMBOL -> "symbol " + text + " is common (built without -fno-common?)";
      case CTORS_AND_INIT_ARRAY -> "both .ctors and .init_array";
      case ARCH_SECTION_MISSING, TRAMPOLINE_MISSING -> "no section " + text;
      case BROKEN_PARAMETERS -> "parameters without name or operations";
      case STACK_PROTECTOR_LOCATION -> "a stack protector location without its instruction";
      case STRUCT_MODULE_BYTES -> "byte " + first + " of struct module is set, which no build does";
      case SECTION_NAME_TWICE -> "more than one section " + text + " to load";
    };
  }
}
