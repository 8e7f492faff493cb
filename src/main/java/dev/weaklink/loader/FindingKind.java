package dev.weaklink.loader;

import static dev.weaklink.loader.Errno.EBADMSG;
import static dev.weaklink.loader.Errno.EEXIST;
import static dev.weaklink.loader.Errno.EINVAL;
import static dev.weaklink.loader.Errno.EKEYREJECTED;
import static dev.weaklink.loader.Errno.EMSGSIZE;
import static dev.weaklink.loader.Errno.ENOENT;
import static dev.weaklink.loader.Errno.ENOEXEC;
import static dev.weaklink.loader.Errno.ENOMEM;
import static dev.weaklink.loader.Errno.ENOPKG;
import static dev.weaklink.loader.Errno.EPERM;

import dev.weaklink.sys.StableId;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Every way in which a loader refuses a module, or in which it cannot be shown that it accepts it.
 * The ids are part of the machine-readable contract; manual page and {@code weaklink explain} are
 * made from this table.
 */
public enum FindingKind implements StableId {
  INPUT_UNREADABLE(
      Layer.INPUT, null, "the file cannot be read", Source.NONE, Since.ALL, Do.REPLACE),

  SIGNATURE_LENGTH(
      Layer.SIGNATURE,
      EBADMSG,
      "the signature is longer than the file",
      Source.MODULE_SIGNATURE,
      Since.ALL,
      Do.REPLACE),
  SIGNATURE_FORMAT(
      Layer.SIGNATURE,
      ENOPKG,
      "signed in another way than this kernel understands",
      Source.MODULE_SIGNATURE,
      "X.509 up to 4.2, PKCS#7 from 4.3 on; from 5.4 on such a module counts as unsigned",
      Do.SIGN),
  SIGNATURE_PARAMS(
      Layer.SIGNATURE,
      EBADMSG,
      "fields of the signature's descriptor that must be 0 are not",
      Source.MODULE_SIGNATURE,
      "4.3 and later",
      Do.SIGN),
  SIGNATURE_SIZE(
      Layer.SIGNATURE,
      EMSGSIZE,
      "the signature is longer than 65,535 bytes",
      Source.PKCS7,
      "4.3 and later",
      Do.SIGN),
  SIGNATURE_MALFORMED(
      Layer.SIGNATURE,
      EBADMSG,
      "the signature is not a PKCS#7 message",
      Source.PKCS7,
      "4.3 and later",
      Do.SIGN),
  SIGNATURE_CONTENT_TYPE(
      Layer.SIGNATURE,
      EINVAL,
      "the message is of a kind not expected",
      Source.PKCS7,
      "4.3 and later",
      Do.SIGN),
  SIGNATURE_ATTACHED(
      Layer.SIGNATURE,
      EBADMSG,
      "what was signed is inside the signature",
      Source.PKCS7,
      "4.3 and later",
      Do.SIGN),
  SIGNATURE_ATTRIBUTES(
      Layer.SIGNATURE,
      EKEYREJECTED,
      "the signature has signed attributes, which a module's may not have",
      Source.PKCS7,
      "4.3 and later",
      Do.SIGN),
  SIGNATURE_ALGORITHM(
      Layer.SIGNATURE,
      ENOPKG,
      "signed with an algorithm that the kernel does not have",
      Source.SIGNING,
      "from 5.4 on such a module counts as unsigned",
      Do.SIGN),
  SIGNATURE_WRONG(
      Layer.SIGNATURE,
      EKEYREJECTED,
      "the file is not what was signed",
      Source.SIGNING,
      Since.ALL,
      "get the module again from where it came, or sign it again: it was changed after it was"
          + " signed, for example by strip"),
  SIGNATURE_UNSIGNED(
      Layer.SIGNATURE, null, "the module is not signed", Source.SIGNING, Since.POLICY, Do.SIGN),
  SIGNATURE_UNSUPPORTED(
      Layer.SIGNATURE,
      null,
      "the module is signed in a way the kernel cannot check",
      Source.SIGNING,
      Since.POLICY,
      Do.SIGN),
  SIGNATURE_UNKNOWN_KEY(
      Layer.SIGNATURE,
      null,
      "the module is signed with an unknown key",
      Source.SIGNING,
      Since.POLICY,
      "enrol the signer's certificate (mokutil --import), or sign the module with a key the kernel"
          + " trusts"),
  SIGNATURE_NOT_REPORTED(
      Layer.SIGNATURE,
      null,
      "unknown whether it is signed",
      Source.SIGNING,
      Since.ALL,
      "give its file with --modules, or collect again"),
  SIGNATURE_KEY_NOT_BUILT_IN(
      Layer.SIGNATURE,
      null,
      "the key is not built into the kernel, and which are enrolled on its nodes is not known",
      Source.SIGNING,
      Since.ALL,
      "give the signer's certificate with --cert"),
  SIGNATURE_TRUST_UNREADABLE(
      Layer.SIGNATURE,
      null,
      "how the kernel trusts that could not be followed",
      Source.SIGNING,
      Since.ALL,
      "try to load the module on a machine with this kernel"),
  SIGNATURE_KEYS_UNKNOWN(
      Layer.SIGNATURE,
      null,
      "the keys that the kernel trusts are not known",
      Source.SIGNING,
      Since.ALL,
      "give its image with --kernel, or the signer's certificate with --cert"),
  SIGNATURE_NOT_VERIFIED(
      Layer.SIGNATURE,
      null,
      "not verified",
      Source.SIGNING,
      Since.ALL,
      "give the module as a file of its own"),

