package dev.weaklink.check.report;

import static dev.weaklink.format.json.JsonOutput.list;
import static dev.weaklink.format.json.JsonOutput.object;

import dev.weaklink.check.result.ExitCode;
import dev.weaklink.check.result.GateAnswer;
import dev.weaklink.check.result.GateAnswer.MissingModule.AbsenceCause;
import dev.weaklink.check.result.GateReport;
import dev.weaklink.check.result.VerdictReason;
import dev.weaklink.check.result.Verdicts;
import dev.weaklink.loader.Finding;
import dev.weaklink.loader.Outcome;
import dev.weaklink.loader.Verdict;
import dev.weaklink.report.Page;
import dev.weaklink.report.TableOptions;
import dev.weaklink.sys.Escape;
import dev.weaklink.sys.Numbers;
import dev.weaklink.sys.Root;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

public final class GateText {
    private static final int USUAL_COLUMNS = 80;
    private static final int MARGIN = 9;

    private static final int MOST_NAMES = 8;
    private static final String SITE_RULES = "/etc/weaklink/local.yaml";

    private static final String REBUILD = "would not load on this kernel";

    private GateText() {}

    /**
     * Returns the results for all kernels in the report, and a conclusion; an empty string if the report has no
     * kernels.
     *
     * @param advice the advice on kernels for which DKMS failed, by release
     */
    public static String lines(
            GateReport report, TableOptions options, Map<String, InstallationAdvice> advice, Root root) {
        Page page = new Page(options);
        for (GateAnswer answer : report.answers()) {
            String label = Escape.text(answer.target().label());
            page.hanging(MARGIN, answer.word().id(), label + ": " + reason(answer));
            missing(answer, root, page);
            ignored(answer, page);
            for (String note : answer.target().causes()) {
                page.sentence(MARGIN, "note:", Escape.text(note));
            }
            String release = answer.target().release();
            next(answer, advice.getOrDefault(String.valueOf(release), InstallationAdvice.NONE), page);
        }
        if (report.answers().isEmpty()) {
            return "";
        }
        String unneeded = options.verbose() ? unneeded(report) : null;
        if (unneeded != null) {
            page.sentence(
                    0,
                    "",
                    "If a module is not needed, remove it, or let weaklink ignore it, with this line in"
                            + " " + Escape.text(root.named(SITE_RULES)) + ": ignore: [{module: "
                            + Escape.text(unneeded) + "}]");
        }
        String conclusion = conclusion(report);
        if (options.columns() >= USUAL_COLUMNS) {
            page.line(conclusion); // scripts read the last line
        } else {
            int kernel = conclusion.indexOf(' ') + 1;
            int rest = conclusion.indexOf(' ', kernel);
            page.sentence(0, conclusion.substring(0, rest), conclusion.substring(rest + 1));
        }
        return page.text();
    }

    private static void next(GateAnswer answer, InstallationAdvice advice, Page page) {
        advice.causes().forEach(cause -> page.sentence(MARGIN, "note:", Escape.text(cause)));
        if (!advice.next().isEmpty()) {
            advice.writeNext(page, MARGIN, "Next:");
            return;
        }
        for (GateAnswer.BootObstacle obstacle : answer.obstacles()) {
            if (!obstacle.next().isEmpty()) {
                page.sentence(MARGIN, "Next:", Escape.text(obstacle.next()));
            }
        }
    }

    /**
     * Returns, as an example of a module to ignore, the first module that has no build for one of the kernels. Skips
     * modules of which another kernel's build would load. Returns null if no module is left.
     */
    private static @Nullable String unneeded(GateReport report) {
        for (GateAnswer answer : report.answers()) {
            for (GateAnswer.MissingModule module : answer.missing()) {
                boolean hasNoBuild =
                        module.cause() != AbsenceCause.NOT_CHOSEN && module.cause() != AbsenceCause.NOT_LISTED;
                if (hasNoBuild && module.outcome() != Outcome.COMPATIBLE) {
                    return module.name();
                }
            }
        }
        return null;
    }

