package dev.weaklink.module;

import dev.weaklink.format.elf.ElfHeader;
import dev.weaklink.format.elf.ElfImage;
import dev.weaklink.format.elf.SectionTable;
import dev.weaklink.module.ElfDefect.ElfDefectKind;
import java.util.ArrayList;
import java.util.List;

/**
 * Collects violations of the loader's checks of the ELF structure (kernel/module/main.c: elf_validity_check 5.12 to
 * 6.3, elf_validity_cache_copy 6.4+; older kernels check less). The verdict decides later which violations count for a
 * target.
 */
final class ElfValidity {
    private static final int MAX_DEFECTS = 256;

    private final List<ElfDefect> defects = new ArrayList<>(0);

    List<ElfDefect> defects() {
        return defects;
    }

    void add(ElfDefect defect) {
        if (defects.size() < MAX_DEFECTS) {
            defects.add(defect);
        }
    }

    boolean checkHeader(ElfHeader header, int length) {
        if (header.type() != ElfHeader.ET_REL) {
            add(ElfDefect.of(ElfDefectKind.BAD_TYPE, header.type(), 0));
        }
        if (header.sectionEntrySize() != header.properSectionEntrySize()) {
            add(ElfDefect.of(ElfDefectKind.BAD_SHENTSIZE));
            return false;
        }
        long start = header.sectionTableOffset();
        long size = (long) header.sectionCount() * header.sectionEntrySize();
        if (start < 0 || start >= length || size > length - start) {
            add(ElfDefect.of(ElfDefectKind.SECTION_TABLE_OUTSIDE));
            return false;
        }
        return true;
    }

    boolean checkSections(ElfImage image) {
        SectionTable sections = image.sections();
        boolean readable = checkNameTable(image);
        if (sections.count() == 0) {
            return readable;
        }
        if (sections.type(0) != SectionTable.SHT_NULL || sections.size(0) != 0 || sections.address(0) != 0) {
            add(ElfDefect.of(ElfDefectKind.SECTION_ZERO_NOT_NULL, sections.type(0), 0));
        }
        long size = readable ? sections.size(image.header().sectionNameIndex()) : Long.MAX_VALUE;
        for (int i = 1; i < sections.count(); i++) {
            checkSection(image, sections, i, size);
        }
        return readable;
    }

    private boolean checkNameTable(ElfImage image) {
        SectionTable sections = image.sections();
        int names = image.header().sectionNameIndex();
        if (names == 0 || names >= image.header().sectionCount()) {
            add(ElfDefect.of(ElfDefectKind.BAD_SHSTRNDX, names, image.header().sectionCount()));
            return false;
        }
        if (!image.contains(sections.offset(names), sections.size(names))) {
            add(ElfDefect.of(ElfDefectKind.NAME_TABLE_OUTSIDE, sections.type(names), 0));
            return false;
        }
        if (sections.size(names) == 0) {
            add(ElfDefect.of(ElfDefectKind.EMPTY_NAME_TABLE));
            return false;
        }
        if (image.u8((int) (sections.offset(names) + sections.size(names) - 1)) != 0) {
            add(ElfDefect.of(ElfDefectKind.NAME_TABLE_UNTERMINATED));
            return false;
        }
        if (sections.type(names) != SectionTable.SHT_STRTAB) {
            add(ElfDefect.of(ElfDefectKind.NAME_TABLE_TYPE, sections.type(names), 0));
        }
        return true;
    }

    private void checkSection(ElfImage image, SectionTable sections, int index, long namesSize) {
        int type = sections.type(index);
        if (type == SectionTable.SHT_NULL) {
            return;
        }
        if (type == SectionTable.SHT_SYMTAB) {
            int link = sections.link(index);
            if (link <= 0 || link >= sections.count()) {
                add(ElfDefect.of(ElfDefectKind.BAD_SYMTAB_LINK, link, sections.count()));
            }
        }
        if (type != SectionTable.SHT_NOBITS && !image.contains(sections.offset(index), sections.size(index))) {
            add(outside(image, index));
        }
        if (sections.nameOffset(index) >= namesSize) {
            add(new ElfDefect(
                    ElfDefectKind.SECTION_NAME_OUTSIDE, index, type, sections.isAllocated(index) ? "allocated" : ""));
        }
    }

    private static ElfDefect outside(ElfImage image, int section) {
        return new ElfDefect(
                ElfDefectKind.SECTION_OUTSIDE,
                section,
                image.sections().type(section),
                Integer.toString(image.length()));
    }
}