  ELF_EMPTY(Layer.ELF, EINVAL, "the file is empty", Source.READ_FILE, Since.ALL, Do.REPLACE),
  ELF_HEADER_SIZE(
      Layer.ELF, ENOEXEC, "too short to be an ELF file", Source.ELF, Since.ALL, Do.REPLACE),
  ELF_MAGIC(Layer.ELF, ENOEXEC, "not an ELF file", Source.ELF, Since.ALL, Do.REPLACE),
  ELF_TYPE(
      Layer.ELF,
      ENOEXEC,
      "an ELF file, but no relocatable one (not a .ko)",
      Source.ELF,
      Since.ALL,
      Do.REPLACE),
  ELF_SECTION_HEADER_SIZE(
      Layer.ELF, ENOEXEC, "section headers of the wrong size", Source.ELF, Since.ALL, Do.REPLACE),
  ELF_SECTION_TABLE_BOUNDS(
      Layer.ELF,
      ENOEXEC,
      "the section headers are not in the file",
      Source.ELF,
      Since.ALL,
      Do.REPLACE),
  ELF_NAME_TABLE_INDEX(
      Layer.ELF, ENOEXEC, "no section name table", Source.ELF, Since.SECTIONS, Do.REPLACE),
  ELF_SECTION_BOUNDS(
      Layer.ELF,
      ENOEXEC,
      "a section is not in the file: truncated?",
      Source.ELF,
      Since.ALL,
      Do.REPLACE),
  ELF_NAME_TABLE_EMPTY(
      Layer.ELF, ENOEXEC, "empty section name table", Source.ELF, Since.SECTIONS, Do.REPLACE),
  ELF_NAME_TABLE_END(
      Layer.ELF,
      ENOEXEC,
      "the section name table has no end",
      Source.ELF,
      Since.SECTIONS,
      Do.REPLACE),
  ELF_SECTION_ZERO(
      Layer.ELF, ENOEXEC, "section 0 is not empty", Source.ELF, Since.SECTIONS, Do.REPLACE),
  ELF_SYMTAB_LINK(
      Layer.ELF,
      ENOEXEC,
      "the symbol table has no string table",
      Source.ELF,
      Since.SECTIONS,
      Do.REPLACE),
  ELF_SECTION_NAME_BOUNDS(
      Layer.ELF,
      ENOEXEC,
      "a section's name is outside the name table",
      Source.ELF,
      "5.12 and later of sections that are loaded, 6.13 and later of all",
      Do.REPLACE),
  ELF_SEVERAL_MODINFO(
      Layer.ELF, ENOEXEC, "several .modinfo sections", Source.ELF, Since.UNIQUE, Do.REBUILD),
  ELF_NO_SYMTAB(
      Layer.ELF,
      ENOEXEC,
      "no symbol table: stripped too far",
      Source.ELF,
      Since.ALL,
      "strip modules with strip --strip-debug only; get or build this one again"),
  ELF_SEVERAL_SYMTABS(
      Layer.ELF, ENOEXEC, "several symbol tables", Source.ELF, Since.UNIQUE, Do.REBUILD),
  ELF_STRTAB_END(
      Layer.ELF,
      ENOEXEC,
      "the symbol string table does not begin and end with NUL",
      Source.ELF,
      Since.STRINGS,
      Do.REPLACE),
  ELF_SYMBOL_NAME_BOUNDS(
      Layer.ELF,
      ENOEXEC,
      "a symbol's name is outside the string table",
      Source.ELF,
      Since.STRINGS,
      Do.REPLACE),
  ELF_EXTENDED_HALF(
      Layer.ELF,
      ENOEXEC,
      "only one of the two extended version sections",
      Source.ELF,
      Since.EXTENDED,
      Do.REBUILD),
  ELF_EXTENDED_NAMES(
      Layer.ELF,
      ENOEXEC,
      "more extended version CRCs than names",
      Source.ELF,
      Since.EXTENDED,
      Do.REBUILD),
  ELF_NAME_TABLE_TYPE(
      Layer.ELF,
      null,
      "the section name table is of another type than SHT_STRTAB; some loaders refuse that",
      "kernel/module/main.c:elf_validity_cache_secstrings",
      Since.STABLE,
      Do.REPLACE),
  ELF_STRTAB_TYPE(
      Layer.ELF,
      null,
      "the symbol string table is of another type than SHT_STRTAB; some loaders refuse that",
      "kernel/module/main.c:elf_validity_cache_index_str",
      Since.STABLE,
      Do.REPLACE),
  ELF_MEMORY(
      Layer.ELF,
      ENOMEM,
      "its sections need more memory than there may be",
      "kernel/module/main.c:move_module",
      Since.ALL,
      Do.REPLACE),
  ELF_PER_CPU(
      Layer.ELF,
      ENOMEM,
      "more per-CPU variables than the kernel may have room for",
      "kernel/module/main.c:percpu_modalloc",
      Since.ALL,
      "make the module's per-CPU variables smaller, or allocate them (alloc_percpu)"),
  ELF_ALIGNMENT(
      Layer.ELF,
      null,
      "an alignment that makes sections overlap: damaged?",
      "kernel/module/main.c:layout_sections",
      Since.ALL,
      Do.REPLACE),
  ELF_NAMES_OVERLAP(
      Layer.ELF,
      null,
      "names overlap so much that they were not all read: damaged?",
      Source.NONE,
      Since.ALL,
      Do.REPLACE),
  ELF_CONSTRUCTORS(
      Layer.ELF,
      null,
      "has both .ctors and .init_array; kernels with constructors refuse that",
      "kernel/module/main.c:find_module_sections",
      "with CONFIG_CONSTRUCTORS",
      "build the module without constructors"),
  ELF_SYMBOL_SECTION(
      Layer.ELF,
      ENOEXEC,
      "a symbol refers to a section that does not exist",
      "kernel/module/main.c:simplify_symbols",
      Since.STABLE,
      Do.REBUILD),
  ELF_WRITABLE_EXECUTABLE(
      Layer.ELF,
      ENOEXEC,
      "a section is both writable and executable",
      "kernel/module/strict_rwx.c:module_enforce_rwx_sections",
      "5.8 and later",
      Do.REBUILD),
  ELF_ARCH_SECTION(
      Layer.ELF,
      ENOEXEC,
      "lacks a section that the loader of this machine looks for",
      "arch/*/kernel/module*.c:module_frob_arch_sections",
      "arm64: 6.5 and later, before that with CONFIG_ARM64_MODULE_PLTS; arm: with"
          + " CONFIG_ARM_MODULE_PLTS; riscv: with CONFIG_MODULE_SECTIONS",
      Do.REBUILD),
  ELF_TRAMPOLINE(
      Layer.ELF,
      ENOEXEC,
      "lacks a section that kernels with function tracing look for",
      "arch/arm64/kernel/module.c:module_init_ftrace_plt",
      "arm64: .text.ftrace_trampoline from 4.16 on, .init.text.ftrace_trampoline from 6.18 on and"
          + " in stable releases of 2025 and later; with CONFIG_DYNAMIC_FTRACE",
      Do.REBUILD),
  ELF_SECTION_TWICE(
      Layer.ELF,
      EEXIST,
      "two sections of the same name",
      "kernel/module/sysfs.c:add_sect_attrs",
      "6.12 and later, with CONFIG_KALLSYMS; before that only a warning",
      Do.REBUILD),
  ELF_PARAMETERS(
      Layer.ELF,
      null,
      "parameters without a name, or two of the same name: damaged?",
      "kernel/params.c:module_param_sysfs_setup",
      Since.ALL,
      Do.REPLACE),
  ELF_STACK_PROTECTOR(
      Layer.ELF,
      null,
      "lists an instruction for the stack protector outside its code: damaged?",
      "arch/s390/kernel/stackprotector.c:__stack_protector_apply",
      "s390x: 7.2, with CONFIG_STACKPROTECTOR",
      Do.REPLACE),
  ELF_COMMON_SYMBOL(
      Layer.ELF,
      ENOEXEC,
      "a common symbol",
      Source.SYMBOLS,
      Since.ALL,
      "build the module with -fno-common"),

