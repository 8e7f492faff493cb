package dev.weaklink.kernel;

import dev.weaklink.kernel.Symvers.SymversLayout;
import dev.weaklink.kernel.Symvers.SymversProblem;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads Module.symvers from bytes: tab-separated columns, one export a line, in any {@link SymversLayout}. The reader
 * skips malformed lines, and reports the first 100 of them with their numbers.
 */
public final class SymversReader {
    private static final int MAX_COLUMNS = 5;
    private static final int TOO_MANY = -1;
    private static final int MAX_PROBLEMS = 100;
    private static final int MAX_CRC_DIGITS = 8;
    private static final int BYTES_PER_LINE = 60;
    private static final byte[] EXPORT = "EXPORT_".getBytes(StandardCharsets.US_ASCII);

    private final byte[] data;
    private final int length;
    private final int[] starts = new int[MAX_COLUMNS];
    private final int[] ends = new int[MAX_COLUMNS];
    private final ExportTableBuilder rows;
    private final List<SymversProblem> problems = new ArrayList<>();
    private SymversLayout layout = SymversLayout.UNKNOWN;
    private boolean hasNonZeroCrc;
    private int lastOwnerStart = -1;
    private int lastOwnerLength;
    private int lastOwner;
    private int crc;

    private SymversReader(byte[] data, int length) {
        this.data = data;
        this.length = length;
        this.rows = new ExportTableBuilder(length / BYTES_PER_LINE);
    }

    public static Symvers read(byte[] data, int length) {
        SymversReader reader = new SymversReader(data, length);
        reader.readLines();
        return new Symvers(reader.rows.build(), reader.layout, List.copyOf(reader.problems), reader.hasNonZeroCrc);
    }

    private void readLines() {
        int line = 0;
        for (int at = 0; at < length; ) {
            int end = at;
            while (end < length && data[end] != '\n') {
                end++;
            }
            line++;
            boolean blank = end == at || end == at + 1 && data[at] == '\r';
            if (!blank) {
                String problem = end == length ? "the file ends in the middle of the line" : readLine(at, end);
                if (problem != null && problems.size() < MAX_PROBLEMS) {
                    problems.add(new SymversProblem(line, problem));
                }
            }
            at = end + 1;
        }
    }

    /** Adds the row of a line; returns null, or the reason why the line is not a row. */
    private @Nullable String readLine(int start, int end) {
        int columns = split(start, end);
        if (columns == TOO_MANY) {
            return "more than 5 columns";
        }
        if (columns < 3) {
            return "fewer than 3 columns";
        }
        if (!readCrc(starts[0], ends[0])) {
            return "the first column is not a CRC";
        }
        if (ends[1] == starts[1]) {
            return "no symbol";
        }
        return addRow(columns);
    }

    private @Nullable String addRow(int columns) {
        int moduleColumn = 2;
        int exportColumn = 3;
        int namespaceColumn = 4;
        if (columns == MAX_COLUMNS && !isExportWord(3) && isExportWord(4)) {
            namespaceColumn = 2;
            moduleColumn = 3;
            exportColumn = 4;
        }
        boolean hasExport = columns > exportColumn;
        if (hasExport && !isExportWord(exportColumn)) {
            return "no EXPORT_SYMBOL column";
        }
        if (ends[moduleColumn] == starts[moduleColumn]) {
            return "no module";
        }
        layout = columns < MAX_COLUMNS
                ? layout == SymversLayout.UNKNOWN ? SymversLayout.WITHOUT_NAMESPACE : layout
                : namespaceColumn == 2 ? SymversLayout.NAMESPACE_THIRD : SymversLayout.NAMESPACE_LAST;
        int flags = ExportTable.HAS_CRC
                | (hasExport && !isUnknownWord(exportColumn) ? gplFlag(exportColumn) : ExportTable.GPL_UNKNOWN);
        int namespace = columns == MAX_COLUMNS && ends[namespaceColumn] > starts[namespaceColumn]
                ? rows.namespace(text(namespaceColumn))
                : -1;
        hasNonZeroCrc |= crc != 0;
        rows.add(data, starts[1], ends[1] - starts[1], crc, flags, owner(moduleColumn), namespace);
        return null;
    }

    private int split(int start, int end) {
        int column = 0;
        int from = start;
        for (int at = start; at <= end; at++) {
            if (at == end || data[at] == '\t') {
                if (column == MAX_COLUMNS) {
                    return from == end ? column : TOO_MANY;
                }
                starts[column] = from;
                ends[column++] = at == end && at > from && data[at - 1] == '\r' ? at - 1 : at;
                from = at + 1;
            }
        }
        return column;
    }

    private boolean readCrc(int start, int end) {
        if (end - start < 3 || end - start > MAX_CRC_DIGITS + 2 || data[start] != '0' || data[start + 1] != 'x') {
            return false;
        }
        int value = 0;
        for (int at = start + 2; at < end; at++) {
            int digit = Character.digit(data[at], 16);
            if (digit < 0) {
                return false;
            }
            value = value << 4 | digit;
        }
        crc = value;
        return true;
    }

    private boolean isExportWord(int column) {
        int start = starts[column];
        if (ends[column] - start < EXPORT.length) {
            return isUnknownWord(column);
        }
        for (int i = 0; i < EXPORT.length; i++) {
            if (data[start + i] != EXPORT[i]) {
                return isUnknownWord(column);
            }
        }
        return true;
    }

    private boolean isUnknownWord(int column) {
        return ends[column] - starts[column] == "(unknown)".length()
                && text(column).equals("(unknown)");
    }

    /** Returns GPL_ONLY for EXPORT_SYMBOL_GPL and EXPORT_UNUSED_SYMBOL_GPL, else 0; GPL_FUTURE is not yet GPL-only. */
    private int gplFlag(int column) {
        int end = ends[column];
        boolean gpl = end - starts[column] > 3 && data[end - 1] == 'L' && data[end - 2] == 'P' && data[end - 3] == 'G';
        return gpl ? ExportTable.GPL_ONLY : 0;
    }

    private int owner(int column) {
        int size = ends[column] - starts[column];
        if (size != lastOwnerLength || !sameBytes(starts[column], lastOwnerStart, size)) {
            lastOwner = rows.owner(text(column));
            lastOwnerStart = starts[column];
            lastOwnerLength = size;
        }
        return lastOwner;
    }

    private boolean sameBytes(int a, int b, int size) {
        for (int i = 0; i < size; i++) {
            if (data[a + i] != data[b + i]) {
                return false;
            }
        }
        return true;
    }

    private String text(int column) {
        return new String(data, starts[column], ends[column] - starts[column], StandardCharsets.ISO_8859_1);
    }
}
