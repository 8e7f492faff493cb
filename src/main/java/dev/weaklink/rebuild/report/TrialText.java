package dev.weaklink.rebuild.report;

import dev.weaklink.rebuild.Trial;
import dev.weaklink.rebuild.Trial.TrialResult;
import dev.weaklink.rebuild.run.SourceTrials;
import dev.weaklink.rebuild.run.TrialStatus;
import dev.weaklink.report.Page;
import dev.weaklink.report.Style;
import dev.weaklink.report.TableOptions;
import dev.weaklink.sys.Escape;
import dev.weaklink.sys.Numbers;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

public final class TrialText {
    private final Page page;

    public TrialText(TableOptions options) {
        this.page = new Page(options);
    }

    public TrialText kernel(List<Trial> trials) {
        String previous = "";
        for (Trial trial : trials) {
            if (!trial.kernel().equals(previous)) {
                page.line(page.styled(Style.HEADING, Escape.text(trial.kernel())));
                previous = trial.kernel();
            }
            product(trial, "");
        }
        return this;
    }

    public TrialText source(List<SourceTrials.SourceTrial> trials) {
        int width = 0;
        for (SourceTrials.SourceTrial one : trials) {
            width = Math.max(width, one.trial().kernel().length());
        }
        page.line(page.styled(
                Style.HEADING,
                trials.isEmpty() ? "" : Escape.text(trials.get(0).trial().product())));
        for (SourceTrials.SourceTrial one : trials) {
            Trial trial = one.trial();
            String kernel = Escape.text(trial.kernel());
            String result = switch (trial.result()) {
                case LOADS -> "would load";
                case WOULD_BE_REFUSED -> "would not load";
                case DOES_NOT_COMPILE, NOT_TRIED -> trial.result().words();
            };
            page.line("  " + kernel
                    + " ".repeat(Math.max(0, width - trial.kernel().length()) + 2)
                    + page.styled(style(trial.result()), result));
            if (!one.serves().isEmpty()) {
                page.sentence(4, "", "this build also loads on " + Escape.text(String.join(", ", one.serves())));
            }
            details(trial);
        }
        return this;
    }

    public TrialText status(TrialStatus status) {
        String running = status.running();
        page.line(
                running == null
                        ? "no trial build is running"
                        : "running: " + Escape.text(running)
                                + (status.since().isEmpty() ? "" : ", since " + status.since()));
        Map<String, List<TrialStatus.KeptResult>> byKernel = new LinkedHashMap<>();
        status.results()
                .forEach(result -> byKernel.computeIfAbsent(result.trial().kernel(), kernel -> new ArrayList<>())
                        .add(result));
        byKernel.forEach((kernel, results) -> {
            page.gap();
            page.line(page.styled(Style.HEADING, Escape.text(kernel)));
            for (TrialStatus.KeptResult result : results) {
                Trial trial = result.trial();
                String offered = trial.offeredSource();
                String invalid = offered.isEmpty()
                        ? ", no longer valid: the source, headers, compiler or linker changed"
                        : ", from " + offered + ", which was offered";
                product(trial, Escape.text(", " + trial.tried() + (result.isValid() ? "" : invalid)));
            }
        });
        return this;
    }

    private void product(Trial trial, String words) {
        String modules = trial.result() == TrialResult.LOADS
                ? " (" + Numbers.of(trial.modules().size(), "module") + ")"
                : "";
        page.line("  " + Escape.text(trial.product()) + ": "
                + page.styled(style(trial.result()), trial.result().words()) + modules + words);
        details(trial);
    }

    private void details(Trial trial) {
        if (!trial.line().isEmpty()) {
            page.sentence(4, "", Escape.text(trial.line()));
        }
        if (!trial.next().isEmpty()) {
            page.sentence(4, trial.result() == TrialResult.NOT_TRIED ? "Next:" : "", Escape.text(trial.next()));
        }
    }

    private static Style style(TrialResult result) {
        return switch (result) {
            case LOADS -> Style.GOOD;
            case DOES_NOT_COMPILE, WOULD_BE_REFUSED -> Style.BAD;
            case NOT_TRIED -> Style.UNSURE;
        };
    }

    public String text() {
        return page.text();
    }
}
