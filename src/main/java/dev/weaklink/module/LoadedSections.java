package dev.weaklink.module;

import dev.weaklink.format.elf.ElfIdentity;
import dev.weaklink.format.elf.ElfImage;
import dev.weaklink.format.elf.SectionTable;
import dev.weaklink.module.ElfDefect.ElfDefectKind;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The sections of a module that the loader copies to their final address (kernel/module/main.c: layout_and_allocate,
 * percpu_modalloc, module_enforce_rwx_sections).
 */
final class LoadedSections {
    private static final byte[] MODINFO = NamedSections.wanted(".modinfo");
    private static final byte[] VERSIONS = NamedSections.wanted("__versions");
    private static final byte[] PER_CPU = NamedSections.wanted(".data..percpu");
    private static final long SHF_RELA_LIVEPATCH = 0x00100000;

    private static final String OF_LIVE_PATCHES = ".klp.rela.";

    /** The maximum length of the object's name (vmlinux or a module) in the name of a live-patch section, in bytes. */
    private static final int LONGEST_OBJECT = 55;

    private static final long UNSIGNED_INT = 0xffffffffL;

    /** The size in bytes up to which every kernel is assumed to find memory for a module. */
    private static final long MODEST = 256L << 20;

    /**
     * The smallest per-CPU space in bytes that a kernel reserves for all of its modules together
     * (PERCPU_MODULE_RESERVE). A per-CPU section of at most this size is no defect.
     */
    private static final long MODEST_PER_CPU = 8 << 10;

    private static final long LARGEST_ALIGNMENT = 1 << 20;

    private final ElfImage image;
    private final SectionTable sections;
    private final NamedSections named;
    private final ArchSections arch;
    private final int modInfo;
    private final int versions;
    private final int perCpu;

    LoadedSections(ElfImage image) {
        this.image = image;
        sections = image.sections();
        named = new NamedSections(image);
        arch = new ArchSections(image, named);
        modInfo = named.findAllocated(MODINFO);
        versions = named.findAllocated(VERSIONS);
        perCpu = named.findAllocated(PER_CPU);
    }

    int count() {
        return sections.count();
    }

    /**
     * Returns whether a section is part of the module's memory. The sections .modinfo, __versions and .data..percpu are
     * not, because the loader clears their SHF_ALLOC.
     */
    boolean isLoaded(int section) {
        return sections.isAllocated(section) && section != modInfo && section != versions && section != perCpu;
    }

    boolean isPerCpu(int section) {
        return section == perCpu;
    }

    boolean isAligned(int section) {
        return (sections.alignment(section) & 1) == 0 && sections.alignment(section) != 0;
    }

    static boolean isOfLivePatches(SectionTable sections, int section) {
        return (sections.flags(section) & SHF_RELA_LIVEPATCH) != 0;
    }

    void check(ElfValidity validity) {
        arch.check(validity);
        checkFlags(validity);
        long memory = 0;
        for (int i = 0; i < sections.count(); i++) {
            boolean filled = sections.type(i) != SectionTable.SHT_NOBITS;
            if (isLoaded(i) && (!filled || image.hasContents(i))) {
                // the loader counts in an unsigned int
                memory += sections.size(i) & UNSIGNED_INT;
                checkAlignment(i, validity);
            }
        }
        if (memory > MODEST) {
            validity.add(ElfDefect.of(ElfDefectKind.MUCH_MEMORY, memory, 0));
        }
        if (perCpu > 0 && sections.size(perCpu) > MODEST_PER_CPU) {
            validity.add(ElfDefect.of(ElfDefectKind.MUCH_PER_CPU_MEMORY, sections.size(perCpu), 0));
        }
        checkNames(validity);
        checkLivePatches(validity);
    }

    /**
     * Records the first section of live-patch relocations that is not named after another module. The kernel may apply
     * or refuse such relocations when it loads the module (kernel/livepatch/core.c:klp_apply_section_relocs).
     */
    private void checkLivePatches(ElfValidity validity) {
        for (int i = 1; i < sections.count(); i++) {
            int target = sections.info(i);
            if (isOfLivePatches(sections, i)
                    && target > 0
                    && target < sections.count()
                    && sections.isAllocated(target)
                    && !isOfModule(named.name(i))) {
                validity.add(new ElfDefect(ElfDefectKind.LIVE_PATCH_RELOCATIONS, i, 0, named.name(i)));
                return;
            }
        }
    }

    private static boolean isOfModule(String section) {
        if (!section.startsWith(OF_LIVE_PATCHES)) {
            return false;
        }
        int end = section.indexOf('.', OF_LIVE_PATCHES.length());
        String object = section.substring(OF_LIVE_PATCHES.length(), end < 0 ? section.length() : end);
        return !object.isEmpty() && object.length() <= LONGEST_OBJECT && !object.equals("vmlinux");
    }

