package dev.weaklink.check.report;

import static dev.weaklink.format.json.JsonOutput.list;
import static dev.weaklink.format.json.JsonOutput.object;

import dev.weaklink.check.result.CheckReport;
import dev.weaklink.check.result.TargetSummary;
import dev.weaklink.check.result.VerdictReason;
import dev.weaklink.format.json.JsonOutput;
import dev.weaklink.loader.Outcome;
import dev.weaklink.loader.Verdict;
import dev.weaklink.sys.InputProblem;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;

/**
 * Renders a check as a PreflightValidation of OpenShift's Kernel Module Management (KMM), with its status
 * (kmm.sigs.x-k8s.io/v1beta2, status.modules). A module that would load is in stage Done with Success; any other
 * module, even an undetermined one, is in stage Image with Failure. The time stamps of KMM's own status are omitted.
 */
public final class PreflightJson {
    private PreflightJson() {}

    public static void write(CheckReport report, OutputStream out) throws IOException {
        for (TargetSummary target : report.targets()) {
            String release = target.release();
            List<Object> modules = new ArrayList<>();
            modules.addAll(list(report.verdictsOn(target), PreflightJson::module));
            modules.addAll(list(report.problemsBesidesVerdicts(), PreflightJson::problem));
            JsonOutput.writeLine(
                    object(
                            "apiVersion",
                            "kmm.sigs.x-k8s.io/v1beta2",
                            "kind",
                            "PreflightValidation",
                            "spec",
                            object("kernelVersion", release == null ? target.label() : release),
                            "status",
                            object("modules", modules)),
                    out);
        }
    }

    private static Object module(Verdict verdict) {
        boolean loads = verdict.outcome() == Outcome.COMPATIBLE;
        return module(verdict.module().name(), loads, VerdictReason.of(verdict));
    }

    private static Object problem(InputProblem problem) {
        return module(problem.subject(), false, problem.message());
    }

    private static Object module(String name, boolean isVerified, String reason) {
        return object(
                "name",
                name,
                "verificationStage",
                isVerified ? "Done" : "Image",
                "verificationStatus",
                isVerified ? "Success" : "Failure",
                "statusReason",
                reason);
    }
}