  ARCHITECTURE_BYTE_ORDER(
      Layer.ARCHITECTURE,
      ENOEXEC,
      "built for the other byte order",
      Source.ELF,
      Since.ALL,
      Do.OTHER_MACHINE),
  ARCHITECTURE_MACHINE(
      Layer.ARCHITECTURE,
      ENOEXEC,
      "built for another architecture",
      Source.ELF,
      Since.ALL,
      Do.OTHER_MACHINE),

  STRUCT_MODULE_SECTION(
      Layer.STRUCT_MODULE,
      ENOEXEC,
      "no usable .gnu.linkonce.this_module section",
      Source.ELF,
      "up to 6.3 only a missing one is refused",
      "build the module with the kernel's own build system (kbuild, make M=...), and do not strip"
          + " it of more than debugging symbols"),
  STRUCT_MODULE_SIZE(
      Layer.STRUCT_MODULE,
      ENOEXEC,
      "built with another struct module",
      "kernel/module/main.c:elf_validity_cache_index_mod",
      Since.UNIQUE,
      Do.REBUILD),
  STRUCT_MODULE_CONTENTS(
      Layer.STRUCT_MODULE,
      null,
      "bytes of struct module are set that no build sets: damaged?",
      "kernel/module/main.c:move_module",
      Since.ALL,
      Do.REPLACE),

