package dev.weaklink.load;

import dev.weaklink.elf.ElfIdentity;
import dev.weaklink.kernel.KernelVersion;
import dev.weaklink.kernel.LoaderRule;
import dev.weaklink.module.ElfDefect;
import dev.weaklink.module.ElfDefect.Kind;
import dev.weaklink.module.KernelModule;
import org.jspecify.annotations.Nullable;

/**
 * The checks of the ELF file itself (kernel/module.c and kernel/module/main.c: elf_validity_check,
 * setup_load_info, elf_validity_cache_copy from 6.4). Only the first objection counts.
 */
final class ElfStep {
  private static final int ET_REL_OTHER_BYTE_ORDER = 0x100;

  private ElfStep() {}

  static void apply(Judgement j) {
    KernelModule module = j.module();
    for (ElfDefect defect : module.defects()) {
      if (defect.kind().compareTo(Kind.BAD_TYPE) <= 0 && !j.refused()) {
        header(j, defect);
      }
    }
    if (!j.refused()) {
      architecture(j, module.elf());
    }
    for (ElfDefect defect : module.defects()) {
      if (defect.kind().compareTo(Kind.BAD_TYPE) > 0 && !j.refused()) {
        structure(j, defect);
      }
    }
    if (!j.refused()) {
      StructModuleStep.size(j);
    }
  }

  /** Whether section names, and with them all facts behind them, could not be read. */
  static boolean isUnread(KernelModule module) {
    for (ElfDefect defect : module.defects()) {
      switch (defect.kind()) {
        case BAD_SHSTRNDX, EMPTY_NAME_TABLE, NAME_TABLE_UNTERMINATED -> {
          return true;
        }
        default -> {
          // what follows could be read
        }
      }
    }
    return false;
  }

  private static void header(Judgement j, ElfDefect defect) {
    switch (defect.kind()) {
      case EMPTY_FILE -> j.refuse(Layer.ELF, Errno.EINVAL, null, "the file is empty");
      case SHORT_HEADER ->
          refuse(j, "Invalid ELF header len " + defect.first(), "too short to be an ELF file");
      case BAD_MAGIC -> refuse(j, "Invalid ELF header magic: != \\x7fELF", "this is no ELF file");
      default ->
          refuse(
              j,
              "Invalid ELF header type: " + defect.first() + " != 1",
              "an ELF file, but no relocatable one (not a .ko)");
    }
  }

  /** elf_check_arch: e_machine; a file of the other byte order already shows a wrong type. */
  private static void architecture(Judgement j, @Nullable ElfIdentity module) {
    ElfIdentity target = j.target().machine();
    if (target == null || module == null) {
      j.uncheck(Layer.ARCHITECTURE);
      return;
    }
    String detail = "built for " + module.machineName() + ", the kernel is " + target.machineName();
    if (module.littleEndian() != target.littleEndian()) {
      j.refuse(
          Layer.ARCHITECTURE,
          Errno.ENOEXEC,
          message(j, "Invalid ELF header type: " + ET_REL_OTHER_BYTE_ORDER + " != 1"),
          detail,
          module.machineName(),
          target.machineName());
    } else if (module.machine() != target.machine() || module.is64() != target.is64()) {
      j.refuse(
          Layer.ARCHITECTURE,
          Errno.ENOEXEC,
          message(j, "Invalid architecture in ELF header: " + module.machine()),
          detail,
          module.machineName(),
          target.machineName());
    }
  }

