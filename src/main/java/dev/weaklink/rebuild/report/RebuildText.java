package dev.weaklink.rebuild.report;

import dev.weaklink.check.result.CheckReport;
import dev.weaklink.check.result.Tally;
import dev.weaklink.check.result.VerdictReason;
import dev.weaklink.links.plan.RebuildGroup;
import dev.weaklink.links.report.PlanTable;
import dev.weaklink.links.transaction.PathChange;
import dev.weaklink.loader.Outcome;
import dev.weaklink.loader.Verdict;
import dev.weaklink.rebuild.Diagnosis;
import dev.weaklink.rebuild.Manifest.PackageResult;
import dev.weaklink.rebuild.OpenWrtPackages;
import dev.weaklink.rebuild.Preflight.Obstacle;
import dev.weaklink.rebuild.Step;
import dev.weaklink.rebuild.run.AfterInstallation.SetDifference;
import dev.weaklink.rebuild.run.KeptRun;
import dev.weaklink.rebuild.run.PreparedRebuild;
import dev.weaklink.rebuild.run.RebuildPlanner.PlannedRebuild;
import dev.weaklink.report.Page;
import dev.weaklink.report.Style;
import dev.weaklink.report.TableOptions;
import dev.weaklink.sys.Escape;
import dev.weaklink.sys.Numbers;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;

public final class RebuildText {
    private final Page page;

    public RebuildText(TableOptions options) {
        this(new Page(options));
    }

    RebuildText(Page page) {
        this.page = page;
    }

    public String text() {
        return page.text();
    }

    public RebuildText heading(String kernel, String what, String reason) {
        page.line(page.styled(Style.HEADING, Escape.text(kernel)) + ": " + what + " (" + Escape.text(reason) + ")");
        return this;
    }

    public RebuildText prepared(PreparedRebuild prepared, boolean steps) {
        heading(prepared.job().place().kernel(), prepared.backend().id(), prepared.reason());
        obstacles(prepared.obstacles());
        return steps ? steps(prepared) : this;
    }

    RebuildText planned(PlannedRebuild planned) {
        PreparedRebuild prepared = planned.prepared();
        KeptRun kept = planned.kept();
        String reason = prepared == null ? planned.group().reason() : prepared.reason();
        PlanTable.rebuild(page, planned.group(), reason);
        if (kept != null) {
            return facts("already built", List.of(kept.directory().toString()));
        }
        return prepared == null
                ? facts("blocked by", List.of(planned.refusal()))
                : obstacles(prepared.obstacles()).steps(prepared);
    }

    public RebuildText why(List<RebuildGroup> groups) {
        for (RebuildGroup group : groups) {
            String units = Escape.text(String.join(", ", group.units()));
            String why = group.why().isEmpty() ? group.cause() : group.why();
            page.sentence(2, "why:", units + ": " + Escape.text(why));
        }
        if (groups.isEmpty()) {
            page.sentence(2, "why:", "no module that this build system builds needs a rebuild for this kernel");
        }
        return this;
    }

    private RebuildText obstacles(List<Obstacle> obstacles) {
        if (obstacles.isEmpty()) {
            page.line("  no problems found");
        }
        for (Obstacle obstacle : obstacles) {
            boolean blocks = obstacle.weight() == Obstacle.Weight.BLOCKS;
            page.line("  "
                    + page.styled(
                            blocks ? Style.BAD : Style.UNSURE, obstacle.weight().id())
                    + (blocks ? " " : "  ")
                    + obstacle.id()
                    + ": "
                    + Escape.text(obstacle.message()));
            String remedy = obstacle.remedy();
            if (remedy != null) {
                page.line("         " + Escape.text(remedy));
            }
        }
        return this;
    }

    private RebuildText steps(PreparedRebuild prepared) {
        page.line("  would run, in " + Escape.text(prepared.job().place().work()) + ":");
        for (Step step : prepared.steps()) {
            page.line("    " + Escape.text(step.commandLine()));
        }
        return this;
    }

    /**
     * Adds the built modules with the loader's verdicts.
     *
     * @param unsigned the names of modules without a signature; empty if there are none or signatures do not matter
     */
    public RebuildText built(String kernel, CheckReport check, List<String> unsigned) {
        Tally tally = check.tally();
        page.line(page.styled(Style.HEADING, Escape.text(kernel))
                + ": "
                + Numbers.of(tally.total(), "module")
                + " built, "
                + tally.compatible()
                + " of which the kernel would load");
        List<Verdict> sorted = new ArrayList<>(check.verdicts());
        sorted.sort(Comparator.comparing(verdict -> verdict.module().origin().moduleName()));
        for (Verdict verdict : sorted) {
            Style style = switch (verdict.outcome()) {
                case COMPATIBLE -> Style.GOOD;
                case INCOMPATIBLE -> Style.BAD;
                case UNDETERMINED -> Style.UNSURE;
            };
            String name = Escape.bytes(verdict.module().origin().moduleName());
            page.line("  " + page.styled(style, verdict.outcome().name()) + "  " + name);
            if (verdict.outcome() != Outcome.COMPATIBLE || verdict.breaksOthers()) {
                page.sentence(6, "", VerdictReason.ofReplacement(verdict));
            }
        }
        if (!unsigned.isEmpty()) {
            page.sentence(2, "not signed:", Escape.text(String.join(", ", unsigned)));
        }
        return this;
    }

