package dev.weaklink.kernel;

import dev.weaklink.module.SymbolNames;
import dev.weaklink.sys.Numbers;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Writes exports as modpost does from 5.6 on (scripts/mod/modpost.c:write_dump): CRC, symbol, exporter, kind of export
 * and namespace, with tabs between. The rows are sorted: vmlinux first, then modules by path, and the symbols of each
 * by name.
 */
public final class SymversWriter {
    private final ExportTable exports;
    private final SymbolNames names;
    private final ByteArrayOutputStream out;

    private SymversWriter(ExportTable exports) {
        this.exports = exports;
        this.names = exports.names();
        this.out = new ByteArrayOutputStream(exports.size() * 64);
    }

    /** Returns the file's bytes. A symbol without a CRC has the CRC 0, as modpost writes it. */
    public static byte[] write(ExportTable exports) {
        SymversWriter writer = new SymversWriter(exports);
        for (Integer row : writer.sorted()) {
            writer.write(row);
        }
        return writer.out.toByteArray();
    }

    private Integer[] sorted() {
        Integer[] rows = new Integer[exports.size()];
        for (int i = 0; i < rows.length; i++) {
            rows[i] = i;
        }
        Arrays.sort(rows, this::compare);
        return rows;
    }

    private int compare(int a, int b) {
        int byVmlinux = Boolean.compare(exports.isVmlinux(b), exports.isVmlinux(a));
        if (byVmlinux != 0) {
            return byVmlinux;
        }
        int byOwner = exports.owner(a).compareTo(exports.owner(b));
        return byOwner != 0
                ? byOwner
                : Arrays.compareUnsigned(
                        names.bytes(),
                        names.offset(a),
                        names.offset(a) + names.length(a),
                        names.bytes(),
                        names.offset(b),
                        names.offset(b) + names.length(b));
    }

    private void write(int row) {
        text(Numbers.crc(exports.hasCrc(row) ? exports.crc(row) : 0));
        out.write('\t');
        bytes(names.bytes(), names.offset(row), names.length(row));
        out.write('\t');
        text(exports.owner(row));
        out.write('\t');
        text(kind(row));
        out.write('\t');
        String namespace = exports.namespace(row);
        text(namespace == null ? "" : namespace);
        out.write('\n');
    }

    private String kind(int row) {
        if (!exports.isLicenseKnown(row)) {
            return "(unknown)";
        }
        return exports.isGplOnly(row) ? "EXPORT_SYMBOL_GPL" : "EXPORT_SYMBOL";
    }

    private void text(String text) {
        byte[] encoded = text.getBytes(StandardCharsets.UTF_8);
        bytes(encoded, 0, encoded.length);
    }

    /** Writes a name with control characters replaced, so that no name adds columns or lines or controls a terminal. */
    private void bytes(byte[] source, int offset, int length) {
        for (int i = offset; i < offset + length; i++) {
            boolean control = source[i] >= 0 && source[i] < ' ' || source[i] == 0x7f;
            out.write(control ? '?' : source[i]);
        }
    }
}