  LAYOUT_CRC_MISMATCH(
      Layer.MODULE_LAYOUT,
      ENOEXEC,
      "built for a kernel with another struct module or configuration",
      Source.LAYOUT,
      Since.MODVERSIONS,
      Do.REBUILD),
  LAYOUT_NO_VERSION(
      Layer.MODULE_LAYOUT,
      ENOEXEC,
      Meaning.NO_ENTRY,
      Source.LAYOUT,
      Since.MISSING_VERSION,
      Do.REBUILD),
  LAYOUT_NO_TABLE(
      Layer.MODULE_LAYOUT, ENOEXEC, Meaning.NO_TABLE, Source.LAYOUT, Since.FORCE, Do.MODVERSIONS),
  LAYOUT_NOT_COMPARED(
      Layer.MODULE_LAYOUT,
      null,
      "the loader would accept without comparing the CRC of module_layout: nothing proves that"
          + " struct module is the same",
      Source.LAYOUT,
      Since.ALL,
      Do.MODVERSIONS),

  VERMAGIC_MISMATCH(
      Layer.VERMAGIC,
      ENOEXEC,
      "built for another kernel, or for one with other basic options",
      Source.MODINFO,
      "the release is left out of the comparison where both have symbol versions",
      Do.REBUILD),
  VERMAGIC_MISSING(
      Layer.VERMAGIC,
      ENOEXEC,
      "no vermagic, and the kernel does not load modules by force",
      Source.MODINFO,
      Since.FORCE,
      Do.REBUILD),

