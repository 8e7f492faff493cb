package dev.weaklink.module;

import dev.weaklink.format.elf.ElfIdentity;
import dev.weaklink.format.elf.ElfImage;
import dev.weaklink.format.elf.SectionTable;
import dev.weaklink.module.ElfDefect.ElfDefectKind;
import dev.weaklink.module.VersionTable.Layout;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Reads the symbol versions of a module, in each layout that modpost has written. */
final class VersionReader {
    private static final byte[] VERSIONS = NamedSections.wanted("__versions");
    private static final byte[] EXTENDED_CRCS = NamedSections.wanted("__version_ext_crcs");
    private static final byte[] EXTENDED_NAMES = NamedSections.wanted("__version_ext_names");
    private static final int RECORD_SIZE = 64;
    private static final int CRC_SIZE = 4;
    private static final int PACKED_HEADER = 8;
    private static final int PACKED_ALIGNMENT = 4;

    private VersionReader() {}

    /** Reads {@code __versions}; returns null if no section of that name has SHF_ALLOC. */
    static @Nullable VersionTable readBasic(ElfImage image, NamedSections named) {
        int section = named.findAllocated(VERSIONS);
        if (section < 0) {
            return null;
        }
        if (!image.hasContents(section)) {
            return new VersionTable(Layout.CLASSIC, SymbolNames.NONE, new long[0]);
        }
        int start = (int) image.sections().offset(section);
        int size = (int) image.sections().size(section);
        int packed = packedRecords(image, start, size);
        return packed > 0 ? readPacked(image, start, packed) : readClassic(image, start, size);
    }

    /**
     * Reads records of struct modversion_info: an unsigned long with the CRC, then the name padded with NUL to 64 bytes
     * in total. As in the kernel, a truncated last record is ignored.
     */
    private static VersionTable readClassic(ElfImage image, int start, int size) {
        int count = size / RECORD_SIZE;
        int nameAt = image.identity().wordSize();
        SymbolNames.SymbolNamesBuilder names = new SymbolNames.SymbolNamesBuilder(count);
        long[] crcs = new long[count];
        for (int i = 0; i < count; i++) {
            int record = start + i * RECORD_SIZE;
            crcs[i] = image.word(record);
            addName(image, names, record + nameAt, record + RECORD_SIZE);
        }
        return new VersionTable(Layout.CLASSIC, names.build(), crcs);
    }

    /**
     * Returns the number of records if the table has Ubuntu's packed layout, else -1. A packed record consists of the
     * distance to the next record (u32), the CRC (u32) and the name. Eight zero bytes end the table.
     */
    private static int packedRecords(ElfImage image, int start, int size) {
        int at = start;
        int end = start + size;
        int count = 0;
        while (end - at >= PACKED_HEADER) {
            long next = image.u32(at);
            if (next == 0) {
                return image.i32(at + CRC_SIZE) == 0 && end - at == PACKED_HEADER ? count : -1;
            }
            if (next > end - at || next <= PACKED_HEADER || next % PACKED_ALIGNMENT != 0) {
                return -1;
            }
            int following = (int) (at + next);
            int length = image.stringLength(at + PACKED_HEADER, following);
            if (length <= 0 || next - PACKED_HEADER - length > PACKED_ALIGNMENT) {
                return -1;
            }
            at = following;
            count++;
        }
        return -1;
    }

    private static VersionTable readPacked(ElfImage image, int start, int count) {
        SymbolNames.SymbolNamesBuilder names = new SymbolNames.SymbolNamesBuilder(count);
        long[] crcs = new long[count];
        int at = start;
        for (int i = 0; i < count; i++) {
            int following = at + image.i32(at);
            crcs[i] = image.u32(at + CRC_SIZE);
            addName(image, names, at + PACKED_HEADER, following);
            at = following;
        }
        return new VersionTable(Layout.PACKED, names.build(), crcs);
    }

    /**
     * Reads {@code __version_ext_crcs} and {@code __version_ext_names} (kernel/module/main.c:
     * elf_validity_cache_index_versions, 6.14+). Returns null if either section is missing or has no contents.
     */
    static @Nullable VersionTable readExtended(ElfImage image, NamedSections named, ElfValidity validity) {
        int crcSection = named.findAllocated(EXTENDED_CRCS);
        int nameSection = named.findAllocated(EXTENDED_NAMES);
        if (crcSection < 0 && nameSection < 0) {
            return null;
        }
        if (crcSection < 0 || nameSection < 0) {
            validity.add(ElfDefect.of(ElfDefectKind.EXTENDED_VERSIONS_HALF));
            return null;
        }
        if (!image.hasContents(crcSection) || !image.hasContents(nameSection)) {
            return null;
        }
        return readParallel(image, crcSection, nameSection, validity);
    }

    private static @Nullable VersionTable readParallel(
            ElfImage image, int crcSection, int nameSection, ElfValidity validity) {
        SectionTable sections = image.sections();
        int count = (int) (sections.size(crcSection) / CRC_SIZE);
        int crcsAt = (int) sections.offset(crcSection);
        int at = (int) sections.offset(nameSection);
        int end = (int) (at + sections.size(nameSection));
        SymbolNames.SymbolNamesBuilder names = new SymbolNames.SymbolNamesBuilder(Math.min(count, end - at));
        long[] crcs = new long[count];
        for (int i = 0; i < count; i++) {
            int length = image.stringLength(at, end);
            if (length < 0) {
                validity.add(ElfDefect.of(ElfDefectKind.EXTENDED_VERSIONS_NAMES));
                return new VersionTable(Layout.EXTENDED, names.build(), Arrays.copyOf(crcs, i));
            }
            crcs[i] = image.u32(crcsAt + i * CRC_SIZE);
            addName(image, names, at, end);
            at += length + 1;
        }
        return new VersionTable(Layout.EXTENDED, names.build(), crcs);
    }

    private static void addName(ElfImage image, SymbolNames.SymbolNamesBuilder names, int at, int limit) {
        int length = image.stringLength(at, limit);
        if (length < 0) {
            length = limit - at;
        }
        if (image.identity().machine() == ElfIdentity.EM_PPC64 && length > 0 && image.data()[at] == '.') {
            // arch/powerpc/kernel/module_64.c:dedotify_versions
            names.add(image.data(), at + 1, length - 1);
        } else {
            names.add(image.data(), at, length);
        }
    }
}