    public RebuildText installed(String kernel, CheckReport check, SetDifference modules) {
        Tally tally = check.tally();
        page.line(page.styled(Style.HEADING, Escape.text(kernel))
                + ": installed; the kernel would load "
                + tally.compatible()
                + " of "
                + Numbers.of(tally.total(), "module"));
        for (Verdict verdict : check.verdicts()) {
            if (verdict.outcome() != Outcome.COMPATIBLE || verdict.breaksOthers()) {
                page.line("  " + verdict.outcome() + "  "
                        + Escape.text(verdict.module().origin().toString()));
                page.sentence(6, "", VerdictReason.ofReplacement(verdict));
            }
        }
        modules.missing().forEach(file -> page.line("  - " + Escape.text(file)));
        modules.replaced().forEach(file -> page.line("  ~ " + Escape.text(file)));
        modules.added().forEach(file -> page.line("  + " + Escape.text(file)));
        return this;
    }

    public RebuildText packages(List<PackageResult> packages) {
        for (PackageResult one : packages) {
            String state = one.state().id().replace('-', ' ').toUpperCase(Locale.ROOT);
            Style style = switch (one.state()) {
                case BUILT -> Style.GOOD;
                case FAILED, SKIPPED -> Style.BAD;
                case NOT_FOR_THIS_KERNEL -> Style.UNSURE;
            };
            page.line("  "
                    + page.styled(style, state)
                    + " ".repeat(Math.max(2, 9 - state.length()))
                    + Escape.text(one.label())
                    + (one.reason().isEmpty() ? "" : ": " + Escape.text(one.reason())));
        }
        return this;
    }

    public RebuildText facts(String title, List<String> values) {
        for (String value : values) {
            page.line("  " + title + ": " + Escape.text(value));
        }
        return this;
    }

    public RebuildText links(List<PathChange> changes) {
        for (PathChange change : changes) {
            if (change.isLink()) {
                String target = change.target();
                page.line((target == null ? "  link removed: " : "  link made: ")
                        + Escape.text(change.path())
                        + (target == null ? "" : " -> " + Escape.text(target)));
            }
        }
        return this;
    }

    public RebuildText failure(String kernel, String backend, Diagnosis diagnosis) {
        page.line(page.styled(Style.HEADING, Escape.text(kernel))
                + ": "
                + backend
                + " "
                + page.styled(Style.BAD, "failed")
                + ": "
                + diagnosis.cause().id());
        if (!diagnosis.line().isEmpty()) {
            page.line("  " + Escape.text(diagnosis.line()));
        }
        if (!diagnosis.file().isEmpty()) {
            page.line("  in " + Escape.text(diagnosis.file()));
        }
        page.line("Next: " + Escape.text(diagnosis.next()));
        return this;
    }

    public RebuildText openWrt(String kernel, OpenWrtPackages packages) {
        page.line(page.styled(Style.HEADING, Escape.text(kernel))
                + ": OpenWrt, package kernel "
                + (packages.kernel().isEmpty() ? "unknown" : Escape.text(packages.kernel())));
        packages.wanted()
                .forEach((name, version) -> page.line("  "
                        + (version.equals(packages.kernel())
                                ? page.styled(Style.UNSURE, "UNDETERMINED") + "  "
                                : page.styled(Style.BAD, "INCOMPATIBLE") + "  ")
                        + Escape.text(name)
                        + (version.equals(packages.kernel())
                                ? ": built for this kernel and configuration; without CRCs, nothing more can be checked"
                                : ": cannot be installed: it depends on kernel " + Escape.text(version))));
        page.line("Next: in the SDK of exactly this OpenWrt release and target (same kernel hash):");
        for (String name : packages.foreign()) {
            page.line("  make package/" + Escape.text(name.replaceFirst("^kmod-", "")) + "/compile V=s");
        }
        if (packages.foreign().isEmpty()) {
            page.line("  make package/NAME/compile V=s");
        }
        page.line("  then install the packages from bin/packages and bin/targets of the SDK");
        return this;
    }
}
