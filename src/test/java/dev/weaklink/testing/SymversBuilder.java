package dev.weaklink.testing;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Writes the text of a Module.symvers file. */
public final class SymversBuilder {
    /** The columns of the file, which tabs separate. */
    public enum Layout {
        /** The columns CRC, symbol, module: the minimum that modpost reads up to 5.3. */
        THREE_COLUMNS,
        /** The columns CRC, symbol, module, export: up to 5.3, and RHEL 7 and 8. */
        FOUR_COLUMNS,
        /** The columns CRC, symbol, namespace, module, export: 5.4 and 5.5. */
        NAMESPACE_THIRD,
        /** The columns CRC, symbol, module, export, namespace: 5.6 and later. */
        NAMESPACE_LAST
    }

    /** The values of the export column. */
    public enum Kind {
        EXPORT_SYMBOL,
        EXPORT_SYMBOL_GPL,
        EXPORT_SYMBOL_GPL_FUTURE,
        EXPORT_UNUSED_SYMBOL,
        EXPORT_UNUSED_SYMBOL_GPL
    }

    /**
     * A row of the file.
     *
     * @param module {@code vmlinux} or a module's path without {@code .ko}
     * @param namespace the namespace, null for none; lost in layouts without that column
     */
    public record Row(
            int crc,
            String symbol,
            String module,
            Kind kind,
            @Nullable String namespace) {}

    private final Layout layout;
    private final List<String> lines = new ArrayList<>();
    private final List<Row> rows = new ArrayList<>();

    public SymversBuilder(Layout layout) {
        this.layout = layout;
    }

    /** Adds an export of the kernel without a namespace. */
    public SymversBuilder kernel(String symbol, Kind kind, int crc) {
        return row(new Row(crc, symbol, "vmlinux", kind, null));
    }

    public SymversBuilder row(Row row) {
        rows.add(row);
        String namespace = row.namespace() == null ? "" : row.namespace();
        String crc = "0x" + HexFormat.of().toHexDigits(row.crc());
        String kind = row.kind().name();
        return line(
                switch (layout) {
                    case THREE_COLUMNS -> String.join("\t", crc, row.symbol(), row.module());
                    case FOUR_COLUMNS -> String.join("\t", crc, row.symbol(), row.module(), kind);
                    case NAMESPACE_THIRD -> String.join("\t", crc, row.symbol(), namespace, row.module(), kind);
                    case NAMESPACE_LAST -> String.join("\t", crc, row.symbol(), row.module(), kind, namespace);
                });
    }

    /** Adds all exports of a module, as the module's own build would list them. */
    public SymversBuilder exportsOf(ModuleSpec spec, String module) {
        for (ModuleSpec.Export export : spec.exports()) {
            Integer crc = export.crc();
            row(new Row(crc == null ? 0 : crc, export.name(), module, kind(export.table()), export.namespace()));
        }
        return this;
    }

    /** Adds a line unchanged, even if it is invalid. */
    public SymversBuilder line(String line) {
        lines.add(line);
        return this;
    }

    /** Returns the valid rows in order. */
    public List<Row> rows() {
        return List.copyOf(rows);
    }

    /** Returns the whole text; each line ends with a line feed. */
    public String text() {
        StringBuilder text = new StringBuilder();
        lines.forEach(line -> text.append(line).append('\n'));
        return text.toString();
    }

    /** Returns the whole text with one byte for each character. */
    public byte[] bytes() {
        return text().getBytes(StandardCharsets.ISO_8859_1);
    }

    private static Kind kind(ModuleSpec.Export.Table table) {
        return switch (table) {
            case NORMAL -> Kind.EXPORT_SYMBOL;
            case GPL -> Kind.EXPORT_SYMBOL_GPL;
            case GPL_FUTURE -> Kind.EXPORT_SYMBOL_GPL_FUTURE;
            case UNUSED -> Kind.EXPORT_UNUSED_SYMBOL;
            case UNUSED_GPL -> Kind.EXPORT_UNUSED_SYMBOL_GPL;
        };
    }
}
