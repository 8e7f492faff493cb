package dev.weaklink.kernel;

import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/** Formats the rows of an export table: CRC, symbol, owner, license, namespace. */
final class SymversRows {
    private SymversRows() {}

    static List<String> of(ExportTable exports) {
        List<String> rows = new ArrayList<>();
        for (int i = 0; i < exports.size(); i++) {
            String license = exports.isGplOnly(i) ? "gpl" : "free";
            rows.add(HexFormat.of().toHexDigits(exports.crc(i))
                    + " "
                    + exports.names().name(i)
                    + " "
                    + exports.owner(i)
                    + " "
                    + (exports.isLicenseKnown(i) ? license : "?")
                    + (exports.namespace(i) == null ? "" : " " + exports.namespace(i)));
        }
        return rows;
    }
}