  LICENSE_INHERITED(
      Layer.LICENSE,
      null,
      "inherits the proprietary taint of a module it uses",
      Source.INHERIT_TAINT,
      Since.TAINT,
      "nothing, unless it is to use GPL-only symbols"),
  LICENSE_MIXED(
      Layer.LICENSE,
      ENOENT,
      "uses GPL-only symbols and one of a proprietary module",
      Source.INHERIT_TAINT,
      Since.TAINT,
      "use a version of the driver that is made for this kernel: it may not use both"),

  NAME_EMPTY(
      Layer.MODULE_NAME, EINVAL, "the module has no name", Source.SYSFS, Since.ALL, Do.REBUILD),
  NAME_VMLINUX(
      Layer.MODULE_NAME,
      EINVAL,
      "named vmlinux, which a kernel with live patching (CONFIG_LIVEPATCH) refuses",
      "kernel/livepatch/core.c:klp_module_coming",
      "5.8 and later",
      "give the module another name"),
  NAME_BUILT_IN(
      Layer.MODULE_NAME,
      EINVAL,
      "built into the kernel under the same name",
      Source.SYSFS,
      Since.ALL,
      "use the kernel's own driver, or one whose module has another name"),

  EXPORT_NO_FLAGS(
      Layer.EXPORT_FLAGS,
      ENOEXEC,
      "exports symbols without flags",
      "kernel/module/main.c:check_export_symbol_sections",
      "7.1 and later",
      Do.REBUILD),
  EXPORT_OLD_TABLE(
      Layer.EXPORT_FLAGS,
      null,
      "its exports in __ksymtab_gpl do not count on this kernel",
      "kernel/module/main.c:find_module_sections",
      "7.1 and later",
      Do.REBUILD),
  EXPORT_NO_CRC(
      Layer.EXPORT_VERSIONS,
      ENOEXEC,
      "exports symbols without CRCs, and the kernel does not load modules by force",
      "kernel/module/main.c:check_export_symbol_versions",
      Since.FORCE,
      Do.MODVERSIONS),

  SYMBOL_MISSING(
      Layer.SYMBOL_MISSING,
      ENOENT,
      "neither the kernel nor a module exports it",
      Source.SYMBOLS,
      Since.ALL,
      "install the module that exports it, or use a version of the driver that is made for this"
          + " kernel"),
  SYMBOL_NOT_KNOWN(
      Layer.SYMBOL_MISSING,
      null,
      "nothing that is known exports it, and the kernel's exports are not all known",
      Source.SYMBOLS,
      Since.ALL,
      "give more of the kernel: its Module.symvers, its image, or its package"),
  SYMBOL_EXPORTS_UNKNOWN(
      Layer.SYMBOL_MISSING,
      null,
      "what some of these modules export is not reported, as by nodes with kmod before 30",
      Source.SYMBOLS,
      Since.ALL,
      "give the modules' files with --modules, or collect the tables where kmod is newer"),
  SYMBOL_WEAK(
      Layer.SYMBOL_MISSING,
      null,
      "a weak symbol that stays 0: calling it would crash",
      Source.SYMBOLS,
      Since.ALL,
      "nothing, unless the module calls it without asking whether it is there"),
  SYMBOL_GET(
      Layer.SYMBOL_MISSING,
      null,
      "a symbol the module asks for by name when it runs, which nothing exports; modversions do not"
          + " cover such symbols",
      "kernel/module/main.c:__symbol_get",
      Since.ALL,
      "install the module that exports it, if the feature that needs it is wanted"),

