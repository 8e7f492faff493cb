package dev.weaklink.loader;

import dev.weaklink.format.elf.ElfIdentity;
import dev.weaklink.format.elf.SectionTable;
import dev.weaklink.kernel.KernelVersion;
import dev.weaklink.kernel.LoaderRule;
import dev.weaklink.loader.Finding.Effect;
import dev.weaklink.module.ElfDefect;
import dev.weaklink.module.ElfDefect.ElfDefectKind;
import dev.weaklink.module.KernelModule;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The checks of the ELF file itself (kernel/module.c and kernel/module/main.c: elf_validity_check, setup_load_info,
 * elf_validity_cache_copy from 6.4). The checks end at the first refusal.
 */
final class ElfStep {
    private static final int ET_REL_OTHER_BYTE_ORDER = 0x100;
    private static final String NO_SYMBOLS = "{name}: module has no symbols (stripped?)";
    private static final Map<ElfDefectKind, ElfRule> CHECKS = new EnumMap<>(ElfDefectKind.class);

    private ElfStep() {}

    private enum Otherwise {
        NOTHING,
        DOUBT,
        /** A doubt if the kernel's rule is assumed or the section has no contents in the file; else no finding. */
        DOUBT_UNLESS_SEEN
    }

    /**
     * A check for one kind of defect.
     *
     * @param since the first value of {@link LoaderRule#ELF_CHECKS} with which the kernel refuses the defect; null if
     *     unknown
     * @param line the kernel's log message with placeholders {1} and {2} for values of the defect, and {name} for the
     *     module; null if the kernel logs nothing
     */
    private record ElfRule(
            FindingKind finding,
            @Nullable String since,
            Otherwise otherwise,
            @Nullable String line) {}

    static {
        refused(ElfDefectKind.EMPTY_FILE, FindingKind.ELF_EMPTY, null);
        refused(ElfDefectKind.SHORT_HEADER, FindingKind.ELF_HEADER_SIZE, "Invalid ELF header len {1}");
        refused(ElfDefectKind.BAD_MAGIC, FindingKind.ELF_MAGIC, "Invalid ELF header magic: != \\x7fELF");
        refused(ElfDefectKind.BAD_TYPE, FindingKind.ELF_TYPE, "Invalid ELF header type: {1} != 1");
        refused(ElfDefectKind.BAD_SHENTSIZE, FindingKind.ELF_SECTION_HEADER_SIZE, "Invalid ELF section header size");
        refused(
                ElfDefectKind.SECTION_TABLE_OUTSIDE,
                FindingKind.ELF_SECTION_TABLE_BOUNDS,
                "Invalid ELF section header overflow");
        doubted(
                ElfDefectKind.BAD_SHSTRNDX,
                FindingKind.ELF_NAME_TABLE_INDEX,
                "sections",
                "Invalid ELF section name index: {1} || e_shstrndx ({1}) >= e_shnum ({2})");
        CHECKS.put(
                ElfDefectKind.NAME_TABLE_OUTSIDE,
                new ElfRule(
                        FindingKind.ELF_SECTION_BOUNDS,
                        "sections",
                        Otherwise.NOTHING,
                        "Invalid ELF section hdr(type {1})"));
        refused(
                ElfDefectKind.SECTION_OUTSIDE,
                FindingKind.ELF_SECTION_BOUNDS,
                "Invalid ELF section in module (section {1} type {2})");
        doubted(
                ElfDefectKind.EMPTY_NAME_TABLE,
                FindingKind.ELF_NAME_TABLE_EMPTY,
                "sections",
                "empty section name table");
        doubted(
                ElfDefectKind.NAME_TABLE_UNTERMINATED,
                FindingKind.ELF_NAME_TABLE_END,
                "sections",
                "ELF Spec violation: section name table isn't null terminated");
        doubted(
                ElfDefectKind.SECTION_ZERO_NOT_NULL,
                FindingKind.ELF_SECTION_ZERO,
                "sections",
                "ELF Spec violation: section 0 type({1})!=SH_NULL or non-zero len or addr");
        doubted(
                ElfDefectKind.BAD_SYMTAB_LINK,
                FindingKind.ELF_SYMTAB_LINK,
                "sections",
                "Invalid ELF sh_link!=SHN_UNDEF({1}) or (sh_link({1}) >= hdr->e_shnum({2})");
        CHECKS.put(
                ElfDefectKind.SECTION_NAME_OUTSIDE,
                new ElfRule(
                        FindingKind.ELF_SECTION_NAME_BOUNDS,
                        "names",
                        Otherwise.DOUBT_UNLESS_SEEN,
                        "Invalid ELF section name in module (section {1} type {2})"));
        accepted(
                ElfDefectKind.SEVERAL_MODINFO,
                FindingKind.ELF_SEVERAL_MODINFO,
                "unique",
                "Only one .modinfo section must exist.");
        refused(ElfDefectKind.NO_SYMBOL_TABLE, FindingKind.ELF_NO_SYMTAB, NO_SYMBOLS);
        accepted(ElfDefectKind.SEVERAL_SYMBOL_TABLES, FindingKind.ELF_SEVERAL_SYMTABS, "unique", NO_SYMBOLS);
        accepted(ElfDefectKind.STRING_TABLE_UNTERMINATED, FindingKind.ELF_STRTAB_END, "strings", null);
        doubted(
                ElfDefectKind.SYMBOL_NAME_OUTSIDE,
                FindingKind.ELF_SYMBOL_NAME_BOUNDS,
                "strings",
                "symbol name out of bounds in string table");
        refused(
                ElfDefectKind.EXTENDED_VERSIONS_HALF,
                FindingKind.ELF_EXTENDED_HALF,
                "extended version crc+name presence does not match");
        refused(
                ElfDefectKind.EXTENDED_VERSIONS_NAMES,
                FindingKind.ELF_EXTENDED_NAMES,
                "more extended version crcs than names");
        unclear(ElfDefectKind.NAMES_OVERLAP, FindingKind.ELF_NAMES_OVERLAP);
        unclear(ElfDefectKind.CTORS_AND_INIT_ARRAY, FindingKind.ELF_CONSTRUCTORS);
        unclear(ElfDefectKind.NAME_TABLE_TYPE, FindingKind.ELF_NAME_TABLE_TYPE);
        unclear(ElfDefectKind.STRING_TABLE_TYPE, FindingKind.ELF_STRTAB_TYPE);
        unclear(ElfDefectKind.BROKEN_PARAMETERS, FindingKind.ELF_PARAMETERS);
        unclear(ElfDefectKind.STACK_PROTECTOR_LOCATION, FindingKind.ELF_STACK_PROTECTOR);
        unclear(ElfDefectKind.STATIC_CALL_KEY, FindingKind.ELF_STATIC_CALL);
        unclear(ElfDefectKind.STRUCT_MODULE_BYTES, FindingKind.STRUCT_MODULE_CONTENTS);
        unclear(ElfDefectKind.LIVE_PATCH_RELOCATIONS, FindingKind.RELOCATION_LIVEPATCH);
    }

