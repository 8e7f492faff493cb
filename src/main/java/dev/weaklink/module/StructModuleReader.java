package dev.weaklink.module;

import dev.weaklink.format.elf.ElfIdentity;
import dev.weaklink.format.elf.ElfImage;
import dev.weaklink.format.elf.SectionTable;
import dev.weaklink.module.ElfDefect.ElfDefectKind;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Reads section {@code .gnu.linkonce.this_module}: struct module as the build creates it (scripts/mod/modpost.c:
 * add_header), with a name, relocations for init and exit, and zeros.
 */
final class StructModuleReader {
    private static final byte[] THIS_MODULE = NamedSections.wanted(".gnu.linkonce.this_module");
    private static final int MAX_NAME_64 = 56;
    private static final int MAX_NAME_32 = 60;
    private static final int NAME_AT_64 = 24;
    private static final int NAME_AT_32 = 12;

    private final ElfImage image;
    private final SectionTable sections;
    private final boolean is64;
    private final int section;

    StructModuleReader(ElfImage image, NamedSections named, ElfValidity validity) {
        this.image = image;
        sections = image.sections();
        is64 = image.identity().is64();
        section = named.find(THIS_MODULE);
        if (section < 0) {
            validity.add(ElfDefect.of(ElfDefectKind.NO_THIS_MODULE));
            return;
        }
        if (named.count(THIS_MODULE) > 1) {
            validity.add(ElfDefect.of(ElfDefectKind.SEVERAL_THIS_MODULE));
        }
        if (sections.type(section) == SectionTable.SHT_NOBITS) {
            validity.add(ElfDefect.of(ElfDefectKind.THIS_MODULE_NOBITS));
        }
        if (!sections.isAllocated(section)) {
            validity.add(ElfDefect.of(ElfDefectKind.THIS_MODULE_NOT_ALLOCATED));
        }
    }

    /** Returns the section's size in bytes, or -1 if the section is missing. */
    long size() {
        return section > 0 ? sections.size(section) : -1;
    }

    private int nameAt() {
        return is64 ? NAME_AT_64 : NAME_AT_32;
    }

    private int nameEnd() {
        return nameAt() + (is64 ? MAX_NAME_64 : MAX_NAME_32);
    }

    /** Returns the module's name; null if the section is missing, too small or not in the file. */
    @Nullable
    String name() {
        if (section <= 0 || !image.hasContents(section) || size() < nameEnd()) {
            return null;
        }
        int start = (int) sections.offset(section);
        int length = image.stringLength(start + nameAt(), start + nameEnd());
        int room = nameEnd() - nameAt();
        return new String(image.data(), start + nameAt(), length < 0 ? room : length, StandardCharsets.ISO_8859_1);
    }

    /**
     * Records a defect: a name without a terminating NUL, or a byte after the name that is neither zero nor overwritten
     * by a relocation. The loader would use such bytes in fields that it does not set. Unknown machines are not
     * checked, because their builds may set further fields (m68k's asm/module.h: MODULE_ARCH_INIT).
     */
    void checkContents(ElfValidity validity) {
        if (section <= 0
                || !image.hasContents(section)
                || !ElfIdentity.isKnown(image.identity().machine())) {
            return;
        }
        RelocationTable relocations = null;
        int word = image.identity().wordSize();
        int start = (int) sections.offset(section);
        int size = (int) size();
        if (size >= nameEnd() && image.stringLength(start + nameAt(), start + nameEnd()) < 0) {
            // the kernel prints the name as a string
            validity.add(ElfDefect.of(ElfDefectKind.STRUCT_MODULE_BYTES, nameEnd() - 1, 0));
            return;
        }
        for (int i = nameEnd(); i < size; i++) {
            if (image.data()[start + i] == 0) {
                continue;
            }
            if (relocations == null) {
                relocations = RelocationTable.of(image, section, word);
            }
            int slot = i / word;
            if (slot >= relocations.slots() || relocations.symbol(slot) == RelocationTable.NONE) {
                validity.add(ElfDefect.of(ElfDefectKind.STRUCT_MODULE_BYTES, i, 0));
                return;
            }
        }
    }
}