    static String conclusion(GateReport report) {
        int asked = report.asked().size();
        String kernels = switch (asked) {
            case 0 -> "the newest kernel";
            case 1 -> Escape.text(report.asked().get(0).target().label());
            default -> "each of the " + Numbers.of(asked, "kernel");
        };
        GateAnswer newest = report.newestSafe();
        String safe = newest == null ? "none" : Escape.text(newest.target().label());
        String further = newest == null && report.onlyRequested()
                ? "; other kernels were not checked"
                : "; newest safe: " + safe;
        return switch (report.word()) {
            case YES ->
                (report.exitCode() == ExitCode.COMPATIBLE
                                ? "yes: "
                                : "unknown: not everything could be read; as far as known, ")
                        + kernels
                        + " is safe for the modules in use"
                        + (asked == 1 ? "" : "; newest: " + safe);
            case NO ->
                "no: "
                        + (asked == 1
                                ? kernels + " is not safe"
                                : "not all of the " + Numbers.of(asked, "kernel") + " are safe")
                        + further;
            case UNKNOWN -> "unknown: whether " + kernels + " is safe could not be determined" + further;
        };
    }

    /**
     * Returns the lines that a hook prints: for every requested kernel, a line for each state with the products in that
     * state.
     *
     * @param labels the labels of products, by module file
     * @param autoinstalled files that DKMS builds for every kernel
     * @param unbuildable files of refused modules that nothing on this machine can rebuild, each with the kernel to
     *     stay with
     */
    public static String units(
            GateReport report,
            Map<String, String> labels,
            Set<String> autoinstalled,
            Map<String, String> unbuildable,
            Root root) {
        StringBuilder text = new StringBuilder();
        for (GateAnswer answer : report.asked()) {
            String release = answer.target().release();
            String kernel = Escape.text(release == null ? answer.target().label() : release);
            Map<String, List<Verdict>> products = new TreeMap<>();
            for (Verdict verdict : answer.verdicts()) {
                String file = verdict.module().origin().toString();
                String label = labels.getOrDefault(file, verdict.module().name());
                products.computeIfAbsent(label, name -> new ArrayList<>()).add(verdict);
            }
            HookLines lines = new HookLines();
            products.forEach((label, verdicts) -> {
                Map<Readiness, List<Verdict>> states = new EnumMap<>(Readiness.class);
                for (Verdict verdict : verdicts) {
                    states.computeIfAbsent(state(verdict, answer, autoinstalled), state -> new ArrayList<>())
                            .add(verdict);
                }
                states.forEach((state, ofState) -> add(lines, label, state, ofState, unbuildable));
            });
            answer.gone().forEach(gone -> lines.add(Readiness.GONE, List.of(gone.name()), gone.name()));
            text.append(lines.text(kernel, false, Escape.text(root.words())));
        }
        return text.toString();
    }

    private static void add(
            HookLines lines, String label, Readiness state, List<Verdict> verdicts, Map<String, String> unbuildable) {
        List<String> names = new ArrayList<>();
        Set<String> exporters = new TreeSet<>();
        boolean isBuildable = false;
        String older = "";
        boolean lacksExporters = state == Readiness.REBUILD_NEEDED;
        for (Verdict verdict : verdicts) {
            names.add(verdict.module().name());
            exporters.addAll(verdict.missingExporters());
            lacksExporters &= !verdict.missingExporters().isEmpty();
            String stay = unbuildable.get(verdict.module().origin().toString());
            isBuildable |= stay == null;
            older = stay == null || stay.isEmpty() ? older : stay;
        }
        if (lacksExporters) {
            lines.addLackingExporters(new ArrayList<>(exporters), names, label);
        } else if (state == Readiness.REBUILD_NEEDED && !isBuildable) {
            lines.addRefusedForGood(older, names, label);
        } else {
            lines.add(state, names, label);
        }
    }

