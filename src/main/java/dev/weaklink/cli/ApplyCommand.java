package dev.weaklink.cli;

import dev.weaklink.check.CauseSource;
import dev.weaklink.check.result.ExitCode;
import dev.weaklink.links.LinkChanges;
import dev.weaklink.links.LinkChanges.AppliedPlan;
import dev.weaklink.links.LinkManager;
import dev.weaklink.links.PlanRequest;
import dev.weaklink.links.PlanResult;
import dev.weaklink.links.report.PlanJson;
import dev.weaklink.links.transaction.TransactionOutcome;
import dev.weaklink.links.transaction.TransactionSettings;
import dev.weaklink.rebuild.report.ApplyText;
import dev.weaklink.rebuild.report.RebuildJson;
import dev.weaklink.rebuild.report.RebuildText;
import dev.weaklink.rebuild.run.RebuildPlanner;
import dev.weaklink.rebuild.run.RebuildPlanner.PlannedRebuild;
import dev.weaklink.rebuild.run.RebuildingApply;
import dev.weaklink.rebuild.run.RebuildingApply.RebuildResult;
import dev.weaklink.rebuild.run.RebuildingApply.RebuildResult.RebuildState;
import dev.weaklink.rebuild.run.SiteSettings;
import dev.weaklink.report.Format;
import dev.weaklink.report.TableOptions;
import dev.weaklink.sys.NotDoneException;
import dev.weaklink.sys.Root;
import dev.weaklink.sys.RootText;
import dev.weaklink.sys.ShellWord;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

final class ApplyCommand implements Command {
    private final TransactionSettings transactions;
    private final CauseSource causes;

    ApplyCommand(TransactionSettings transactions, CauseSource causes) {
        this.transactions = transactions;
        this.causes = causes;
    }

    private static final String DRY_RUN = "--dry-run";

    @Override
    public void declare(CommandSpec spec) {
        spec.addOption(Options.flag(DRY_RUN));
        spec.addOption(Options.flag(PlanOptions.OVERRIDE));
        spec.addOption(Options.flag(ApplyRebuild.REBUILD));
        spec.addOption(Options.value("PATH", ApplyRebuild.BUNDLE));
        Options.addNoInitramfs(spec);
        PlanOptions.addTo(spec, List.of(Format.TABLE, Format.JSON));
    }

    @Override
    public int run(ParseResult parsed, Console console) throws IOException {
        PlanRequest request = PlanOptions.request(parsed, console, causes);
        if (Options.isSet(parsed, ApplyRebuild.REBUILD)) {
            return new ApplyRebuild(request, parsed, console, transactions).run(Options.isSet(parsed, DRY_RUN));
        }
        if (Options.text(parsed, ApplyRebuild.BUNDLE) != null) {
            throw new UsageException("--bundle needs --rebuild");
        }
        if (Options.isSet(parsed, DRY_RUN)) {
            PlanResult result = new LinkManager().plan(request);
            return PlanOptions.write(result, parsed, console, result.exitCode().number());
        }
        try {
            AppliedPlan applied = new LinkChanges(transactions)
                    .apply(
                            request,
                            PlanOptions.title("apply", parsed),
                            !Options.isSet(parsed, Options.NO_INITRAMFS),
                            new TransactionMessages(console));
            request.reading().cache().save();
            return report(applied, request, parsed, console);
        } catch (NotDoneException e) {
            return TransactionMessages.failed(e, console).number();
        }
    }

    private static int report(AppliedPlan applied, PlanRequest request, ParseResult parsed, Console console)
            throws IOException {
        TransactionOutcome outcome = applied.outcome();
        PlanResult now = outcome.isNothing() ? applied.planned() : new LinkManager().plan(request);
        boolean forPeople = PlanOptions.isForPeople(parsed);
        if (forPeople && !PlanOptions.isByUnit(parsed)) {
            TransactionMessages.write(applied.recovered(), console);
            TransactionMessages.write(outcome, console);
        }
        ExitCode code = outcome.initramfsFailures().isEmpty() ? now.exitCode() : ExitCode.BROKEN;
        PlanResult shown = forPeople ? now : applied.planned();
        int status = PlanOptions.write(shown, parsed, console, code.number());
        console.out().flush();
        TransactionMessages.report(outcome, forPeople, Options.root(parsed), console);
        return status;
    }

    /** {@code weaklink apply --rebuild}: links the builds that fit, and rebuilds the other modules. */
    private static final class ApplyRebuild {
        static final String REBUILD = "--rebuild";
        static final String BUNDLE = "--bundle";

        private final PlanRequest request;
        private final ParseResult parsed;
        private final Console console;
        private final TransactionSettings transactions;
        private final OutputForm form;
        private final TableOptions table;

        ApplyRebuild(PlanRequest request, ParseResult parsed, Console console, TransactionSettings transactions) {
            this.request = request;
            this.parsed = parsed;
            this.console = console;
            this.transactions = transactions;
            this.form = OutputForm.of(parsed);
            this.table = form.table(parsed, console, PlanOptions.isVerbose(parsed));
            if (form.file().file() != null && form.format() == Format.TABLE) {
                throw new UsageException("--output with --rebuild needs --format json");
            }
        }

        int run(boolean dry) throws IOException {
            Path top = Options.root(parsed);
            try {
                SiteSettings site = SiteSettings.read(Root.of(top), console.environment());
                RebuildPlanner planner =
                        new RebuildPlanner(request, site, Options.path(parsed, BUNDLE), console.environment());
                return dry ? show(planner) : carryOut(planner);
            } catch (NotDoneException e) {
                console.message(String.valueOf(e.getMessage()));
                return ExitCode.UNUSABLE.number();
            }
        }

