package dev.weaklink.kernel.image;

import dev.weaklink.format.elf.ElfHeader;
import dev.weaklink.format.elf.ElfIdentity;
import dev.weaklink.format.elf.ElfImage;
import dev.weaklink.format.elf.SectionTable;
import dev.weaklink.kernel.KernelVersion;
import dev.weaklink.kernel.image.KernelImage.EntryLayout;
import dev.weaklink.kernel.image.Tables.ImageTable;
import dev.weaklink.kernel.image.Tables.ImageTable.TableLicense;
import dev.weaklink.sys.UnreadableException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads the export tables of a vmlinux from the sections with the usual names, such as {@code __ksymtab}. A stripped
 * vmlinux still has section names.
 */
final class NamedTables {
    private static final int MIN_SAMPLE = 8;

    private final ByteView image;
    private final ElfIdentity identity;
    private final @Nullable ElfImage elf;

    NamedTables(ByteView image, ElfHeader header) {
        this.image = image;
        this.identity = header.identity();
        ElfImage opened = null;
        try {
            opened = ElfImage.open(image.data(), image.length(), header);
        } catch (UnreadableException e) {
            // An unreadable section table counts as a missing one; the caller then searches for the export tables.
        }
        this.elf = opened;
    }

    @Nullable
    FileRange section(String name) {
        if (elf == null) {
            return null;
        }
        int strings = elf.header().sectionNameIndex();
        if (strings >= elf.sections().count() || !elf.hasContents(strings)) {
            return null;
        }
        SectionTable sections = elf.sections();
        for (int i = 1; i < sections.count(); i++) {
            if (sections.size(i) > 0 && elf.hasContents(i) && hasName(sections, strings, i, name)) {
                return new FileRange((int) sections.offset(i), (int) sections.size(i));
            }
        }
        return null;
    }

    private boolean hasName(SectionTable sections, int strings, int index, String name) {
        long at = sections.nameOffset(index);
        return at + name.length() < sections.size(strings)
                && image.hasText((int) (sections.offset(strings) + at), name + "\0");
    }

    /**
     * Reads the tables; returns null if no table exists, or the entries have no known layout.
     *
     * @param version the kernel's version, null if unknown
     */
    @Nullable
    Tables read(@Nullable KernelVersion version) {
        List<FileRange> found = new ArrayList<>();
        List<FileRange> crcs = new ArrayList<>();
        List<TableLicense> licenses = new ArrayList<>();
        for (String suffix : List.of("", "_gpl", "_gpl_future", "_unused", "_unused_gpl")) {
            FileRange symbols = section("__ksymtab" + suffix);
            if (symbols != null) {
                FileRange crc = section("__kcrctab" + suffix);
                found.add(symbols);
                crcs.add(crc == null ? new FileRange(0, 0) : crc);
                boolean gpl = suffix.equals("_gpl") || suffix.equals("_unused_gpl");
                licenses.add(gpl ? TableLicense.GPL_ONLY : TableLicense.ANY);
            }
        }
        boolean hasNamespaces = version == null || version.atLeast(5, 4);
        Entries entries = found.isEmpty() ? null : entries(found, hasNamespaces);
        return entries == null ? null : tables(entries, found, crcs, licenses);
    }

    private Tables tables(Entries entries, List<FileRange> found, List<FileRange> crcs, List<TableLicense> licenses) {
        List<ImageTable> tables = new ArrayList<>();
        FileRange flags = section("__kflagstab");
        int width = 0;
        for (int i = 0; i < found.size(); i++) {
            int count = found.get(i).length() / entries.layout().size();
            int bytes = crcs.get(i).length();
            boolean fits = bytes == count * Integer.BYTES || bytes == count * Long.BYTES;
            width = fits ? bytes / count : width;
            int flagsAt = i == 0 && flags != null && flags.length() == count ? flags.offset() : -1;
            // From 7.1 on, a kernel has a single table, and flags show each symbol's license. Without flags, the
            // license is unknown.
            TableLicense license = found.size() == 1 ? TableLicense.UNKNOWN : licenses.get(i);
            tables.add(new ImageTable(
                    license, found.get(i).offset(), count, fits ? crcs.get(i).offset() : -1, flagsAt));
        }
        return new Tables(entries, tables, width);
    }

    private @Nullable Entries entries(List<FileRange> found, boolean hasNamespaces) {
        Addresses addresses = Addresses.ofElf(image, identity);
        for (EntryLayout layout : TableLayouts.of(identity, hasNamespaces)) {
            Entries entries = new Entries(image, layout, addresses);
            boolean fits = true;
            for (FileRange section : found) {
                fits &= section.length() % layout.size() == 0 && areNamed(entries, section);
            }
            if (fits) {
                return entries;
            }
        }
        return null;
    }

    private static boolean areNamed(Entries entries, FileRange section) {
        int size = entries.layout().size();
        int before = -1;
        for (int i = 0; i < MIN_SAMPLE && (i + 1) * size <= section.length(); i++) {
            int name = entries.name(section.offset() + i * size);
            if (name < 0 || before >= 0 && !entries.ascends(before, name)) {
                return false;
            }
            before = name;
        }
        return entries.name(section.end() - size) >= 0;
    }

    record FileRange(int offset, int length) {
        int end() {
            return offset + length;
        }
    }

    static final class TableLayouts {
        private TableLayouts() {}

        /**
         * Returns the possible layouts for a machine, or all layouts if the machine is unknown. A layout with three
         * fields comes before the same layout with two.
         *
         * @param hasNamespaces false before 5.4
         */
        static List<EntryLayout> of(@Nullable ElfIdentity identity, boolean hasNamespaces) {
            List<EntryLayout> layouts = new ArrayList<>();
            if (identity == null || hasRelative(identity.machine())) {
                layouts.add(EntryLayout.RELATIVE_3);
                layouts.add(EntryLayout.RELATIVE_2);
            }
            for (int word : identity == null ? List.of(8, 4) : List.of(identity.wordSize())) {
                layouts.add(EntryLayout.pointers(word, 3));
                layouts.add(EntryLayout.pointers(word, 2));
            }
            layouts.removeIf(layout -> !hasNamespaces && layout.fields() == 3);
            return layouts;
        }

        /** Returns whether current kernels for the machine select CONFIG_HAVE_ARCH_PREL32_RELOCATIONS. */
        private static boolean hasRelative(int machine) {
            return machine == ElfIdentity.EM_X86_64
                    || machine == ElfIdentity.EM_386
                    || machine == ElfIdentity.EM_AARCH64;
        }
    }
}