    private static void refused(ElfDefectKind kind, FindingKind finding, @Nullable String line) {
        CHECKS.put(kind, new ElfRule(finding, "header", Otherwise.NOTHING, line));
    }

    private static void doubted(ElfDefectKind kind, FindingKind finding, String since, String line) {
        CHECKS.put(kind, new ElfRule(finding, since, Otherwise.DOUBT, line));
    }

    private static void accepted(ElfDefectKind kind, FindingKind finding, String since, @Nullable String line) {
        CHECKS.put(kind, new ElfRule(finding, since, Otherwise.NOTHING, line));
    }

    private static void unclear(ElfDefectKind kind, FindingKind finding) {
        CHECKS.put(kind, new ElfRule(finding, null, Otherwise.DOUBT, null));
    }

    static void header(VerdictBuilder j) {
        for (ElfDefect defect : j.module().defects()) {
            if (defect.kind().compareTo(ElfDefectKind.BAD_TYPE) <= 0 && !j.refused()) {
                check(j, defect);
            }
        }
    }

    static void structure(VerdictBuilder j) {
        List<ElfDefect> defects = new ArrayList<>(j.module().defects());
        if (j.rules().atLeast(LoaderRule.ELF_CHECKS, "names")) {
            defects.sort(Comparator.comparingInt(ElfStep::late));
        }
        for (ElfDefect defect : defects) {
            if (defect.kind().compareTo(ElfDefectKind.BAD_TYPE) > 0 && !j.refused()) {
                check(j, defect);
            }
        }
    }

    /**
     * Returns a number that sorts defects in the order of the kernel's checks, if {@link LoaderRule#ELF_CHECKS} is
     * {@code names} or later. The order is elf_validity_cache_sechdrs, _secstrings, _index_info, _index_mod,
     * _index_sym, _index_str.
     */
    private static int late(ElfDefect defect) {
        return switch (defect.kind()) {
            case BAD_SHENTSIZE, SECTION_TABLE_OUTSIDE -> 0;
            case SECTION_ZERO_NOT_NULL -> 1;
            case SECTION_OUTSIDE -> 2;
            case BAD_SYMTAB_LINK -> 4;
            default -> 3;
        };
    }

    /**
     * Returns whether a defect makes all section names unreadable. Without section names, all facts that depend on them
     * are missing.
     */
    static boolean isUnread(KernelModule module) {
        for (ElfDefect defect : module.knownDefects()) {
            switch (defect.kind()) {
                case BAD_SHSTRNDX, NAME_TABLE_OUTSIDE, EMPTY_NAME_TABLE, NAME_TABLE_UNTERMINATED -> {
                    return true;
                }
                default -> {
                    // other defects leave the section names readable
                }
            }
        }
        return false;
    }

