package dev.weaklink.rebuild.report;

import static dev.weaklink.format.json.JsonOutput.list;
import static dev.weaklink.format.json.JsonOutput.object;

import dev.weaklink.rebuild.Diagnosis;
import dev.weaklink.rebuild.Manifest;
import dev.weaklink.rebuild.Manifest.PackageResult;
import dev.weaklink.rebuild.run.PastRun;
import dev.weaklink.sys.Escape;
import java.nio.file.Path;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

public final class PastRunText {
    private PastRunText() {}

    public static String line(PastRun run) {
        Manifest manifest = run.manifest();
        StringBuilder text = new StringBuilder("-  ");
        text.append(run.time().truncatedTo(ChronoUnit.SECONDS)).append("  ");
        text.append(state(run)).append("  rebuild ").append(Escape.text(run.name()));
        if (manifest != null) {
            String packages = manifest.inputs().getOrDefault("packages", "");
            String product = manifest.inputs().getOrDefault("product", packages);
            text.append(" (").append(Escape.text((manifest.backend() + " " + product).strip()));
            text.append(')');
        }
        for (String failure : failures(manifest)) {
            text.append("; ").append(Escape.text(failure));
        }
        Path log = run.log();
        if (log != null) {
            text.append("; log: ").append(Escape.text(log.toString()));
        }
        return text.append('\n').toString();
    }

    private static List<String> failures(@Nullable Manifest manifest) {
        List<String> failures = new ArrayList<>();
        if (manifest == null) {
            return failures;
        }
        for (PackageResult one : manifest.packages()) {
            if (one.isMissing()) {
                failures.add(one.label() + " was not built" + (one.reason().isEmpty() ? "" : ": " + one.reason()));
            }
        }
        Diagnosis diagnosis = manifest.diagnosis();
        if (diagnosis != null && failures.isEmpty()) {
            failures.add(diagnosis.line().isEmpty() ? diagnosis.cause().id() : diagnosis.line());
        }
        return failures;
    }

    private static String state(PastRun run) {
        Manifest manifest = run.manifest();
        if (run.going()) {
            return "running";
        }
        if (manifest == null) {
            return "not recorded";
        }
        return switch (manifest.state()) {
            case RUNNING, ABANDONED -> "interrupted";
            case UNJUDGED -> "built, not checked";
            case BUILT -> "built";
            case ALREADY_THERE -> "already built";
            case FAILED -> "failed";
            case CANCELLED -> "cancelled";
        };
    }

    public static List<Object> json(List<PastRun> runs) {
        return list(runs, PastRunText::json);
    }

    private static Object json(PastRun run) {
        Manifest manifest = run.manifest();
        return object(
                "run", run.name(),
                "time", run.time().truncatedTo(ChronoUnit.SECONDS).toString(),
                "state", state(run),
                "backend", manifest == null ? null : manifest.backend(),
                "failures", failures(manifest),
                "log", run.log() == null ? null : String.valueOf(run.log()));
    }
}