    /**
     * Returns the state of a module on a kernel. If DKMS builds the module for every kernel and no build is installed
     * for this kernel, the state is {@code NOT_BUILT}. Otherwise the verdict decides. A build that would load but is
     * not in place (see {@link GateAnswer}) is not {@code OK}.
     */
    private static Readiness state(Verdict verdict, GateAnswer answer, Set<String> autoinstalled) {
        String file = verdict.module().origin().toString();
        boolean inPlace = answer.inPlace().contains(file);
        AbsenceCause cause = inPlace ? null : absence(verdict.module().name(), answer);
        boolean isInstalled = inPlace || cause == AbsenceCause.NOT_CHOSEN || cause == AbsenceCause.NOT_LISTED;
        if (!isInstalled && autoinstalled.contains(file)) {
            return Readiness.NOT_BUILT;
        }
        return switch (verdict.outcome()) {
            case COMPATIBLE ->
                verdict.breaksOthers()
                        ? Readiness.BREAKS_OTHERS
                        : !inPlace ? absent(cause) : answer.unused().contains(file) ? Readiness.NOT_USED : Readiness.OK;
            case UNDETERMINED -> Readiness.UNDETERMINED;
            case INCOMPATIBLE -> verdict.onlyExportsTwice() ? Readiness.UNDETERMINED : Readiness.REBUILD_NEEDED;
        };
    }

    private static @Nullable AbsenceCause absence(String module, GateAnswer answer) {
        for (GateAnswer.MissingModule missing : answer.missing()) {
            if (missing.name().equals(module)) {
                return missing.cause();
            }
        }
        return null;
    }

    private static Readiness absent(@Nullable AbsenceCause cause) {
        return cause == AbsenceCause.NOT_LINKABLE
                ? Readiness.NOT_INSTALLED
                : cause == AbsenceCause.NOT_CHOSEN ? Readiness.NOT_USED : Readiness.CAN_BE_LINKED;
    }

    public static String reason(GateAnswer answer) {
        String modules = ofModules(answer);
        if (answer.obstacles().isEmpty()) {
            return modules;
        }
        List<String> obstacles = new ArrayList<>();
        answer.obstacles().forEach(obstacle -> obstacles.add(Escape.text(obstacle.reason())));
        boolean isFine = answer.against() == null && answer.missing().isEmpty();
        return modules + (isFine ? ", but " : "; ") + String.join("; ", obstacles);
    }

    private static String ofModules(GateAnswer answer) {
        int all = answer.verdicts().size() + answer.gone().size();
        String modules = Numbers.of(all, "module");
        Verdict against = answer.against();
        boolean refused = against != null && against.outcome() == Outcome.INCOMPATIBLE;
        int missing = answer.missing().size();
        if (missing > 0 && !refused) {
            return missing
                    + " of "
                    + modules
                    + (missing == 1 ? " is" : " are")
                    + " not in place: "
                    + Escape.text(answer.missing().get(0).name());
        }
        if (against != null) {
            return answer.names(against.outcome()).size()
                    + " of "
                    + modules
                    + (refused ? " would be refused: " : " cannot be judged: ")
                    + Escape.text(against.module().name())
                    + " ("
                    + VerdictReason.of(against)
                    + ")";
        }
        if (Verdicts.breakOthers(answer.verdicts())) {
            return breaks(answer);
        }
        if (all == 0) {
            String nothing = answer.nothingInUse();
            return nothing == null ? "no module was checked" : Escape.text(nothing);
        }
        return modules + " would load" + (answer.complete() ? "" : "; not every module in use could be checked");
    }

    private static String breaks(GateAnswer answer) {
        List<String> breaking = new ArrayList<>();
        List<String> broken = Verdicts.broken(answer.verdicts());
        int used = Verdicts.brokenInUse(answer.verdicts()).size();
        Finding first = null;
        for (Verdict verdict : answer.verdicts()) {
            if (verdict.breaksOthers()) {
                breaking.add(verdict.module().name());
            }
            for (Finding finding : verdict.findings()) {
                boolean direct = !broken.contains(String.valueOf(finding.exporter()));
                if (finding.importer() != null && direct && first == null) {
                    first = finding;
                }
            }
        }
        return Escape.text(String.join(", ", breaking))
                + " would load, but "
                + Numbers.of(broken.size(), "module")
                + " that need"
                + (broken.size() == 1 ? "s" : "")
                + (breaking.size() == 1 ? " it" : " them")
                + " would not"
                + (used == 0 ? "" : " (" + used + " in use on this machine)")
                + (first == null || first.dmesg() == null ? "" : ": " + Escape.bytes(first.dmesg()));
    }