    private static void check(VerdictBuilder j, ElfDefect defect) {
        switch (defect.kind()) {
            case NO_THIS_MODULE, SEVERAL_THIS_MODULE, THIS_MODULE_NOBITS, THIS_MODULE_NOT_ALLOCATED ->
                StructModuleStep.section(j, defect.kind());
            default -> {
                ElfRule check = CHECKS.get(defect.kind());
                // later steps check the other kinds
                if (check != null) {
                    check(j, defect, check);
                }
            }
        }
    }

    private static void check(VerdictBuilder j, ElfDefect defect, ElfRule check) {
        FindingKind finding = check.finding();
        String since = check.since();
        if (since == null) {
            j.unproven(finding, null, finding.meaning());
        } else if (checks(j, defect.kind(), since(defect, since))) {
            j.refuse(finding, line(j, defect, check.line()));
        } else if (check.otherwise() == Otherwise.DOUBT
                || check.otherwise() == Otherwise.DOUBT_UNLESS_SEEN
                        && (isEmptySection(defect)
                                || j.rules().setting(LoaderRule.ELF_CHECKS).assumed())) {
            j.unproven(finding, null, finding.meaning() + "; this kernel may not check that");
        }
    }

    /**
     * Returns the first value of {@link LoaderRule#ELF_CHECKS} with which the kernel refuses a defect. For a section
     * name outside of the name table, the value also depends on the section. The kernel first checked the names of
     * loaded sections with contents, then of all sections with contents, then of all sections (kernel/module/main.c:
     * elf_validity_check, 6.13+ elf_validity_cache_secstrings).
     */
    private static String since(ElfDefect defect, String since) {
        if (defect.kind() != ElfDefectKind.SECTION_NAME_OUTSIDE) {
            return since;
        }
        if (isEmptySection(defect)) {
            return "strings";
        }
        return defect.text().equals("allocated") ? "sections" : since;
    }

    private static boolean isEmptySection(ElfDefect defect) {
        return defect.second() == SectionTable.SHT_NOBITS;
    }

    private static boolean checks(VerdictBuilder j, ElfDefectKind kind, String since) {
        boolean extended =
                kind == ElfDefectKind.EXTENDED_VERSIONS_HALF || kind == ElfDefectKind.EXTENDED_VERSIONS_NAMES;
        return extended
                ? j.rules().is(LoaderRule.EXTENDED_VERSIONS, "yes")
                : j.rules().atLeast(LoaderRule.ELF_CHECKS, since);
    }

    /**
     * Compares the architecture (elf_check_arch: e_machine). If the byte order differs, the kernel refuses the file
     * earlier, when it checks the ELF type.
     */
    static void architecture(VerdictBuilder j) {
        ElfIdentity module = j.module().elf();
        ElfIdentity target = j.target().machine();
        if (target == null || module == null) {
            j.uncheck(Layer.ARCHITECTURE);
        } else if (module.littleEndian() != target.littleEndian()) {
            String line = "Invalid ELF header type: " + ET_REL_OTHER_BYTE_ORDER + " != 1";
            wrongMachine(j, FindingKind.ARCHITECTURE_BYTE_ORDER, module, target, line);
        } else if (module.machine() != target.machine() || module.is64() != target.is64()) {
            String line = "Invalid architecture in ELF header: " + module.machine();
            wrongMachine(j, FindingKind.ARCHITECTURE_MACHINE, module, target, line);
        }
    }

    private static void wrongMachine(
            VerdictBuilder j, FindingKind kind, ElfIdentity module, ElfIdentity target, String line) {
        String wants = module.machineName();
        String offers = target.machineName();
        String detail = "built for " + wants + ", the kernel is " + offers;
        j.add(new Finding(
                kind,
                Effect.REFUSES,
                kind.errno(),
                null,
                wants,
                offers,
                null,
                ofVersion(j.rules().version(), line),
                detail));
    }

    private static @Nullable String line(VerdictBuilder j, ElfDefect defect, @Nullable String template) {
        if (template == null) {
            return null;
        }
        KernelVersion version = j.rules().version();
        if (defect.kind() == ElfDefectKind.SECTION_OUTSIDE && !version.atLeast(5, 12)) {
            // up to 5.11, the kernel's function rewrite_section_headers logs its own message
            return "Module len " + defect.text() + " truncated";
        }
        String line = template.replace("{1}", Long.toString(defect.first()))
                .replace("{2}", Long.toString(defect.second()))
                .replace("{name}", j.earlyName());
        return template.startsWith("{name}") ? line : ofVersion(version, line);
    }

    /**
     * Returns the log message of a kernel version: {@code line} from 5.16 on, a general message from 5.9 to 5.15, null
     * for older kernels.
     */
    private static @Nullable String ofVersion(KernelVersion version, String line) {
        if (version.atLeast(5, 16)) {
            return line;
        }
        if (version.atLeast(5, 12)) {
            return "Module has invalid ELF structures";
        }
        return version.atLeast(5, 9) ? "Module has invalid ELF header" : null;
    }
}