  private static void structure(Judgement j, ElfDefect defect) {
    KernelVersion version = j.rules().version();
    String name = j.infoName();
    boolean checksSections = version.atLeast(5, 12);
    boolean checksUnique = version.atLeast(6, 4);
    boolean checksStrings = j.rules().is(LoaderRule.SYMBOL_NAMES, "yes");
    switch (defect.kind()) {
      case BAD_SHENTSIZE ->
          refuse(j, "Invalid ELF section header size", "section headers of the wrong size");
      case SECTION_TABLE_OUTSIDE ->
          refuse(
              j, "Invalid ELF section header overflow", "the section headers are not in the file");
      case BAD_SHSTRNDX ->
          refuseOrUnproven(
              j,
              checksSections,
              "Invalid ELF section name index: "
                  + defect.first()
                  + " || e_shstrndx ("
                  + defect.first()
                  + ") >= e_shnum ("
                  + defect.second()
                  + ")",
              "no section name table");
      case SECTION_OUTSIDE -> sectionOutside(j, defect);
      case EMPTY_NAME_TABLE ->
          refuseOrUnproven(
              j, checksSections, "empty section name table", "empty section name table");
      case NAME_TABLE_UNTERMINATED ->
          refuseOrUnproven(
              j,
              checksSections,
              "ELF Spec violation: section name table isn't null terminated",
              "the section name table has no end");
      case NAME_TABLE_TYPE ->
          refuseOrUnproven(
              j,
              j.rules().is(LoaderRule.NAME_TABLE_TYPES, "yes"),
              "Invalid ELF section name table type: " + defect.first(),
              "the section name table is of another type");
      case STRING_TABLE_TYPE ->
          refuseOrUnproven(
              j,
              j.rules().is(LoaderRule.NAME_TABLE_TYPES, "yes"),
              "Invalid ELF symbol string table type: " + defect.first(),
              "the symbol string table is of another type");
      case SECTION_ZERO_NOT_NULL ->
          refuseOrUnproven(
              j,
              checksSections,
              "ELF Spec violation: section 0 type("
                  + defect.first()
                  + ")!=SH_NULL or non-zero len or addr",
              "section 0 is not empty");
      case BAD_SYMTAB_LINK ->
          refuseOrUnproven(
              j,
              checksSections,
              "Invalid ELF sh_link!=SHN_UNDEF("
                  + defect.first()
                  + ") or (sh_link("
                  + defect.first()
                  + ") >= hdr->e_shnum("
                  + defect.second()
                  + ")",
              "the symbol table has no string table");
      case SECTION_NAME_OUTSIDE -> {
        boolean refuses =
            j.rules().is(LoaderRule.SECTION_NAMES, "all")
                || (checksSections && defect.text().equals("allocated"));
        if (refuses || j.rules().setting(LoaderRule.SECTION_NAMES).assumed()) {
          refuseOrUnproven(
              j,
              refuses,
              "Invalid ELF section name in module (section "
                  + defect.first()
                  + " type "
                  + defect.second()
                  + ")",
              "a section's name is outside the name table");
        }
      }
      case SEVERAL_MODINFO -> {
        if (checksUnique) {
          refuse(j, "Only one .modinfo section must exist.", "several .modinfo sections");
        }
      }
      case NO_SYMBOL_TABLE ->
          j.refuse(
              Layer.ELF,
              Errno.ENOEXEC,
              name + ": module has no symbols (stripped?)",
              "no symbol table: stripped too far");
      case SEVERAL_SYMBOL_TABLES -> {
        if (checksUnique) {
          j.refuse(
              Layer.ELF,
              Errno.ENOEXEC,
              name + ": module has no symbols (stripped?)",
              "several symbol tables");
        }
      }
      case NO_THIS_MODULE, SEVERAL_THIS_MODULE, THIS_MODULE_NOBITS, THIS_MODULE_NOT_ALLOCATED ->
          StructModuleStep.section(j, defect.kind());
      case STRING_TABLE_UNTERMINATED -> {
        if (checksStrings) {
          refuse(j, null, "the symbol string table does not begin and end with NUL");
        }
      }
      case SYMBOL_NAME_OUTSIDE ->
          refuseOrUnproven(
              j,
              checksStrings,
              "symbol name out of bounds in string table",
              "a symbol's name is outside the string table");
      case EXTENDED_VERSIONS_HALF -> {
        if (j.rules().is(LoaderRule.EXTENDED_VERSIONS, "yes")) {
          refuse(
              j,
              "extended version crc+name presence does not match",
              "only one of the two extended version sections");
        }
      }
      case EXTENDED_VERSIONS_NAMES -> {
        if (j.rules().is(LoaderRule.EXTENDED_VERSIONS, "yes")) {
          refuse(
              j, "more extended version crcs than names", "more extended version CRCs than names");
        }
      }
      case NAMES_OVERLAP ->
          j.unproven(
              Layer.ELF, null, "names overlap so much that they were not all read: damaged?");
      case CTORS_AND_INIT_ARRAY ->
          // kernel/module/main.c:find_module_sections, EINVAL with CONFIG_CONSTRUCTORS
          j.unproven(
              Layer.ELF,
              null,
              "has both .ctors and .init_array; kernels with constructors refuse that");
      default -> {
        // looked at in later steps
      }
    }
  }

  /** Up to 5.11 by rewrite_section_headers, with a line of its own. */
  private static void sectionOutside(Judgement j, ElfDefect defect) {
    String line =
        j.rules().version().atLeast(5, 12)
            ? message(
                j,
                "Invalid ELF section in module (section "
                    + defect.first()
                    + " type "
                    + defect.second()
                    + ")")
            : "Module len " + defect.text() + " truncated";
    j.refuse(Layer.ELF, Errno.ENOEXEC, line, "a section is not in the file: truncated?");
  }

  private static void refuseOrUnproven(
      Judgement j, boolean checked, @Nullable String line, String detail) {
    if (checked) {
      refuse(j, line, detail);
    } else {
      j.unproven(Layer.ELF, null, detail + "; this kernel may not check that");
    }
  }

  private static void refuse(Judgement j, @Nullable String line, String detail) {
    j.refuse(Layer.ELF, Errno.ENOEXEC, message(j, line), detail);
  }

  /** One line each from 5.16 on; before that one line for all, or none. */
  private static @Nullable String message(Judgement j, @Nullable String line) {
    KernelVersion version = j.rules().version();
    if (version.atLeast(5, 16)) {
      return line;
    }
    if (version.atLeast(5, 12)) {
      return "Module has invalid ELF structures";
    }
    return version.atLeast(5, 9) ? "Module has invalid ELF header" : null;
  }
}
