package dev.weaklink.check.report;

import static dev.weaklink.format.json.JsonOutput.list;
import static dev.weaklink.format.json.JsonOutput.object;

import dev.weaklink.format.json.JsonOutput;
import dev.weaklink.kernel.ExportTable;
import dev.weaklink.kernel.store.KernelStore.StoreListing;
import dev.weaklink.sys.Numbers;
import java.io.IOException;
import java.io.OutputStream;

/** Renders the contents of a store of kernels for people, or as one JSON object ({@code weaklink.store/1}). */
public final class StoreText {
    private StoreText() {}

    public static String lines(StoreListing listing) {
        int width = 0;
        for (StoreListing.Kept kept : listing.kernels()) {
            width = Math.max(width, kept.entry().name().length());
        }
        StringBuilder text = new StringBuilder();
        for (StoreListing.Kept kept : listing.kernels()) {
            String name = kept.entry().name();
            ExportTable exports = kept.kernel().exports();
            text.append(name).append(" ".repeat(width - name.length())).append("  ");
            text.append(Numbers.of(exports.size(), "export")).append(", ");
            text.append(Numbers.grouped((int) ((kept.size() + 1023) >> 10))).append(" KiB\n");
        }
        return text.toString();
    }

    public static void write(StoreListing listing, OutputStream out) throws IOException {
        JsonOutput.writeLine(
                object(
                        "schema", "weaklink.store/1",
                        "kernels", list(listing.kernels(), StoreText::kept),
                        "corrupt", list(listing.corrupt(), StoreText::corrupt)),
                out);
    }

    private static Object kept(StoreListing.Kept kept) {
        return object(
                "release", kept.entry().release(),
                "digest", "sha256:" + kept.entry().digest(),
                "exports", kept.kernel().exports().size(),
                "bytes", kept.size());
    }

    private static Object corrupt(StoreListing.Corrupt corrupt) {
        return object("file", String.valueOf(corrupt.entry().file().getFileName()), "reason", corrupt.reason());
    }
}