        private String bundleWords() {
            String given = Options.text(parsed, BUNDLE);
            return given == null ? "" : " " + BUNDLE + " " + ShellWord.of(given);
        }

        private int show(RebuildPlanner planner) throws IOException {
            PlanResult result = new LinkManager().plan(request);
            boolean forPeople = PlanOptions.isForPeople(parsed);
            if (PlanOptions.isQuiet(parsed) || forPeople && PlanOptions.isByUnit(parsed)) {
                return PlanOptions.write(
                        result, parsed, console, result.exitCode().number());
            }
            PlanOptions.tellProblems(result, console);
            List<PlannedRebuild> rebuilds = planner.plan(result);
            if (!forPeople) {
                return form.write(
                        out -> PlanJson.write(
                                result.plan(), RebuildJson.rebuilds(rebuilds, List.of()), result.problems(), out),
                        console,
                        result.exitCode().number());
            }
            preview(result, rebuilds);
            boolean starts = rebuilds.stream().anyMatch(one -> one.refusal().isEmpty());
            if (starts) {
                console.print("\n" + PlanOptions.decision(result, bundleWords(), parsed, table));
            }
            return result.exitCode().number();
        }

        private int carryOut(RebuildPlanner planner) throws IOException {
            RebuildingApply.Listeners listeners = new RebuildingApply.Listeners(
                    new Shown(),
                    new RebuildMessages(console, PlanOptions.isVerbose(parsed)),
                    new TransactionMessages(console));
            try {
                RebuildingApply.Done done = new RebuildingApply(request, planner, transactions)
                        .run(
                                PlanOptions.title("apply " + REBUILD + bundleWords(), parsed),
                                !Options.isSet(parsed, Options.NO_INITRAMFS),
                                listeners,
                                VersionCommand.NUMBER);
                if (done == null) {
                    return ExitCode.ROLLED_BACK
                            .number(); // the listener has reported that another process holds the lock
                }
                return report(done);
            } catch (NotDoneException e) {
                return TransactionMessages.failed(e, console).number();
            }
        }

        private final class Shown implements RebuildingApply.Stages {
            @Override
            public void planned(PlanResult plan, List<PlannedRebuild> rebuilds) throws IOException {
                if (!PlanOptions.isByUnit(parsed) && PlanOptions.isForPeople(parsed)) {
                    preview(plan, rebuilds);
                }
            }

            @Override
            public void linked(AppliedPlan applied) throws IOException {
                if (PlanOptions.isForPeople(parsed)) {
                    console.print(PlanOptions.isByUnit(parsed) ? "" : "\n");
                    TransactionMessages.write(applied.recovered(), console);
                    TransactionMessages.write(applied.outcome(), console);
                    console.out().flush();
                }
            }
        }

        private void preview(PlanResult result, List<PlannedRebuild> rebuilds) throws IOException {
            console.print(new ApplyText(table).preview(result.plan(), rebuilds, PlanOptions.advice(result)));
            console.out().flush();
        }

        private int report(RebuildingApply.Done done) throws IOException {
            PlanOptions.tellProblems(done.now(), console);
            ExitCode code = done.isBroken() ? ExitCode.BROKEN : done.now().exitCode();
            boolean forPeople = PlanOptions.isForPeople(parsed);
            int status = code.number();
            if (forPeople) {
                TransactionMessages.write(done.outcome(), console);
                console.print(new ApplyText(table).renderUnits(done.now().plan(), done.rebuilds()));
                console.print(new RebuildText(table)
                        .facts("initramfs", initramfs(done))
                        .text());
                console.print(conclusion(done));
                if (!done.loading().isEmpty()) {
                    console.print("Next: " + done.loading() + "\n");
                }
            } else if (!PlanOptions.isQuiet(parsed)) {
                List<PlannedRebuild> groups = done.rebuilds().stream()
                        .map(RebuildResult::group)
                        .map(PlannedRebuild::of)
                        .toList();
                PlanResult planned = done.first().planned();
                status = form.write(
                        out -> PlanJson.write(
                                planned.plan(), RebuildJson.rebuilds(groups, done.rebuilds()), planned.problems(), out),
                        console,
                        status);
            }
            console.out().flush();
            for (TransactionOutcome one : List.of(done.first().outcome(), done.outcome())) {
                boolean isLast = one == done.outcome() || done.outcome().number() == 0;
                TransactionMessages.report(one, forPeople && isLast, Options.root(parsed), console);
            }
            return status;
        }

        private String conclusion(RebuildingApply.Done done) throws IOException {
            boolean isFine = done.rebuilds().stream()
                    .allMatch(one -> one.state() == RebuildState.INSTALLED || one.state() == RebuildState.NOT_NEEDED);
            if (isFine) {
                return "";
            }
            Root root = done.now().root();
            PlanRequest all = new PlanRequest(request.root(), List.of(), request.reading());
            String running = root.isHost() ? new RootText(root).runningKernel() : "";
            return new ApplyText(table).conclusion(new LinkManager().plan(all).plan(), done.rebuilds(), running);
        }

        private List<String> initramfs(RebuildingApply.Done done) {
            return Options.isSet(parsed, Options.NO_INITRAMFS) ? done.initramfs() : List.of();
        }
    }
}
