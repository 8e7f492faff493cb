package dev.weaklink.hold;

import static dev.weaklink.format.json.JsonOutput.list;
import static dev.weaklink.format.json.JsonOutput.object;

import dev.weaklink.check.report.CheckJson;
import dev.weaklink.check.result.ExitCode;
import dev.weaklink.format.json.JsonOutput;
import dev.weaklink.hold.Hold.HoldDecision;
import dev.weaklink.hold.Hold.KernelDecision;
import dev.weaklink.hold.Hold.NewerSource;
import dev.weaklink.hold.Hold.TrialAnswer;
import dev.weaklink.rebuild.Trial;
import dev.weaklink.sys.InputProblem;
import dev.weaklink.system.offers.OfferedKernel.OfferedPackage;
import dev.weaklink.system.offers.Offers.NewerDriver;
import java.util.List;

/**
 * The result of a hold run.
 *
 * @param manager the package manager whose repositories were read, such as {@code apt}
 * @param wanted whether the site sets {@code hold = yes}
 * @param done whether this run wrote the list of held packages, {@code hold.packages()}, for the package manager
 * @param failed whether the held packages could not be changed, or dnf5 would ignore them
 */
public record HoldReport(
        String manager, boolean wanted, boolean done, boolean failed, Hold hold, List<InputProblem> problems) {
    public HoldReport {
        problems = List.copyOf(problems);
    }

    public ExitCode exitCode() {
        if (failed) {
            return ExitCode.ROLLED_BACK;
        }
        if (hold.isRefused()) {
            return ExitCode.INCOMPATIBLE;
        }
        return hold.isUnknown() || InputProblem.matter(problems) ? ExitCode.UNDETERMINED : ExitCode.COMPATIBLE;
    }

    /** Returns one JSON document and a line break. {@link KeptHold} reads this document in the next run. */
    public byte[] json() {
        KernelDecision newest = hold.newest();
        return JsonOutput.line(object(
                "schema",
                "weaklink.hold/1",
                "manager",
                manager,
                "wanted",
                wanted,
                "done",
                done,
                "kernels",
                list(hold.kernels(), HoldReport::kernel),
                "awaited",
                awaited(),
                "newest",
                newest == null ? null : newest.answer().kernel().release(),
                "packages",
                list(hold.packages(), HoldReport::offered),
                "problems",
                list(problems, CheckJson::problem),
                "exitCode",
                exitCode().number()));
    }

    /** Returns the releases for which a trial build has to be started. The script kernel-hook reads this list. */
    private List<String> awaited() {
        return hold.kernels().stream()
                .filter(KernelDecision::awaitsTrial)
                .map(kernel -> kernel.answer().kernel().release())
                .toList();
    }

    private static Object kernel(KernelDecision kernel) {
        OfferAnswer answer = kernel.answer();
        boolean isHeld = kernel.decision() == HoldDecision.HELD;
        return object(
                "kernel", answer.kernel().release(),
                "version", answer.kernel().packages().get(0).version(),
                "repository", answer.kernel().repository(),
                "fit", answer.fit().id(),
                "refused", answer.refused(),
                "reason", answer.reason(),
                "decision", kernel.decision().id(),
                "since", kernel.since(),
                "holding", isHeld ? kernel.holding() : null,
                "released", isHeld ? kernel.released() : null,
                "drivers", list(kernel.drivers(), HoldReport::driver),
                "trials", kernel.trials().isEmpty() ? null : list(kernel.trials(), HoldReport::trial),
                "stored", kernel.stored(),
                "packages", list(answer.kernel().packages(), HoldReport::offered));
    }

    private static Object trial(TrialAnswer one) {
        Trial trial = one.trial();
        return object(
                "product", one.product(),
                "result", trial == null ? null : trial.result().id(),
                "line", trial == null ? null : trial.line(),
                "tried", trial == null ? null : trial.tried(),
                "awaited", one.awaited(),
                "overdue", one.isOverdue() ? true : null,
                "newer", one.newer() == null ? null : newer(one.newer()));
    }

    private static Object newer(NewerSource one) {
        Trial trial = one.trial();
        return object(
                "package", one.offered().name(),
                "version", one.offered().version(),
                "result", trial == null ? null : trial.result().id(),
                "line", trial == null ? null : trial.line(),
                "tried", trial == null ? null : trial.tried());
    }

    private static Object driver(NewerDriver one) {
        return object(
                "module", one.module(),
                "package", one.offered().name(),
                "version", one.offered().version(),
                "architecture", one.offered().architecture(),
                "fits", one.fits() ? true : null,
                "comes", one.comes());
    }

    private static Object offered(OfferedPackage one) {
        return object("package", one.name(), "version", one.version(), "architecture", one.architecture());
    }
}
