package dev.weaklink.status;

import static dev.weaklink.format.json.JsonOutput.list;
import static dev.weaklink.format.json.JsonOutput.object;

import dev.weaklink.check.CheckedImage;
import dev.weaklink.check.CheckedImage.CheckedModule;
import dev.weaklink.check.report.CheckJson;
import dev.weaklink.check.report.GateText;
import dev.weaklink.check.report.InstallationAdvice;
import dev.weaklink.check.result.GateAnswer;
import dev.weaklink.check.result.GateAnswer.BootObstacle;
import dev.weaklink.check.result.GateAnswer.BootObstacle.BootPart;
import dev.weaklink.check.result.GateAnswer.Word;
import dev.weaklink.check.result.GateReport;
import dev.weaklink.check.result.VerdictReason;
import dev.weaklink.format.json.JsonOutput;
import dev.weaklink.links.LinkDefects;
import dev.weaklink.links.plan.CheckedLink;
import dev.weaklink.links.plan.CheckedLink.LinkDefect;
import dev.weaklink.loader.Outcome;
import dev.weaklink.loader.Verdict;
import dev.weaklink.rebuild.ReloadForecast;
import dev.weaklink.rebuild.Trial;
import dev.weaklink.rebuild.run.ReloadProbe.Seen;
import dev.weaklink.report.Page;
import dev.weaklink.report.Style;
import dev.weaklink.report.TableOptions;
import dev.weaklink.sys.Escape;
import dev.weaklink.sys.InputProblem;
import dev.weaklink.sys.Numbers;
import dev.weaklink.system.initramfs.InitramfsComparison.ModuleState;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The status of a system, as text for people or as one JSON object ({@code weaklink.status/1}). */
public final class StatusText {
    private static final int MOST = 20;

    private final Page page;
    private final String words;
    private final Map<String, InstallationAdvice> advice;

    /**
     * Creates the text.
     *
     * @param words the arguments that suggested commands need, such as {@code --root}
     * @param advice the advice on kernels, by release
     */
    public StatusText(TableOptions options, String words, Map<String, InstallationAdvice> advice) {
        page = new Page(options);
        this.words = words;
        this.advice = Map.copyOf(advice);
    }

    public String render(SystemStatus status) {
        LinkDefects links = status.links();
        if (links != null && links.kernels() > 0) {
            links(links);
        }
        safety(status.safety());
        if (!status.builds().isEmpty()) {
            page.gap();
            status.builds()
                    .forEach(build -> page.sentence(0, "", Escape.text(build.subject() + ": " + build.message())));
        }
        Seen loaded = status.loaded();
        if (loaded != null) {
            page.gap();
            loaded(loaded.kernel(), loaded.forecast());
        }
        for (CheckedImage image : status.images()) {
            page.gap();
            image(image, status.unfinished().containsAll(status.problems()));
        }
        if (!status.held().isEmpty()) {
            page.gap();
            status.held().forEach(kernel -> page.line(kernel.line(words)));
        }
        trials(status.trials());
        InputProblem interrupted = links == null ? null : links.interrupted();
        if (interrupted != null) {
            page.gap();
            page.line(Escape.text(interrupted.subject() + ": " + interrupted.message()));
        }
        return page.text();
    }

    private void safety(@Nullable GateReport report) {
        List<GateAnswer> answers = new ArrayList<>(report == null ? List.of() : report.asked());
        answers.removeIf(answer -> answer.word() == Word.YES);
        if (answers.isEmpty()) {
            return;
        }
        page.gap();
        boolean needsCheck = false;
        for (GateAnswer answer : answers) {
            boolean isUnsafe = answer.word() == Word.NO;
            String state = page.styled(isUnsafe ? Style.BAD : Style.UNSURE, isUnsafe ? "not safe" : "may not be safe");
            String kernel = Escape.text(answer.target().label());
            page.sentence(0, "", kernel + ": " + state + ": " + GateText.reason(answer));
            needsCheck |= !finishing(answer);
        }
        if (needsCheck) {
            page.line("Next: weaklink check" + words);
        }
    }

    /** Writes the steps that finish the installation of a kernel; returns false if there are none. */
    private boolean finishing(GateAnswer answer) {
        List<BootObstacle> signs = new ArrayList<>(answer.obstacles());
        signs.removeIf(obstacle -> obstacle.part() != BootPart.PACKAGES);
        InstallationAdvice given =
                advice.getOrDefault(String.valueOf(answer.target().release()), InstallationAdvice.NONE);
        if (given.isUnfinished()) {
            given.writeNext(page, 0, "Next:");
        } else {
            signs.forEach(sign -> page.sentence(0, "Next:", Escape.text(sign.next())));
        }
        return given.isUnfinished() || !signs.isEmpty();
    }

    private void trials(List<Trial> trials) {
        if (!trials.isEmpty()) {
            page.gap();
            page.line("trial builds:");
        }
        for (Trial trial : trials) {
            page.sentence(
                    2,
                    "",
                    Escape.text(trial.kernel() + ": " + trial.product() + " "
                            + trial.result().words()
                            + (trial.line().isEmpty() ? "" : ": " + trial.line())
                            + " (tried " + trial.tried() + ")"));
        }
    }

