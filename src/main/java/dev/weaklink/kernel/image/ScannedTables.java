package dev.weaklink.kernel.image;

import dev.weaklink.kernel.KernelVersion;
import dev.weaklink.kernel.image.ByteView.TextSearch;
import dev.weaklink.kernel.image.ContentsFinder.KernelContents;
import dev.weaklink.kernel.image.KernelImage.EntryLayout;
import dev.weaklink.kernel.image.NamedTables.TableLayouts;
import dev.weaklink.kernel.image.Tables.ImageTable;
import dev.weaklink.kernel.image.Tables.ImageTable.TableLicense;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Finds export tables by their contents, without section headers. The tables follow each other, the entries of a table
 * are sorted by name (asm-generic/vmlinux.lds.h:RO_DATA), and each entry refers to its name. One known entry, of a
 * symbol that most kernels export, therefore leads to all other entries.
 */
final class ScannedTables {
    /**
     * The symbols with which the search starts, none of them GPL-only. Every kernel with CRCs exports module_layout.
     */
    private static final List<String> ANCHORS = List.of("module_layout", "kfree", "jiffies");

    private static final int MAX_OCCURRENCES = 16;

    /** The number of found entries from which on the tables count as certain, and the search ends. */
    private static final int CERTAIN = 500;

    /** The mask of an offset in a page; images are loaded at the start of a page. */
    private static final int PAGE_MASK = 0xfff;

    private final KernelContents contents;
    private final ByteView image;
    private final boolean hasNamespaces;
    private final SearchBudget budget = new SearchBudget();
    private @Nullable Tables best;

    private ScannedTables(KernelContents contents, boolean hasNamespaces) {
        this.contents = contents;
        this.hasNamespaces = hasNamespaces;
        this.image = contents.bytes();
    }

    /**
     * Finds the tables; returns null if none were found.
     *
     * @param version the kernel's version, null if unknown
     */
    static @Nullable Tables find(KernelContents contents, @Nullable KernelVersion version) {
        boolean hasNamespaces = version == null || version.atLeast(5, 4);
        for (String anchor : ANCHORS) {
            ScannedTables scan = new ScannedTables(contents, hasNamespaces);
            scan.from(anchor);
            if (scan.best != null) {
                return scan.best;
            }
        }
        return null;
    }

    private void from(String anchor) {
        List<Integer> names = occurrences(anchor + "\0");
        for (EntryLayout layout : TableLayouts.of(contents.machine(), hasNamespaces)) {
            if (layout.relative()) {
                relative(layout, names);
            }
            for (int i = 0; i < names.size() && !layout.relative() && !isCertain(); i++) {
                pointers(layout, names.get(i));
            }
            if (isCertain()) {
                return;
            }
        }
    }

    private boolean isCertain() {
        return best != null && best.size() >= CERTAIN;
    }

    private List<Integer> occurrences(String text) {
        List<Integer> found = new ArrayList<>();
        TextSearch search = new TextSearch(text);
        int at = search.next(image.data(), 0, image.length());
        while (at >= 0 && found.size() < MAX_OCCURRENCES) {
            found.add(at);
            at = search.next(image.data(), at + 1, image.length());
        }
        return found;
    }

    private void relative(EntryLayout layout, List<Integer> names) {
        if (names.isEmpty()) {
            return;
        }
        ByteView little = image.inOrder(true);
        Entries entries = new Entries(little, layout, Addresses.linear(0, image.length()));
        int first = names.get(0);
        int last = names.get(names.size() - 1);
        for (int field = 4; field <= little.length() - 4 && !isCertain(); field += 4) {
            int target = field + little.i32(field);
            if (target >= first && target <= last && names.contains(target)) {
                consider(entries, field - 4);
            }
        }
    }

    private void pointers(EntryLayout layout, int name) {
        if (contents.machine() != null) {
            pointers(image, layout, name);
            return;
        }
        pointers(image.inOrder(true), layout, name);
        pointers(image.inOrder(false), layout, name);
    }

