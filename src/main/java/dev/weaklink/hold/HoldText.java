package dev.weaklink.hold;

import dev.weaklink.hold.Hold.HoldDecision;
import dev.weaklink.hold.Hold.KernelDecision;
import dev.weaklink.hold.Hold.NewerSource;
import dev.weaklink.hold.Hold.TrialAnswer;
import dev.weaklink.hold.OfferAnswer.Fit;
import dev.weaklink.rebuild.Trial;
import dev.weaklink.rebuild.Trial.TrialResult;
import dev.weaklink.rebuild.run.SiteSettings;
import dev.weaklink.report.Page;
import dev.weaklink.report.Style;
import dev.weaklink.report.TableOptions;
import dev.weaklink.sys.Escape;
import dev.weaklink.sys.Root;
import dev.weaklink.system.offers.OfferedKernel.OfferedPackage;
import dev.weaklink.system.offers.Offers.NewerDriver;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

public final class HoldText {
    private final Page page;
    private final Root root;

    /**
     * Creates an empty text.
     *
     * @param root the root directory to add to suggested commands
     */
    public HoldText(TableOptions options, Root root) {
        page = new Page(options);
        this.root = root;
    }

    public String render(HoldReport report) {
        Hold hold = report.hold();
        for (KernelDecision kernel : hold.kernels()) {
            kernel(kernel, report.done());
        }
        page.gap();
        if (hold.kernels().isEmpty()) {
            page.line(report.manager() + " offers no kernel that is newer than the installed kernels");
        } else {
            page.line(newest(hold));
        }
        conclusion(report);
        return page.text();
    }

    private static String newest(Hold hold) {
        KernelDecision newest = hold.newest();
        if (newest != null) {
            return "newest kernel that fits: "
                    + Escape.text(newest.answer().kernel().release());
        }
        KernelDecision letIn = hold.newestLetIn();
        return letIn == null
                ? "no offered kernel is known to fit"
                : "no offered kernel is known to fit; newest kernel that is not held: "
                        + Escape.text(letIn.answer().kernel().release());
    }

    private void conclusion(HoldReport report) {
        List<String> names = new ArrayList<>();
        for (OfferedPackage one : report.hold().packages()) {
            names.add(Escape.text(one.name() + "=" + one.version()));
        }
        if (report.done()) {
            page.line(names.isEmpty() ? "nothing is held" : "held:");
        } else if (!names.isEmpty()) {
            page.line(report.wanted() ? "would be held:" : "would be held with hold = yes:");
        }
        page.shortened(names).forEach(name -> page.line("  " + name));
        if (!report.done() && root.isHost()) {
            lookBefore(report.hold().kernels());
        }
        if (!report.wanted() && report.hold().isRefused()) {
            page.line("Next: add 'hold = yes' to " + Escape.text(root.named(SiteSettings.PLACE))
                    + ", then run: weaklink hold" + Escape.text(root.words()));
        }
    }

    /**
     * Suggests a command that stores the headers of the newest kernel that could not be checked. weaklink fetches
     * headers automatically only with {@code hold = yes}.
     */
    private void lookBefore(List<KernelDecision> kernels) {
        String headers = null;
        for (KernelDecision kernel : kernels) {
            OfferedPackage offered = kernel.answer().kernel().headers();
            boolean unseen = kernel.answer().fit() == Fit.UNKNOWN && kernel.stored() == null;
            headers = unseen && offered != null ? Escape.text(offered.name()) : headers;
        }
        if (headers != null) {
            page.line("Next: apt-get download " + headers + " && weaklink store add ./" + headers + "_*.deb");
        }
    }

