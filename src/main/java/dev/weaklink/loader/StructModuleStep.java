package dev.weaklink.loader;

import dev.weaklink.kernel.KernelVersion;
import dev.weaklink.kernel.LoaderRule;
import dev.weaklink.module.ElfDefect.ElfDefectKind;

/**
 * The checks of the section {@code .gnu.linkonce.this_module}, which contains struct module (setup_load_info;
 * elf_validity_cache_index_mod from 6.4 on).
 */
final class StructModuleStep {
    private StructModuleStep() {}

    /** Judges a module in which the section is missing, repeated, without contents, or not loaded into memory. */
    static void section(VerdictBuilder j, ElfDefectKind kind) {
        String name = j.earlyName();
        KernelVersion version = j.rules().version();
        if (j.rules().atLeast(LoaderRule.ELF_CHECKS, "unique")) {
            String which = version.atLeast(6, 13) ? "Exactly" : "Only";
            String dmesg = switch (kind) {
                case THIS_MODULE_NOBITS ->
                    "module " + name + ": .gnu.linkonce.this_module section must have a size set";
                case THIS_MODULE_NOT_ALLOCATED ->
                    "module " + name + ": .gnu.linkonce.this_module must occupy memory during process" + " execution";
                default -> "module " + name + ": " + which + " one .gnu.linkonce.this_module section must exist.";
            };
            j.refuse(FindingKind.STRUCT_MODULE_SECTION, dmesg);
        } else if (kind == ElfDefectKind.NO_THIS_MODULE || kind == ElfDefectKind.THIS_MODULE_NOT_ALLOCATED) {
            String prefix = version.atLeast(4, 14) ? name + ": " : "";
            j.refuse(
                    FindingKind.STRUCT_MODULE_SECTION,
                    prefix + "No module found in object",
                    "no loadable .gnu.linkonce.this_module section: not a kernel module");
        } else if (kind == ElfDefectKind.THIS_MODULE_NOBITS) {
            j.unproven(FindingKind.STRUCT_MODULE_SECTION, null, ".gnu.linkonce.this_module has no contents");
        }
    }

    /** Compares the section's size, which must equal the size of the target kernel's struct module (6.4+). */
    static void size(VerdictBuilder j) {
        long size = j.module().structSize();
        if (j.rules().is(LoaderRule.STRUCT_SIZE, "no")) {
            return;
        }
        long wanted = j.target().structModuleSize();
        if (wanted < 0) {
            j.uncheck(Layer.STRUCT_MODULE);
        } else if (size != wanted && j.rule(LoaderRule.STRUCT_SIZE, "yes")) {
            FindingKind kind = FindingKind.STRUCT_MODULE_SIZE;
            j.add(new Finding(
                    kind,
                    Finding.Effect.REFUSES,
                    kind.errno(),
                    null,
                    Long.toString(size),
                    Long.toString(wanted),
                    null,
                    "module "
                            + j.earlyName()
                            + ": .gnu.linkonce.this_module section size must match the kernel's built struct"
                            + " module size at run time",
                    kind.meaning()));
        }
    }
}
