package dev.weaklink.report;

import static dev.weaklink.format.json.JsonOutput.list;

import dev.weaklink.sys.Escape;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;
import java.util.Map;

/**
 * A writer of tables for spreadsheets (RFC 4180). A cell that spreadsheets would treat as a formula gets an apostrophe
 * before it.
 */
public final class Csv {
    /** The characters that begin a formula in a spreadsheet, as ASCII and as fullwidth characters. */
    private static final String FORMULA = "=+-@\uff1d\uff0b\uff0d\uff20";

    private final TextStream out;

    public Csv(OutputStream out) {
        this.out = new TextStream(out);
    }

    public void row(List<String> columns, Map<String, ?> values) throws IOException {
        row(list(columns, column -> values.containsKey(column) ? "" + values.get(column) : ""));
    }

    public void row(List<String> cells) throws IOException {
        for (int i = 0; i < cells.size(); i++) {
            out.add(i == 0 ? "" : ",").add(cell(cells.get(i)));
        }
        out.add("\r\n");
    }

    private static String cell(String text) {
        String cell = Escape.text(text);
        if (!cell.isEmpty() && FORMULA.indexOf(cell.charAt(0)) >= 0) {
            cell = "'" + cell;
        }
        boolean plain = cell.indexOf(',') < 0 && cell.indexOf('"') < 0 && cell.indexOf(';') < 0;
        return plain ? cell : '"' + cell.replace("\"", "\"\"") + '"';
    }
}