    private void links(LinkDefects links) {
        int defective = 0;
        boolean repairable = !links.needsDepmod().isEmpty();
        boolean breaking = false;
        for (CheckedLink link : links.links()) {
            defective += link.isDefective() ? 1 : 0;
            repairable |= link.mayBeRemoved();
            breaking |= link.defects().contains(LinkDefect.BREAKS_OTHERS);
            if (page.verbose() || !link.defects().isEmpty()) {
                link(link);
            }
        }
        page.gap();
        page.line(Numbers.of(links.links().size(), "link")
                + ", "
                + (defective == 0 ? "none defective" : defective + " defective"));
        if (repairable || breaking) {
            page.line("Next: weaklink " + (repairable ? "repair" : "plan") + words);
        }
    }

    private void link(CheckedLink link) {
        page.line(line(link));
        for (LinkDefect defect : link.defects()) {
            Style style = defect.isDoubt() ? Style.UNSURE : Style.BAD;
            page.line("    " + page.styled(style, defect.id()) + ": " + defect.sentence());
        }
        if (!link.reason().isEmpty()) {
            page.sentence(4, "", Escape.text(link.reason()));
        }
    }

    public static String removal(CheckedLink link) {
        List<String> ids = link.defects().stream().map(LinkDefect::id).toList();
        String reason = link.reason().isEmpty() ? "" : ": " + Escape.text(link.reason());
        String why = ids.isEmpty() ? "" : "  [" + String.join(", ", ids) + "]";
        return "remove " + line(link) + why + reason + "\n";
    }

    private static String line(CheckedLink link) {
        return Escape.text(link.path()) + " -> " + Escape.text(link.target());
    }

    private void loaded(String kernel, ReloadForecast forecast) {
        page.line(page.styled(Style.HEADING, Escape.text(kernel)) + ": " + state(forecast));
        facts("stale", forecast.stale());
        facts("no longer installed", forecast.gone());
        facts("no build-id or srcversion to compare", forecast.unproven());
        facts("a reload would fail", forecast.hindrances());
        for (String foreign : forecast.foreign()) {
            page.sentence(2, "not the vendor's module:", Escape.text(foreign));
        }
        if (!forecast.foreign().isEmpty()) {
            page.line("Next: see 'weaklink plan" + words + "' for the missing lines of depmod.d");
        } else if (forecast.isOutdated() && forecast.canReload()) {
            page.line("Next: reboot, or reload the stale modules"
                    + " (RDMA: /etc/init.d/openibd restart, or mlnx-en.d restart)");
        } else if (forecast.isOutdated()) {
            page.line("Next: reboot"
                    + " (with Slurm: scontrol reboot ASAP nextstate=RESUME NODE, which drains the node first)");
        }
    }

    private void facts(String title, List<String> values) {
        for (String value : values) {
            page.line("  " + title + ": " + Escape.text(value));
        }
    }

    private static String state(ReloadForecast forecast) {
        if (!forecast.stale().isEmpty()) {
            return Numbers.of(forecast.stale().size(), "loaded module")
                    + " from another build than the installed module";
        }
        if (!forecast.gone().isEmpty()) {
            return Numbers.of(forecast.gone().size(), "loaded module") + " no longer installed";
        }
        if (forecast.installed() == 0) {
            return "no out-of-tree modules are installed";
        }
        if (forecast.loaded() == 0) {
            return "none of the " + Numbers.grouped(forecast.installed()) + " installed out-of-tree modules is loaded";
        }
        return forecast.unproven().isEmpty()
                ? "loaded modules match the installed ones"
                : "it cannot be determined whether loaded modules match the installed ones";
    }

    private void image(CheckedImage image, boolean complete) {
        String head =
                page.styled(Style.HEADING, Escape.text(image.path())) + " (" + Escape.text(image.kernel()) + "): ";
        String failure = image.failure();
        if (failure != null) {
            page.line(head + page.styled(Style.UNSURE, "cannot be read: " + Escape.text(failure)));
            return;
        }
        page.line(head + Numbers.of(image.modules().size(), "module") + counts(image));
        int shown = 0;
        int left = 0;
        for (CheckedModule module : image.modules()) {
            if (module.state().isOutOfDate() || module.isRefused() || module.isUnknown()) {
                if (page.verbose() || shown < MOST) {
                    module(module);
                    shown++;
                } else {
                    left++;
                }
            }
        }
        if (left > 0) {
            page.line("  and " + Numbers.of(left, "other module") + ": see --verbose");
        }
        next(image, complete);
    }

    private String counts(CheckedImage image) {
        List<String> parts = new ArrayList<>();
        for (ModuleState state : ModuleState.values()) {
            int count = image.count(state);
            if (count > 0) {
                parts.add(page.styled(style(state), Numbers.grouped(count) + " " + words(state)));
            }
        }
        if (image.refused() > 0) {
            parts.add(page.styled(Style.BAD, Numbers.grouped(image.refused()) + " refused"));
        }
        return parts.isEmpty() ? "" : ": " + String.join(", ", parts);
    }