    private void pointers(ByteView bytes, EntryLayout layout, int name) {
        int size = layout.fieldSize();
        Addresses ofElf =
                contents.isElf() && contents.machine() != null ? Addresses.ofElf(bytes, contents.machine()) : null;
        long address = ofElf == null ? 0 : ofElf.address(name);
        for (int field = size; field <= bytes.length() - size; field += size) {
            long value = bytes.word(field, size);
            if (ofElf != null) {
                if (value == address) {
                    consider(new Entries(bytes, layout, ofElf), field - size);
                }
            } else if ((value - name & PAGE_MASK) == 0 && value != 0) {
                Addresses guess = Addresses.linear(value - name, bytes.length());
                consider(new Entries(bytes, layout, guess), field - size);
            }
        }
    }

    private void consider(Entries entries, int entry) {
        Tables found = Chain.through(entries, entry, budget);
        if (found != null && (best == null || found.size() > best.size()) && found.isPlausible()) {
            best = found;
        }
    }

    /**
     * Finds consecutive export tables from any entry of the first table. Names ascend within a table. A new table
     * begins at a name that does not ascend, or after padding.
     */
    private static final class Chain {
        private static final int MIN_ENTRIES = 3;
        private static final int MAX_TABLES = 5;
        private static final int MAX_PADDING = 16;

        /**
         * The number of entries up to which the last table is doubtful: CRCs or flags behind the tables may look like
         * one or two entries.
         */
        private static final int DOUBTFUL = 2;

        private final Entries entries;
        private final SearchBudget budget;
        private final int size;
        private final List<Integer> starts = new ArrayList<>();
        private final List<Integer> ends = new ArrayList<>();

        private Chain(Entries entries, SearchBudget budget) {
            this.entries = entries;
            this.budget = budget;
            this.size = entries.layout().size();
        }

        /**
         * Returns the tables; null if the entry is invalid or has too few neighbours. If the budget runs out, the
         * tables may be missing or incomplete.
         */
        static @Nullable Tables through(Entries entries, int entry, SearchBudget budget) {
            Chain chain = new Chain(entries, budget);
            int name = entry < 0 || !budget.take() ? -1 : entries.name(entry);
            if (name < 0) {
                return null;
            }
            int start = chain.backward(entry, name);
            chain.forward(start, entry, name);
            return chain.tables();
        }

        private int backward(int entry, int entryName) {
            int start = entry;
            int name = entryName;
            while (start >= size && budget.take()) {
                int before = entries.name(start - size);
                if (before < 0 || !entries.ascends(before, name)) {
                    break;
                }
                name = before;
                start -= size;
            }
            return start;
        }

        private void forward(int start, int entry, int entryName) {
            starts.add(start);
            int at = entry;
            int name = entryName;
            while (budget.take()) {
                int next = at + size;
                int nextName = entries.name(next);
                if (nextName < 0) {
                    next = afterPadding(next);
                    nextName = next < 0 ? -1 : entries.name(next);
                }
                if (nextName < 0) {
                    break;
                }
                if (next != at + size || !entries.ascends(name, nextName)) {
                    if (starts.size() == MAX_TABLES) {
                        break;
                    }
                    ends.add(at + size);
                    starts.add(next);
                }
                at = next;
                name = nextName;
            }
            ends.add(at + size);
        }

        private int afterPadding(int offset) {
            ByteView image = entries.image();
            for (int at = offset; at < offset + MAX_PADDING; at += 4) {
                if (!image.contains(at, 4) || image.i32(at) != 0) {
                    return at > offset && image.contains(at, 4) ? at : -1;
                }
            }
            return -1;
        }

        private @Nullable Tables tables() {
            int count = 0;
            for (int i = 0; i < starts.size(); i++) {
                count += count(i);
            }
            if (count < MIN_ENTRIES) {
                return null;
            }
            Tables whole = CrcPlaces.add(entries, tables(starts.size()));
            for (int last = starts.size() - 1; last > 0 && count(last) <= DOUBTFUL; last--) {
                Tables shorter = CrcPlaces.add(entries, tables(last));
                if (!whole.isBacked() && shorter.isBacked()) {
                    return shorter;
                }
            }
            return whole;
        }

        private int count(int table) {
            return (ends.get(table) - starts.get(table)) / size;
        }