  SYMBOL_GPL_ONLY(
      Layer.SYMBOL_GPL_ONLY,
      ENOENT,
      "exported for GPL modules only, and this one is not",
      "kernel/module/main.c:find_exported_symbol_in_section",
      Since.ALL,
      "use a version of the driver that does without the symbol: its license forbids it"),
  SYMBOL_LICENSE_UNKNOWN(
      Layer.SYMBOL_GPL_ONLY,
      null,
      "not known whether it is GPL-only",
      "kernel/module/main.c:find_exported_symbol_in_section",
      Since.ALL,
      "give the kernel's Module.symvers"),

  SYMBOL_CRC_MISMATCH(
      Layer.SYMBOL_CRC,
      EINVAL,
      "symbol version (CRC) mismatch",
      Source.VERSIONS,
      Since.MODVERSIONS,
      Do.REBUILD),
  SYMBOL_NOT_COMPARED(
      Layer.SYMBOL_CRC,
      null,
      "the loader would accept symbols without comparing a CRC: nothing proves that they fit",
      Source.VERSIONS,
      Since.ALL,
      Do.MODVERSIONS),

  SYMBOL_NO_TABLE(
      Layer.SYMBOL_VERSION, EINVAL, Meaning.NO_TABLE, Source.VERSIONS, Since.FORCE, Do.MODVERSIONS),
  SYMBOL_NO_VERSION(
      Layer.SYMBOL_VERSION,
      EINVAL,
      Meaning.NO_ENTRY,
      Source.VERSIONS,
      Since.MISSING_VERSION,
      Do.REBUILD),

  NAMESPACE_RESERVED(
      Layer.NAMESPACE,
      EPERM,
      "imports a namespace that is reserved for named modules",
      "kernel/module/main.c:setup_modinfo",
      "6.16 and later",
      "remove MODULE_IMPORT_NS(\"module:...\"): only the modules it names may use those symbols"),
  NAMESPACE_NOT_IMPORTED(
      Layer.NAMESPACE,
      EINVAL,
      "in a namespace that the module does not import",
      "kernel/module/main.c:verify_namespace_is_imported",
      "5.4 and later; only a warning with CONFIG_MODULE_ALLOW_MISSING_NAMESPACE_IMPORTS",
      "add MODULE_IMPORT_NS() to the module's source (make nsdeps), and build it again"),

  DEPENDENCY_REFUSED(
      Layer.DEPENDENCY,
      ENOENT,
      "depends on a module that would not load either",
      Source.SYMBOLS,
      Since.ALL,
      "see why the module it depends on does not load"),
  DEPENDENCY_UNREADABLE(
      Layer.DEPENDENCY,
      null,
      "its exporter could not be read",
      Source.SYMBOLS,
      Since.ALL,
      "get the exporting module's file again, or install its package again"),
  DEPENDENCY_UNDETERMINED(
      Layer.DEPENDENCY,
      null,
      "its exporter is itself undetermined",
      Source.SYMBOLS,
      Since.ALL,
      "see what is not known of the exporting module"),

  DEPENDENCY_ABSENT(
      Layer.DEPENDENCY,
      null,
      "a module that modinfo's depends names, which the kernel does not have, and which is not among"
          + " those that are checked: what is missing may be there",
      "scripts/mod/modpost.c:add_depends",
      Since.ALL,
      "check it together with that module, and install both"),