    private static Style style(ModuleState state) {
        return switch (state) {
            case SAME, SAME_BUILD -> Style.GOOD;
            case STALE, GONE -> Style.BAD;
            case UNREADABLE -> Style.UNSURE;
            case OTHER_KERNEL -> Style.FAINT;
        };
    }

    private static String words(ModuleState state) {
        return switch (state) {
            case SAME -> "as installed";
            case SAME_BUILD -> "of the same build";
            case STALE -> "stale";
            case GONE -> "no longer installed";
            case UNREADABLE -> "unreadable";
            case OTHER_KERNEL -> "of another kernel";
        };
    }

    private void module(CheckedModule module) {
        page.line("  "
                + page.styled(style(module.state()), words(module.state()))
                + "  "
                + Escape.bytes(module.name())
                + "  "
                + page.styled(Style.FAINT, Escape.text(module.path())));
        if (module.detail() != null) {
            page.sentence(6, "", Escape.text(module.detail()));
        }
        Verdict verdict = module.verdict();
        if (verdict != null && verdict.outcome() != Outcome.COMPATIBLE) {
            boolean refused = verdict.outcome() == Outcome.INCOMPATIBLE;
            page.sentence(6, refused ? "refused:" : "undetermined:", VerdictReason.of(verdict));
        }
    }

    private void next(CheckedImage image, boolean complete) {
        if (image.isToBeRenewed()) {
            page.line("Next: to regenerate it, " + Escape.text(image.renewal().words()));
        } else if (image.isForeign()) {
            page.line("Next: check that this image is the kernel's initramfs; it contains no module for this kernel");
        } else if (image.isUnknown() || !complete) {
            page.line("Next: correct the problems above, and run the command again; not everything could be compared");
        }
    }

    public static void write(SystemStatus status, OutputStream out) throws IOException {
        LinkDefects links = status.links();
        InputProblem interrupted = links == null ? null : links.interrupted();
        JsonOutput.writeLine(
                object(
                        "schema",
                        "weaklink.status/1",
                        "links",
                        links == null ? null : list(links.links(), StatusText::json),
                        "needsDepmod",
                        links == null ? null : links.needsDepmod(),
                        "safety",
                        status.safety() == null ? null : list(status.safety().asked(), StatusText::json),
                        "builds",
                        list(status.builds(), CheckJson::problem),
                        "loaded",
                        loaded(status.loaded()),
                        "initramfs",
                        list(status.images(), StatusText::imageJson),
                        "held",
                        list(
                                status.held(),
                                kernel -> object(
                                        "kernel", kernel.release(),
                                        "since", kernel.since(),
                                        "refused", kernel.refused())),
                        "trials",
                        status.trials().isEmpty() ? null : list(status.trials(), StatusText::trial),
                        "interrupted",
                        interrupted == null ? null : CheckJson.problem(interrupted),
                        "problems",
                        list(status.problems(), CheckJson::problem),
                        "exitCode",
                        status.exitCode().number()),
                out);
    }

    private static Object json(GateAnswer answer) {
        return object(
                "kernel", answer.target().label(),
                "safe", answer.word().id(),
                "reason", GateText.reason(answer));
    }

    private static Object trial(Trial trial) {
        return object(
                "kernel", trial.kernel(),
                "product", trial.product(),
                "trial", trial.result().id(),
                "line", trial.line(),
                "tried", trial.tried());
    }

    private static Object json(CheckedLink link) {
        return object(
                "kernel", link.kernel(),
                "path", link.path(),
                "target", link.target(),
                "module", link.module(),
                "defects", list(link.defects(), LinkDefect::id),
                "mayBeRemoved", link.mayBeRemoved(),
                "reason", link.reason().isEmpty() ? null : link.reason());
    }

    private static @Nullable Object loaded(@Nullable Seen seen) {
        return seen == null
                ? null
                : object(
                        "kernel", seen.kernel(),
                        "installed", seen.forecast().installed(),
                        "loaded", seen.forecast().loaded(),
                        "stale", seen.forecast().stale(),
                        "gone", seen.forecast().gone(),
                        "unproven", seen.forecast().unproven(),
                        "hindrances", seen.forecast().hindrances(),
                        "foreign", seen.forecast().foreign());
    }

    private static Object imageJson(CheckedImage image) {
        return object(
                "image", image.path(),
                "kernel", image.kernel(),
                "failure", image.failure(),
                "modules", list(image.modules(), StatusText::moduleJson),
                "toBeRenewed", image.isToBeRenewed(),
                "renewal",
                        object(
                                "command",
                                image.renewal().command(),
                                "words",
                                image.renewal().words()));
    }

    private static Object moduleJson(CheckedModule module) {
        Verdict verdict = module.verdict();
        return object(
                "module", module.name(),
                "path", module.path(),
                "state", module.state().id(),
                "selected", module.selected(),
                "detail", module.detail(),
                "verdict", verdict == null ? null : verdict.outcome().name(),
                "errno", verdict == null ? null : verdict.errno(),
                "findings", verdict == null ? null : CheckJson.findings(verdict.findings()));
    }
}
