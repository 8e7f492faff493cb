package dev.weaklink.check.report;

import static dev.weaklink.format.json.JsonOutput.list;
import static dev.weaklink.format.json.JsonOutput.object;

import dev.weaklink.check.result.BuildMatch;
import dev.weaklink.check.result.MatchReport;
import dev.weaklink.check.result.TargetSummary;
import dev.weaklink.check.result.VerdictReason;
import dev.weaklink.format.json.JsonOutput;
import dev.weaklink.loader.Finding;
import dev.weaklink.loader.Layer;
import dev.weaklink.loader.Verdict;
import dev.weaklink.sys.Escape;
import dev.weaklink.sys.Numbers;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** Renders how builds of modules fit a kernel, for people or as one JSON object ({@code weaklink.builds/1}). */
public final class MatchText {
    private static final int WORD_WIDTH = 14;

    private MatchText() {}

    public static String lines(MatchReport report) {
        StringBuilder text = new StringBuilder();
        List<BuildMatch> advised = report.advised();
        for (BuildMatch build : report.builds()) {
            String word = advised.contains(build) ? "install" : build.fit().id();
            text.append(word).append(" ".repeat(WORD_WIDTH - word.length())).append(name(build));
            text.append('\n').append(" ".repeat(WORD_WIDTH)).append(words(build));
            if (!build.lacks().isEmpty()) {
                text.append("; lacks ").append(names(build.lacks())).append(", which other builds have");
            }
            if (report.isOther(build)) {
                text.append("; contains none of the requested modules");
            }
            text.append('\n');
        }
        if (!report.builds().isEmpty() && !report.missing().isEmpty()) {
            text.append("No build marked 'install' contains " + names(report.missing()) + ".\n");
            alternatives(report, text);
        } else if (!report.builds().isEmpty() && advised.isEmpty()) {
            boolean refused = report.builds().get(0).fit() == BuildMatch.BuildFit.REFUSED;
            text.append("No build is known to load");
            String step = areOnlyUnsigned(report) ? "; sign" : "; rebuild";
            String how = areOnlyUnsigned(report) ? " with a key the kernel trusts" : " for this kernel";
            text.append(refused ? step + " the modules" + how + ".\n" : ".\n");
        }
        TargetSummary target = report.target();
        if (target != null) {
            target.causes().forEach(note -> text.append("note: " + Escape.text(note) + "\n"));
        }
        return text.toString();
    }

    /** Adds a sentence about each build that contains a missing module, but also a module of a marked build. */
    private static void alternatives(MatchReport report, StringBuilder text) {
        Set<String> marked = new TreeSet<>();
        report.advised().forEach(build -> marked.addAll(build.modules().keySet()));
        for (BuildMatch build : report.builds()) {
            Set<String> missing = new TreeSet<>(build.modules().keySet());
            missing.retainAll(report.missing());
            Set<String> shared = new TreeSet<>(build.modules().keySet());
            shared.retainAll(marked);
            if (build.fit() == BuildMatch.BuildFit.FITS && !missing.isEmpty() && !shared.isEmpty()) {
                text.append(Escape.text(build.file()) + " contains " + names(missing) + ", but is not marked because"
                        + " it also contains " + names(shared) + ", as a marked build does.\n");
            }
        }
    }

    private static boolean areOnlyUnsigned(MatchReport report) {
        for (BuildMatch build : report.builds()) {
            Verdict against = build.against();
            for (Finding finding : against == null ? List.<Finding>of() : against.findings()) {
                if (finding.effect() == Finding.Effect.REFUSES && finding.layer() != Layer.SIGNATURE) {
                    return false;
                }
            }
        }
        return true;
    }

    private static String names(Collection<String> modules) {
        return Escape.text(String.join(", ", modules));
    }

    private static String name(BuildMatch build) {
        return build.name().isEmpty()
                ? Escape.text(build.file())
                : Escape.text(build.name() + " " + build.version()) + "  " + Escape.text(build.file());
    }

    private static String words(BuildMatch build) {
        int all = build.tally().total();
        String built = build.exact()
                ? "built for this kernel"
                : build.builtFor().isEmpty()
                        ? "built for an unknown kernel"
                        : "built for " + Escape.text(String.join(", ", build.builtFor()));
        Verdict against = build.against();
        if (against == null) {
            return (all == 0 ? "no module that can be read" : Numbers.of(all, "module") + " would load")
                    + "; "
                    + built
                    + (build.together().isEmpty()
                            ? ""
                            : "; checked together with " + Escape.text(String.join(", ", build.together())));
        }
        boolean refused = build.fit() == BuildMatch.BuildFit.REFUSED;
        int count = refused ? build.tally().incompatible() : build.tally().undetermined();
        return count
                + " of "
                + Numbers.of(all, "module")
                + (refused ? " would be refused; " : " cannot be judged; ")
                + built
                + "; "
                + Escape.text(against.module().name())
                + ": "
                + VerdictReason.of(against);
    }

    public static void write(MatchReport report, OutputStream out) throws IOException {
        List<BuildMatch> advised = report.advised();
        TargetSummary target = report.target();
        JsonOutput.writeLine(
                object(
                        "schema",
                        "weaklink.builds/1",
                        "target",
                        target == null ? null : target.label(),
                        "release",
                        target == null ? null : target.release(),
                        "builds",
                        list(report.builds(), build -> build(build, advised.contains(build))),
                        "missing",
                        List.copyOf(report.missing()),
                        "problems",
                        list(report.problems(), CheckJson::brief),
                        "notes",
                        target == null ? List.of() : target.causes(),
                        "exitCode",
                        report.exitCode().number()),
                out);
    }

    private static Object build(BuildMatch build, boolean install) {
        boolean named = !build.name().isEmpty();
        Verdict against = build.against();
        return object(
                "file", build.file(),
                "package", named ? build.name() : null,
                "version", named ? build.version() : null,
                "install", install,
                "fit", build.fit().id(),
                "exact", build.exact(),
                "builtFor", build.builtFor(),
                "compatible", build.tally().compatible(),
                "incompatible", build.tally().incompatible(),
                "undetermined", build.tally().undetermined(),
                "lacks", build.lacks(),
                "together", build.together(),
                "reason", against == null ? null : VerdictReason.of(against));
    }
}