    private void kernel(KernelDecision kernel, boolean done) {
        OfferAnswer answer = kernel.answer();
        Style style = switch (answer.fit()) {
            case FITS, FITS_AS_FAR_AS_KNOWN -> Style.GOOD;
            case REFUSED -> Style.BAD;
            case UNKNOWN -> Style.UNSURE;
        };
        page.line(page.styled(style, word(kernel))
                + "  "
                + Escape.text(answer.kernel().release()
                        + " ("
                        + answer.kernel().packages().get(0).version()
                        + ")")
                + (done && kernel.since() != null ? ", since " + Escape.text(kernel.since()) : ""));
        page.sentence(6, "", answer.reason());
        if (kernel.holding().size() < answer.refused().size()
                && !kernel.holding().isEmpty()) {
            page.sentence(6, "held by:", Escape.text(String.join(", ", kernel.holding())));
        }
        if (!kernel.released().isEmpty()) {
            page.sentence(6, "released by:", Escape.text(kernel.released()));
        }
        if (kernel.decision() == HoldDecision.LET_IN_TO_REBUILD) {
            boolean isTried =
                    !kernel.trials().isEmpty() && kernel.trials().stream().allMatch(TrialAnswer::loads);
            page.sentence(
                    6,
                    "not held:",
                    (isTried ? "its modules will be built" : "a build will be tried")
                            + ", by DKMS or 'rebuild = background'");
        }
        for (TrialAnswer one : kernel.trials()) {
            addTrial(one);
        }
        for (NewerDriver one : kernel.drivers()) {
            String fits = one.comes() && one.fits()
                    ? ", made for this kernel and part of the same update"
                    : one.fits() ? ", made for this kernel" : "; the package does not show whether it fits";
            page.sentence(
                    6,
                    "offered:",
                    Escape.text(one.module() + " in " + one.offered().name() + "="
                            + one.offered().version() + fits));
        }
        if (page.verbose()) {
            page.sentence(6, "from:", Escape.text(answer.kernel().repository()));
        }
    }

    private void addTrial(TrialAnswer one) {
        page.sentence(6, "trial:", Escape.text(words(one)));
        NewerSource newer = one.newer();
        Trial trial = newer == null ? null : newer.trial();
        if (newer != null && trial != null) {
            String source = newer.offered().name() + "=" + newer.offered().version();
            page.sentence(6, "trial:", Escape.text(words(trial) + ", from " + source + ", which is offered"));
        }
    }

    private static @Nullable TrialResult result(TrialAnswer answer) {
        Trial trial = answer.trial();
        return trial == null ? null : trial.result();
    }

    private static String words(TrialAnswer answer) {
        Trial trial = answer.trial();
        if (trial != null) {
            return words(trial);
        }
        return answer.isOverdue()
                ? "the trial build of " + answer.product() + " has had no result since " + answer.awaited()
                        + "; weaklink no longer holds the kernel for it"
                : "the trial build of " + answer.product() + " has been pending or running since " + answer.awaited();
    }

    private static String words(Trial trial) {
        String next =
                trial.result() == TrialResult.NOT_TRIED && !trial.next().isEmpty() ? ". Next: " + trial.next() : "";
        return trial.product() + " " + trial.result().words()
                + (trial.line().isEmpty() ? "" : ": " + trial.line())
                + " (tried " + trial.tried() + ")" + next;
    }

    private static String word(KernelDecision kernel) {
        return switch (kernel.decision()) {
            case HELD -> "HOLD   ";
            case LET_IN_TO_REBUILD -> "REBUILD";
            case LET_IN_WITH_DRIVER -> "UPDATE ";
            case LET_IN ->
                switch (kernel.answer().fit()) {
                    case UNKNOWN -> "UNKNOWN";
                    default -> "FITS   ";
                };
        };
    }

    /**
     * Returns the lines that hooks print: about each held kernel, and about other kernels that an update would install
     * although a check or trial build gave no result. Returns an empty string if the run did not write the list of held
     * packages.
     */
    public static String units(HoldReport report, Root root) throws IOException {
        StringBuilder text = new StringBuilder();
        if (report.done()) {
            KeptHold.of(report.json())
                    .held()
                    .forEach(kernel ->
                            text.append(kernel.line(Escape.text(root.words()))).append('\n'));
            for (KernelDecision kernel : report.hold().kernels()) {
                OfferAnswer answer = kernel.answer();
                if (answer.fit() == Fit.UNKNOWN && answer.kernel().wanted()) {
                    text.append("weaklink: " + Escape.text(answer.kernel().release()))
                            .append(" is not held, because it could not be checked: " + answer.reason() + "\n");
                }
                for (TrialAnswer trial :
                        kernel.decision() == HoldDecision.HELD ? List.<TrialAnswer>of() : kernel.trials()) {
                    if (answer.kernel().wanted() && (trial.isOverdue() || result(trial) == TrialResult.NOT_TRIED)) {
                        text.append("weaklink: " + Escape.text(answer.kernel().release()))
                                .append(" is not held: ")
                                .append(Escape.text(words(trial)) + "\n");
                    }
                }
            }
        }
        return text.toString();
    }
}