    private static void missing(GateAnswer answer, Root root, Page page) {
        Map<String, List<String>> names = new TreeMap<>();
        for (GateAnswer.MissingModule module : answer.missing()) {
            names.computeIfAbsent(reason(module, root), line -> new ArrayList<>())
                    .add(Escape.text(module.name()));
        }
        for (Verdict verdict : answer.verdicts()) {
            boolean refused = verdict.outcome() == Outcome.INCOMPATIBLE && !verdict.onlyExportsTwice();
            if (refused && answer.inPlace().contains(verdict.module().origin().toString())) {
                List<String> exporters = verdict.missingExporters();
                String line = SummaryFooter.isOnlyPacked(verdict)
                        ? SummaryFooter.recompress(verdict)
                        : exporters.isEmpty() ? REBUILD : exportersMissing(exporters);
                names.computeIfAbsent(line, any -> new ArrayList<>())
                        .add(Escape.text(verdict.module().name()));
            }
        }
        names.forEach((line, modules) -> {
            int shown = Math.min(modules.size(), MOST_NAMES);
            page.sentence(
                    MARGIN,
                    "",
                    line + ": " + String.join(", ", modules.subList(0, shown))
                            + (shown < modules.size() ? ", and " + (modules.size() - shown) + " more" : ""));
        });
    }

    private static String exportersMissing(List<String> exporters) {
        return "needs the in-tree " + Escape.text(String.join(", ", exporters)) + ", which is not installed";
    }

    private static void ignored(GateAnswer answer, Page page) {
        Map<String, List<String>> names = new TreeMap<>();
        for (GateAnswer.Ignored module : answer.ignored()) {
            names.computeIfAbsent(module.rule(), rule -> new ArrayList<>()).add(module.name());
        }
        names.forEach((rule, modules) -> page.sentence(
                MARGIN, "", "ignored by " + Escape.text(rule) + ": " + Escape.text(String.join(", ", modules))));
    }

    static String reason(GateAnswer.MissingModule module, Root root) {
        switch (module.cause()) {
            case NOT_CHOSEN:
                return "is installed, but depmod chooses another file; '" + Escape.text(module.detail())
                        + "' shows how to change that";
            case NOT_LISTED:
                return "modules.dep does not list this build, so modprobe does not load it; run '"
                        + Escape.text(module.detail()) + "'";
            case GONE:
                return "was in use (" + Escape.text(module.detail())
                        + "), but is no longer installed; install it again, or" + " add an 'ignore' rule for it to "
                        + Escape.text(root.named(SITE_RULES));
            default:
                break;
        }
        String judged = " by the build for " + Escape.text(module.judged());
        return switch (module.outcome()) {
            case INCOMPATIBLE -> REBUILD + ", judging" + judged;
            case COMPATIBLE ->
                "would load, judging"
                        + judged
                        + (module.cause() == AbsenceCause.NOT_LINKABLE
                                ? ", but weaklink makes no links to files in the module's directory; use the module's"
                                        + " own installer"
                                : " (next step: " + Escape.text(module.detail()) + ")");
            case UNDETERMINED -> "cannot be judged" + judged;
        };
    }

    static Object answer(GateAnswer answer) {
        return object(
                "target", answer.target().label(),
                "release", answer.target().release(),
                "safe", answer.word().id(),
                "modules", answer.verdicts().size(),
                "refused", answer.names(Outcome.INCOMPATIBLE),
                "undetermined", answer.names(Outcome.UNDETERMINED),
                "missing", list(answer.missing(), GateText::missing),
                "ignored", list(answer.ignored(), GateText::ignored),
                "breaks", Verdicts.broken(answer.verdicts()),
                "obstacles", list(answer.obstacles(), GateText::obstacle));
    }

    private static Object obstacle(GateAnswer.BootObstacle obstacle) {
        return object(
                "safe", obstacle.word().id(),
                "reason", obstacle.reason(),
                "next", obstacle.next().isEmpty() ? null : obstacle.next());
    }

    private static Object ignored(GateAnswer.Ignored module) {
        return object("module", module.name(), "rule", module.rule());
    }

    private static Object missing(GateAnswer.MissingModule module) {
        return object("module", module.name(), "judged", module.judged());
    }
}