    /**
     * Checks that section names are unique: each loaded section has a file of its name in /sys/module
     * (kernel/module/sysfs.c: add_sect_attrs). The symbol table and its strings are loaded regardless of their flags
     * (kernel/module/kallsyms.c: layout_symtab).
     */
    private void checkNames(ElfValidity validity) {
        int symtab = firstSymbolTable();
        int strings = symtab > 0 ? sections.link(symtab) : -1;
        int[] seen = new int[sections.count()];
        int count = 0;
        for (int i = 1; i < sections.count(); i++) {
            if (isLoaded(i) && sections.size(i) > 0 || i == symtab || i == strings) {
                seen[count++] = i;
            }
        }
        seen = Arrays.copyOf(seen, count);
        if (!mayRepeat(seen)) {
            return;
        }
        Set<String> names = new HashSet<>();
        for (int i : seen) {
            String name = named.name(i);
            if (named.hasName(i) && !names.add(name)) {
                validity.add(new ElfDefect(ElfDefectKind.SECTION_NAME_TWICE, i, 0, name));
                return;
            }
        }
    }

    private boolean mayRepeat(int[] seen) {
        int[] hashes = new int[seen.length];
        for (int i = 0; i < seen.length; i++) {
            hashes[i] = named.hash(seen[i]);
        }
        Arrays.sort(hashes);
        for (int i = 1; i < hashes.length; i++) {
            if (hashes[i] == hashes[i - 1]) {
                return true;
            }
        }
        return false;
    }

    private int firstSymbolTable() {
        for (int i = 1; i < sections.count(); i++) {
            if (sections.type(i) == SectionTable.SHT_SYMTAB) {
                return i;
            }
        }
        return -1;
    }

    private void checkAlignment(int section, ElfValidity validity) {
        long alignment = sections.alignment(section);
        if (alignment < 0 || alignment > LARGEST_ALIGNMENT || Long.bitCount(alignment) > 1) {
            validity.add(new ElfDefect(ElfDefectKind.ODD_ALIGNMENT, section, alignment, named.name(section)));
        }
    }

    private void checkFlags(ElfValidity validity) {
        long both = SectionTable.SHF_WRITE | SectionTable.SHF_EXECINSTR;
        for (int i = 0; i < sections.count(); i++) {
            if ((sections.flags(i) & both) == both && !arch.isRewritten(named.name(i))) {
                validity.add(new ElfDefect(ElfDefectKind.WRITABLE_AND_EXECUTABLE, i, 0, named.name(i)));
                return;
            }
        }
    }

    /**
     * The sections that the loader of a machine finds by name, mostly to reserve space in them
     * (arch/.../kernel/module-plts.c, module-sections.c, module_64.c: module_frob_arch_sections;
     * arch/arm64/kernel/module.c: module_init_ftrace_plt). If a kernel needs such sections, its build adds them to
     * every module (arch/.../include/asm/module.lds.h).
     */
    private static final class ArchSections {
        private static final String TRAMPOLINE = ".text.ftrace_trampoline";
        private static final String INIT_TRAMPOLINE = ".init" + TRAMPOLINE;

        private final NamedSections named;
        private final int machine;

        ArchSections(ElfImage image, NamedSections named) {
            this.named = named;
            machine = image.identity().machine();
        }

        /** Returns whether the loader replaces the section's flags before checking them. */
        boolean isRewritten(String section) {
            return switch (machine) {
                case ElfIdentity.EM_ARM -> wanted().contains(section);
                case ElfIdentity.EM_AARCH64 -> wanted().contains(section) || section.endsWith(TRAMPOLINE);
                case ElfIdentity.EM_RISCV -> wanted().contains(section);
                case ElfIdentity.EM_LOONGARCH -> wanted().contains(section) || section.equals(".ftrace_trampoline");
                default -> false;
            };
        }

        private List<String> wanted() {
            return switch (machine) {
                case ElfIdentity.EM_ARM, ElfIdentity.EM_AARCH64 -> List.of(".plt", ".init.plt");
                case ElfIdentity.EM_RISCV -> List.of(".plt", ".got", ".got.plt");
                case ElfIdentity.EM_LOONGARCH -> List.of(".got", ".plt", ".plt.idx");
                case ElfIdentity.EM_PPC64 -> List.of(".stubs");
                default -> List.of();
            };
        }

        private boolean areOptional() {
            return switch (machine) {
                case ElfIdentity.EM_ARM, ElfIdentity.EM_AARCH64, ElfIdentity.EM_RISCV -> true;
                default -> false;
            };
        }

        void check(ElfValidity validity) {
            List<String> wanted = wanted();
            boolean none = true;
            String missing = null;
            for (String name : wanted) {
                boolean found = has(name);
                none &= !found;
                missing = missing == null && !found ? name : missing;
            }
            if (missing != null && !(none && areOptional())) {
                validity.add(new ElfDefect(ElfDefectKind.ARCH_SECTION_MISSING, 0, 0, missing));
            }
            if (machine == ElfIdentity.EM_AARCH64 && !none) {
                if (!has(TRAMPOLINE)) {
                    validity.add(new ElfDefect(ElfDefectKind.TRAMPOLINE_MISSING, 0, 0, TRAMPOLINE));
                } else if (!has(INIT_TRAMPOLINE)) {
                    validity.add(new ElfDefect(ElfDefectKind.TRAMPOLINE_MISSING, 1, 0, INIT_TRAMPOLINE));
                }
            }
        }

        private boolean has(String name) {
            return named.find(NamedSections.wanted(name)) > 0;
        }
    }
}