  RELOCATION_TYPE(
      Layer.RELOCATION,
      ENOEXEC,
      "a relocation of a type this kernel does not know",
      Source.RELOCATIONS,
      Since.RELOCATIONS,
      Do.REBUILD),
  RELOCATION_KIND(
      Layer.RELOCATION,
      ENOEXEC,
      "a relocation section of a kind this machine does not use",
      "include/linux/moduleloader.h:apply_relocate",
      Since.ALL,
      Do.REPLACE),
  RELOCATION_OVERFLOW(
      Layer.RELOCATION,
      ENOEXEC,
      "the value of a relocation does not fit where it is to be written",
      Source.RELOCATIONS,
      Since.ALL,
      Do.REPLACE),
  RELOCATION_NO_UPPER_HALF(
      Layer.RELOCATION,
      EINVAL,
      "a relocation of the lower half of an address without one of its upper half",
      "arch/riscv/kernel/module.c:apply_relocate_add",
      "riscv",
      Do.REPLACE),
  RELOCATION_NO_SYMBOL(
      Layer.RELOCATION,
      null,
      "a relocation of a symbol that does not exist: damaged?",
      Source.RELOCATIONS,
      Since.ALL,
      Do.REPLACE),
  RELOCATION_OUTSIDE(
      Layer.RELOCATION,
      null,
      "a relocation outside of its section: damaged?",
      Source.RELOCATIONS,
      Since.ALL,
      Do.REPLACE),
  RELOCATION_TWICE(
      Layer.RELOCATION,
      null,
      "two relocations of the same place: damaged?",
      Source.RELOCATIONS,
      "x86-64: 4.15 and later",
      Do.REPLACE),
  RELOCATION_LIVEPATCH(
      Layer.RELOCATION,
      null,
      "relocations left to the code for live patches, in a section not named for it: damaged?",
      Source.RELOCATIONS,
      "5.8 and later refuse that with CONFIG_LIVEPATCH; others do not apply them",
      Do.REPLACE),
  RELOCATION_ADDRESS(
      Layer.RELOCATION,
      null,
      "whether the value of a relocation fits depends on where the module is loaded",
      Source.RELOCATIONS,
      Since.ALL,
      Do.REPLACE),
  RELOCATION_NOT_ZERO(
      Layer.RELOCATION,
      ENOEXEC,
      "a place to be relocated is not zero: the file was linked or patched wrongly",
      Source.RELOCATIONS,
      "x86-64: 4.15 and later",
      Do.REBUILD),

  BREAKS_IMPORTER(
      Layer.IMPORTERS,
      null,
      "another module loads without this one, and would not with it in place",
      "kernel/module/version.c:check_version, kernel/module/main.c:simplify_symbols",
      Since.ALL,
      "use a build whose exports have the kernel's CRCs (same headers, same compiler), or replace"
          + " the modules that use it as well"),

  BREAKS_MOST(
      Layer.IMPORTERS,
      null,
      "most of its exports have other CRCs than those of the module it replaces",
      "kernel/module/version.c:check_version",
      Since.ALL,
      "build it with the compiler and the headers of that kernel; CRCs differ, too, where one was"
          + " made by genksyms and the other by gendwarfksyms"),

  EXPORT_DUPLICATE(
      Layer.DUPLICATE_EXPORT,
      ENOEXEC,
      "exports a symbol that the kernel or another module exports already",
      "kernel/module/main.c:verify_exported_symbols",
      Since.ALL,
      "do not load both, or use a version of the driver that does not bring its own copy of what"
          + " the kernel has"),

  BTF_INVALID(
      Layer.BTF,
      EINVAL,
      "its BTF is damaged, or has names that this kernel's BTF leaves no room for",
      "kernel/bpf/btf.c:btf_parse_module",
      "5.11 and later, without CONFIG_MODULE_ALLOW_BTF_MISMATCH",
      "strip .BTF (objcopy --remove-section .BTF), or build the module for this kernel"),
  BTF_MISMATCH(
      Layer.BTF,
      null,
      "has BTF of another kernel, and this one refuses what does not fit its own",
      "kernel/bpf/btf.c:btf_module_notify",
      "5.11 and later, without CONFIG_MODULE_ALLOW_BTF_MISMATCH",
      "strip .BTF (objcopy --remove-section .BTF), or build the module for this kernel");

  private final Layer layer;
  private final @Nullable String errno;
  private final String meaning;
  private final String source;
  private final String versions;
  private final String remedy;
  private final String id;

