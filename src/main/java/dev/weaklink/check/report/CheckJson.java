package dev.weaklink.check.report;

import static dev.weaklink.format.json.JsonOutput.list;
import static dev.weaklink.format.json.JsonOutput.object;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.io.SerializedString;
import dev.weaklink.check.result.CheckReport;
import dev.weaklink.check.result.ExitCode;
import dev.weaklink.check.result.GateAnswer;
import dev.weaklink.check.result.GateReport;
import dev.weaklink.check.result.ModuleUse;
import dev.weaklink.check.result.Tally;
import dev.weaklink.check.result.TargetSummary;
import dev.weaklink.format.json.JsonOutput;
import dev.weaklink.kernel.LoaderBehaviorJson;
import dev.weaklink.loader.CauseJson;
import dev.weaklink.loader.Finding;
import dev.weaklink.loader.Finding.Provider;
import dev.weaklink.loader.Verdict;
import dev.weaklink.module.Origin;
import dev.weaklink.sys.InputProblem;
import dev.weaklink.sys.Workers;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Renders a check as JSON: one document, or one object on each line. The keys and their order are part of the public
 * interface.
 */
public final class CheckJson {
    private static final int PART = 64;
    private static final int PARTS_PER_THREAD = 4;

    /** The keys of a finding, encoded once because a large check writes a million findings. */
    private static final SerializedString LAYER = new SerializedString("layer");

    private static final SerializedString ID = new SerializedString("id");
    private static final SerializedString EFFECT = new SerializedString("effect");
    private static final SerializedString ERRNO = new SerializedString("errno");
    private static final SerializedString SYMBOL = new SerializedString("symbol");
    private static final SerializedString WANTS = new SerializedString("wants");
    private static final SerializedString OFFERS = new SerializedString("offers");
    private static final SerializedString EXPORTER = new SerializedString("exporter");
    private static final SerializedString DMESG = new SerializedString("dmesg");
    private static final SerializedString DETAIL = new SerializedString("detail");

    private CheckJson() {}

    /**
     * Writes one object with the whole report ({@code weaklink.check/1}).
     *
     * @param safety the report on whether the kernels can be booted with the modules in use; null if the user named
     *     modules
     */
    public static void writeDocument(CheckReport report, @Nullable GateReport safety, OutputStream out)
            throws IOException {
        try (JsonGenerator json = JsonOutput.open(out)) {
            json.writeStartObject();
            json.writeStringField("schema", "weaklink.check/1");
            json.writeArrayFieldStart("targets");
            for (TargetSummary target : report.targets()) {
                JsonOutput.write(json, target(target));
            }
            json.writeEndArray();
            verdictsAndProblems(json, report);
            json.writeFieldName("summary");
            JsonOutput.write(json, summary(report, safety));
            json.writeEndObject();
            json.writeRaw('\n');
        }
    }

    private static void verdictsAndProblems(JsonGenerator json, CheckReport report) throws IOException {
        json.writeArrayFieldStart("verdicts");
        for (Verdict verdict : report.verdicts()) {
            VerdictLines.verdict(json, verdict);
        }
        json.writeEndArray();
        json.writeArrayFieldStart("problems");
        for (InputProblem problem : report.problems()) {
            JsonOutput.write(json, problem(problem));
        }
        json.writeEndArray();
    }

    /**
     * Writes targets, verdicts, problems and the summary, each as an object on its own line.
     *
     * @param safety see {@link #writeDocument}
     * @param threads the number of threads that render verdicts
     */
    public static void writeLines(CheckReport report, @Nullable GateReport safety, OutputStream out, int threads)
            throws IOException {
        for (TargetSummary target : report.targets()) {
            JsonOutput.writeLine(target(target), out);
        }
        verdictLines(report.verdicts(), out, threads);
        for (InputProblem problem : report.problems()) {
            JsonOutput.writeLine(problem(problem), out);
        }
        JsonOutput.writeLine(summary(report, safety), out);
    }

    /** Renders a few groups of verdicts for each thread at a time, so that memory need not contain the whole output. */
    private static void verdictLines(List<Verdict> verdicts, OutputStream out, int threads) throws IOException {
        int step = PART * PARTS_PER_THREAD * threads;
        List<VerdictLines> parts = new ArrayList<>();
        for (int from = 0; from < verdicts.size(); from += step) {
            int to = Math.min(from + step, verdicts.size());
            int count = (to - from + PART - 1) / PART;
            for (int i = 0; i < count; i++) {
                if (i == parts.size()) {
                    parts.add(new VerdictLines());
                }
                int first = from + i * PART;
                parts.get(i).take(verdicts.subList(first, Math.min(first + PART, to)));
            }
            VerdictLines.write(parts.subList(0, count), threads);
            for (VerdictLines part : parts.subList(0, count)) {
                part.writeTo(out);
            }
        }
    }

    private static Object target(TargetSummary target) {
        ModuleUse use = target.use();
        return object(
                "schema", "weaklink.target/1",
                "target", target.label(),
                "release", target.release(),
                "kind", target.kind().id(),
                "symvers", target.symvers(),
                "vmlinuxExports", target.vmlinuxExports(),
                "ownModules", target.ownModules(),
                "rules", LoaderBehaviorJson.of(target.rules()),
                "notes", target.allNotes(),
                "driver", use == null ? null : use.json());
    }

