package dev.weaklink.check.report;

import static dev.weaklink.format.json.JsonOutput.object;

import dev.weaklink.check.userspace.UserspaceFinding;
import dev.weaklink.format.json.JsonOutput;
import dev.weaklink.loader.FindingKind;
import dev.weaklink.report.Page;
import dev.weaklink.report.Style;
import dev.weaklink.report.TableOptions;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The full explanation of a kind of finding.
 *
 * @param layer the id of the loader's check that reports the finding; {@code userspace} for a defect of the RDMA
 *     libraries
 * @param errno the error of finit_module(2), null if the kernel does not refuse the module
 * @param source the function or file, usually of the kernel, that decides; empty if none does
 * @param versions the kernels that the explanation is for
 */
public record ExplainedFinding(
        String id,
        String layer,
        String meaning,
        @Nullable String errno,
        String source,
        String versions,
        String remedy) {

    public static final List<ExplainedFinding> ALL = all();

    private static List<ExplainedFinding> all() {
        List<ExplainedFinding> all = new ArrayList<>();
        for (FindingKind kind : FindingKind.values()) {
            all.add(new ExplainedFinding(
                    kind.id(),
                    kind.layer().id(),
                    kind.meaning(),
                    kind.errno(),
                    kind.source(),
                    kind.versions(),
                    kind.remedy()));
        }
        for (UserspaceFinding.LibraryDefect kind : UserspaceFinding.LibraryDefect.values()) {
            all.add(new ExplainedFinding(
                    kind.id(),
                    "userspace",
                    kind.meaning(),
                    null,
                    "rdma-core libibverbs/dynamic_driver.c and init.c, dlopen(3)",
                    "all",
                    kind.remedy()));
        }
        return List.copyOf(all);
    }

    public String group() {
        return id.substring(0, id.indexOf('.'));
    }

    public static String list(List<ExplainedFinding> kinds, TableOptions options) {
        Page page = new Page(options);
        int width = 0;
        for (ExplainedFinding kind : kinds) {
            width = Math.max(width, kind.id().length());
        }
        for (ExplainedFinding kind : kinds) {
            String gap = " ".repeat(width + 2 - kind.id().length());
            page.sentence(0, kind.id() + gap, kind.meaning());
        }
        return page.text();
    }

    public static String describe(List<ExplainedFinding> kinds, TableOptions options) {
        Page page = new Page(options);
        for (ExplainedFinding kind : kinds) {
            page.gap();
            page.line(page.styled(Style.HEADING, kind.id()));
            page.sentence(2, "Meaning:", kind.meaning());
            page.sentence(2, "Layer:  ", kind.layer());
            if (kind.errno() != null) {
                page.sentence(2, "Errno:  ", kind.errno());
            }
            if (!kind.source().isEmpty()) {
                page.sentence(2, "Source: ", kind.source());
            }
            page.sentence(2, "Kernels:", kind.versions());
            page.sentence(2, "To do:  ", kind.remedy());
        }
        return page.text();
    }

    public static void json(List<ExplainedFinding> kinds, OutputStream out) throws IOException {
        JsonOutput.writeLine(
                object("schema", "weaklink.findings/1", "findings", JsonOutput.list(kinds, ExplainedFinding::kind)),
                out);
    }

    private static Object kind(ExplainedFinding kind) {
        return object(
                "id", kind.id(),
                "layer", kind.layer(),
                "meaning", kind.meaning(),
                "errno", kind.errno(),
                "source", kind.source().isEmpty() ? null : kind.source(),
                "kernels", kind.versions(),
                "remedy", kind.remedy());
    }
}
