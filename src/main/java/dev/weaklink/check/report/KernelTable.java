package dev.weaklink.check.report;

import dev.weaklink.check.result.TargetSummary.ExportCount;
import dev.weaklink.format.elf.ElfIdentity;
import dev.weaklink.kernel.ExportTable;
import dev.weaklink.kernel.LoaderBehavior;
import dev.weaklink.kernel.LoaderRule;
import dev.weaklink.kernel.image.KernelImage;
import dev.weaklink.kernel.image.KernelImage.EntryLayout;
import dev.weaklink.report.Page;
import dev.weaklink.report.Style;
import dev.weaklink.report.TableOptions;
import dev.weaklink.sys.Escape;
import dev.weaklink.sys.Numbers;
import org.jspecify.annotations.Nullable;

public final class KernelTable {
    private static final int LABEL_WIDTH = 19;

    private final Page page;

    public KernelTable(TableOptions options) {
        page = new Page(options);
    }

    public String render(String file, KernelImage image, LoaderBehavior rules) {
        page.line(page.styled(Style.HEADING, Escape.bytes(image.release())) + "  " + Escape.text(file));
        fact("format", format(image));
        fact("machine", machine(image.machine()));
        fact("banner", Escape.bytes(image.banner()));
        fact("vermagic", vermagic(image));
        fact("configuration", image.config() == null ? "not built in" : "built in");
        fact("struct module", image.structModuleSize() < 0 ? null : image.structModuleSize() + " bytes");
        exports(image);
        page.gap();
        page.line(page.styled(Style.HEADING, "Module loader"));
        for (LoaderRule rule : LoaderRule.values()) {
            LoaderBehavior.Setting setting = rules.setting(rule);
            fact(
                    rule.id(),
                    setting.value()
                            + "  "
                            + page.styled(
                                    setting.assumed() ? Style.UNSURE : Style.FAINT,
                                    (setting.assumed() ? "assumed: " : "") + Escape.text(setting.evidence())));
        }
        return page.text();
    }

    private void fact(String label, @Nullable String value) {
        page.fact(LABEL_WIDTH, label, value);
    }

    private static String vermagic(KernelImage image) {
        return image.vermagic() != null
                ? Escape.bytes(image.vermagic())
                : Escape.bytes(image.release()) + "  (release from the image's banner; vermagic not found)";
    }

    private static String format(KernelImage image) {
        return image.format().words()
                + (image.compression() == null
                        ? ""
                        : ", packed with " + image.compression().id());
    }

    private static @Nullable String machine(@Nullable ElfIdentity machine) {
        return machine == null ? null : machine.machineName();
    }

    private void exports(KernelImage image) {
        ExportTable exports = image.exports();
        EntryLayout layout = image.layout();
        if (exports != null && layout != null) {
            ExportCount count = ExportCount.of(exports);
            fact(
                    "exports",
                    Numbers.of(exports.size(), "symbol")
                            + ", "
                            + Numbers.grouped(count.gplOnly())
                            + " GPL-only, "
                            + Numbers.grouped(count.inNamespaces())
                            + " in namespaces, "
                            + (image.hasCrcs() ? "with CRCs" : "without CRCs"));
            fact(
                    "export tables",
                    layout.words() + ", found by " + (image.named() ? "section names" : "their contents"));
        }
        if (image.missing() != null) {
            fact("not readable", image.missing());
        }
    }
}