    /**
     * Returns a value that writes the findings one by one, because the modules of a distribution's kernel have tens of
     * thousands of findings.
     */
    public static JsonOutput.JsonWriter findings(List<Finding> findings) {
        return json -> {
            json.writeStartArray();
            for (Finding finding : findings) {
                finding(json, finding);
            }
            json.writeEndArray();
        };
    }

    private static void finding(JsonGenerator json, Finding finding) throws IOException {
        json.writeStartObject();
        field(json, LAYER, finding.layer().id());
        field(json, ID, finding.kind().id());
        field(json, EFFECT, finding.effect().id());
        field(json, ERRNO, finding.errno());
        field(json, SYMBOL, finding.symbol());
        field(json, WANTS, finding.wants());
        field(json, OFFERS, finding.offers());
        field(json, EXPORTER, finding.exporter());
        Finding.Importer importer = finding.importer();
        if (importer != null) {
            json.writeStringField("importer", importer.name());
            json.writeBooleanField("used", importer.used());
        }
        field(json, DMESG, finding.dmesg());
        field(json, DETAIL, finding.detail());
        if (finding.cause() != null) {
            json.writeFieldName("cause");
            JsonOutput.write(json, CauseJson.brief(finding.cause()));
        }
        json.writeEndObject();
    }

    private static void field(JsonGenerator json, SerializedString key, @Nullable String value) throws IOException {
        if (value != null) {
            json.writeFieldName(key);
            json.writeString(value);
        }
    }

    public static Object problem(InputProblem problem) {
        return object(
                "schema", "weaklink.problem/1",
                "subject", problem.subject(),
                "message", problem.message());
    }

    static Object brief(InputProblem problem) {
        return object("subject", problem.subject(), "message", problem.message());
    }

    private static Object summary(CheckReport report, @Nullable GateReport safety) {
        Tally tally = report.tally();
        GateAnswer newest = safety == null ? null : safety.newestSafe();
        ExitCode status = safety == null ? report.exitCode() : safety.exitCode();
        return object(
                "schema", "weaklink.summary/1",
                "targets", report.targets().size(),
                "verdicts", tally.total(),
                "compatible", tally.compatible(),
                "incompatible", tally.incompatible(),
                "undetermined", tally.undetermined(),
                "problems", report.problems().size(),
                "kernels", safety == null ? null : list(safety.answers(), GateText::answer),
                "newestSafe", newest == null ? null : newest.target().label(),
                "exitCode", status.number());
    }

    private static final class VerdictLines {
        private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        private List<Verdict> verdicts = List.of();

        void take(List<Verdict> others) {
            verdicts = others;
            bytes.reset();
        }

        static void write(List<VerdictLines> parts, int threads) {
            IntConsumer writer = new IntConsumer() {
                @Override
                public void accept(int part) {
                    parts.get(part).write();
                }
            };
            Workers.start(parts.size(), threads, Workers.all(writer)).finish();
        }

        private void write() {
            try (JsonGenerator json = JsonOutput.open(bytes)) {
                for (Verdict verdict : verdicts) {
                    verdict(json, verdict);
                    json.writeRaw('\n');
                }
            } catch (IOException e) {
                throw new UncheckedIOException("writing to memory", e);
            }
        }

        void writeTo(OutputStream out) throws IOException {
            bytes.writeTo(out);
        }

        static void verdict(JsonGenerator json, Verdict verdict) throws IOException {
            Origin origin = verdict.module().origin();
            json.writeStartObject();
            json.writeStringField("schema", "weaklink.verdict/1");
            json.writeStringField("module", verdict.module().name());
            json.writeStringField("file", origin.file());
            JsonOutput.optional(json, "member", origin.member());
            Origin.Owner owner = origin.owner();
            if (owner != null) {
                owner(json, owner);
            }
            json.writeStringField("target", verdict.target());
            json.writeStringField("verdict", verdict.outcome().name());
            JsonOutput.optional(json, "errno", verdict.errno());
            json.writeFieldName("findings");
            findings(verdict.findings()).write(json);
            json.writeArrayFieldStart("providers");
            for (Provider provider : verdict.providers()) {
                provider(json, provider);
            }
            json.writeEndArray();
            JsonOutput.strings(json, "unchecked", verdict.unchecked());
            JsonOutput.strings(json, "assumed", verdict.assumed());
            json.writeEndObject();
        }

        private static void owner(JsonGenerator json, Origin.Owner owner) throws IOException {
            json.writeObjectFieldStart("package");
            json.writeStringField("kind", owner.kind());
            json.writeStringField("name", owner.name());
            json.writeStringField("version", owner.version());
            JsonOutput.optional(json, "product", owner.product());
            json.writeEndObject();
        }

        private static void provider(JsonGenerator json, Provider provider) throws IOException {
            json.writeStartObject();
            json.writeStringField("module", provider.name());
            json.writeStringField("file", provider.file());
            json.writeBooleanField("given", provider.given());
            json.writeEndObject();
        }
    }
}
