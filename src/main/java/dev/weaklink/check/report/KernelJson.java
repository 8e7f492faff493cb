package dev.weaklink.check.report;

import static dev.weaklink.format.json.JsonOutput.object;

import dev.weaklink.check.result.TargetSummary.ExportCount;
import dev.weaklink.format.elf.ElfIdentity;
import dev.weaklink.format.json.JsonOutput;
import dev.weaklink.kernel.ExportTable;
import dev.weaklink.kernel.LoaderBehavior;
import dev.weaklink.kernel.LoaderBehaviorJson;
import dev.weaklink.kernel.image.KernelImage;
import dev.weaklink.kernel.image.KernelImage.EntryLayout;
import dev.weaklink.sys.Escape.Utf8;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Map;

/** Renders the facts of a kernel image as one JSON object ({@code weaklink.kernel/1}) on a line. */
public final class KernelJson {
    private KernelJson() {}

    public static void write(String file, KernelImage image, LoaderBehavior rules, OutputStream out)
            throws IOException {
        ElfIdentity machine = image.machine();
        JsonOutput.writeLine(
                object(
                        "schema",
                        "weaklink.kernel/1",
                        "file",
                        file,
                        "format",
                        image.format().id(),
                        "compression",
                        image.compression() == null ? null : image.compression().id(),
                        "machine",
                        machine == null ? null : machine.machineName(),
                        "release",
                        Utf8.text(image.release()),
                        "banner",
                        Utf8.text(image.banner()),
                        "vermagic",
                        image.vermagic(),
                        "config",
                        image.config() != null,
                        "structModuleSize",
                        image.structModuleSize() < 0 ? null : image.structModuleSize(),
                        "exports",
                        exports(image),
                        "rules",
                        LoaderBehaviorJson.of(rules)),
                out);
    }

    private static Map<String, Object> exports(KernelImage image) {
        ExportTable exports = image.exports();
        EntryLayout layout = image.layout();
        if (exports == null || layout == null) {
            return object("missing", image.missing());
        }
        ExportCount count = ExportCount.of(exports);
        return object(
                "symbols", exports.size(),
                "gplOnly", count.gplOnly(),
                "inNamespaces", count.inNamespaces(),
                "crcs", image.hasCrcs(),
                "layout", layout.words(),
                "foundBy", image.named() ? "section-names" : "contents",
                "missing", image.missing());
    }
}