  FindingKind(
      Layer layer,
      @Nullable String errno,
      String meaning,
      String source,
      String versions,
      String remedy) {
    this.layer = layer;
    this.errno = errno;
    this.meaning = meaning;
    this.source = source;
    this.versions = versions;
    this.remedy = remedy;
    this.id = name().toLowerCase(Locale.ROOT).replaceFirst("_", ".").replace('_', '-');
  }

  /** Stable id, such as "symbol.crc-mismatch": the first word of the constant, and the others. */
  @Override
  public String id() {
    return id;
  }

  /** The layer it belongs to. */
  public Layer layer() {
    return layer;
  }

  /** The errno of a refusal; null if it depends on the version, or if this is never one. */
  public @Nullable String errno() {
    return errno;
  }

  /** What is wrong, a clause. */
  public String meaning() {
    return meaning;
  }

  /** Where the kernel decides it (file:function in current sources); empty if it does not. */
  public String source() {
    return source;
  }

  /** Which kernels do so. */
  public String versions() {
    return versions;
  }

  /** What to do about it. */
  public String remedy() {
    return remedy;
  }

  /** The errno of a refusal that has only one. */
  String errnoOrThrow() {
    if (errno == null) {
      throw new IllegalStateException("no errno for " + id);
    }
    return errno;
  }

  /** The kind of this id, null if there is none. */
  public static @Nullable FindingKind of(String id) {
    return StableId.of(id, List.of(values()));
  }

  private static final class Meaning {
    static final String NO_ENTRY = "no entry in the module's version table";
    static final String NO_TABLE =
        "the module has no symbol versions and the kernel does not load it by force";
  }

  private static final class Source {
    static final String NONE = "";
    static final String READ_FILE = "fs/kernel_read_file.c:kernel_read_file";
    static final String ELF = "kernel/module/main.c:elf_validity_check";
    static final String MODULE_SIGNATURE = "kernel/module_signature.c:mod_check_sig";
    static final String PKCS7 = "crypto/asymmetric_keys/pkcs7_parser.c";
    static final String SIGNING = "kernel/module/signing.c:module_sig_check";
    static final String LAYOUT = "kernel/module/version.c:check_modstruct_version";
    static final String VERSIONS = "kernel/module/version.c:check_version";
    static final String MODINFO = "kernel/module/main.c:check_modinfo";
    static final String SYMBOLS = "kernel/module/main.c:simplify_symbols";
    static final String INHERIT_TAINT = "kernel/module/main.c:inherit_taint";
    static final String RELOCATIONS = "arch/*/kernel/module.c:apply_relocate_add";
    static final String SYSFS = "kernel/module/sysfs.c:mod_sysfs_init";
  }

  private static final class Since {
    static final String ALL = "all";
    static final String SECTIONS = "5.12 and later";
    static final String STABLE = "7.0 and later, and stable releases of 2026";
    static final String UNIQUE = "6.4 and later";
    static final String STRINGS = "6.13 and later";
    static final String EXTENDED = "6.14 and later";
    static final String MODVERSIONS = "with CONFIG_MODVERSIONS";
    static final String MISSING_VERSION = "up to 4.8, and Debian's; others warn and accept";
    static final String FORCE = "without CONFIG_MODULE_FORCE_LOAD; with it the kernel is tainted";
    static final String TAINT = "5.9 and later";
    static final String RELOCATIONS = "which types are known depends on architecture and version";
    static final String POLICY =
        "where signatures are enforced (EKEYREJECTED; ENOKEY up to 5.3) or the kernel is locked down"
            + " (EPERM)";
  }

  private static final class Do {
    static final String REBUILD =
        "build the module for this kernel ('weaklink rebuild'), or stay"
            + " with a kernel it loads on";
    static final String REPLACE =
        "get the file again from where it came, or build it again: it is damaged";
    static final String OTHER_MACHINE = "get or build the module for this machine";
    static final String MODVERSIONS =
        "build the module in a tree that has the kernel's"
            + " Module.symvers and CONFIG_MODVERSIONS";
    static final String SIGN =
        "sign the module with a key the kernel trusts (scripts/sign-file of its build tree)";
  }
}