        /**
         * Returns the first {@code number} tables. Kernels up to 5.11 have more than two tables; the license of the
         * third and later is unknown, because empty tables leave no trace.
         */
        private List<ImageTable> tables(int number) {
            List<ImageTable> tables = new ArrayList<>();
            for (int i = 0; i < number; i++) {
                TableLicense license =
                        i == 0 ? TableLicense.ANY : i == 1 ? TableLicense.GPL_ONLY : TableLicense.UNKNOWN;
                // From 7.1 on, a kernel has a single table, and flags show each symbol's license. Without flags, the
                // license is unknown.
                license = number == 1 ? TableLicense.UNKNOWN : license;
                tables.add(new ImageTable(license, starts.get(i), count(i), -1, -1));
            }
            return tables;
        }

        /**
         * Finds the tables of CRCs between the export tables and their strings. The linker script places a CRC table
         * for each export table there, in the same order (asm-generic/vmlinux.lds.h, 3.10+). A CRC is a u32 or, up to
         * 4.9, an unsigned long. With the right width, the tables end where the strings begin. From 7.1 on, a kernel
         * has one export table, and a byte of flags for each symbol follows the CRCs.
         */
        private static final class CrcPlaces {
            private static final int[] WIDTHS = {Integer.BYTES, Long.BYTES};
            private static final int MAX_ALIGNMENT = 64;

            /** The exclusive upper limit for a byte in a table of flags. */
            private static final int MAX_FLAGS = 16;

            private final Entries entries;
            private final List<ImageTable> tables;
            private final int end;
            private final int strings;

            private CrcPlaces(Entries entries, List<ImageTable> tables) {
                this.entries = entries;
                this.tables = tables;
                ImageTable last = tables.get(tables.size() - 1);
                this.end = last.start() + last.count() * entries.layout().size();
                this.strings = firstString();
            }

            static Tables add(Entries entries, List<ImageTable> tables) {
                return new CrcPlaces(entries, tables).add();
            }

            private Tables add() {
                for (int flagWidth = tables.size() == 1 ? 1 : 0; flagWidth >= 0; flagWidth--) {
                    for (int width : WIDTHS) {
                        for (int alignment = width; alignment <= MAX_ALIGNMENT; alignment *= 2) {
                            List<ImageTable> placed = placed(width, alignment, flagWidth);
                            if (placed != null) {
                                return new Tables(entries, placed, width);
                            }
                        }
                    }
                }
                ImageTable only = tables.get(0);
                if (tables.size() == 1 && end + only.count() == strings && areFlags(end, only.count())) {
                    return new Tables(entries, List.of(only.with(-1, end)), 0);
                }
                return new Tables(entries, tables, 0);
            }

            /**
             * Returns the tables with the offsets of their CRCs and flags. Returns null if the tables do not end where
             * the strings begin, or if the bytes in the place of the flags are too large.
             */
            private @Nullable List<ImageTable> placed(int width, int alignment, int flagWidth) {
                List<ImageTable> placed = new ArrayList<>();
                long at = end;
                for (ImageTable table : tables) {
                    long start = at + alignment - 1 & -alignment;
                    at = start + (long) table.count() * width;
                    placed.add(table.with((int) start, flagWidth > 0 ? (int) at : -1));
                    at += (long) table.count() * flagWidth;
                }
                if (at > strings || strings - at >= width) {
                    return null;
                }
                ImageTable first = placed.get(0);
                return flagWidth == 0 || areFlags(first.flags(), first.count()) ? placed : null;
            }

            private boolean areFlags(int start, int count) {
                byte[] data = entries.image().data();
                for (int at = start; at < start + count; at++) {
                    if (data[at] < 0 || data[at] >= MAX_FLAGS) {
                        return false;
                    }
                }
                return true;
            }

            private int firstString() {
                int first = Integer.MAX_VALUE;
                int size = entries.layout().size();
                for (ImageTable table : tables) {
                    for (int i = 0, at = table.start(); i < table.count(); i++, at += size) {
                        first = Math.min(first, entries.name(at));
                        int namespace = entries.namespaceString(at);
                        first = namespace < 0 ? first : Math.min(first, namespace);
                    }
                }
                return first;
            }
        }
    }

    /** The remaining number of entries that may be checked, so that no image can keep a search busy for long. */
    private static final class SearchBudget {
        private int left = 1 << 20;

        boolean take() {
            return left-- > 0;
        }
    }
}
