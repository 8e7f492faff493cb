package dev.weaklink.cli;

import dev.weaklink.check.CheckRequest;
import dev.weaklink.check.result.ExitCode;
import dev.weaklink.hold.Hold;
import dev.weaklink.hold.HoldRun;
import dev.weaklink.links.LinkManager;
import dev.weaklink.links.PlanRequest;
import dev.weaklink.links.plan.RebuildGroup;
import dev.weaklink.rebuild.Trial;
import dev.weaklink.rebuild.Trial.TrialResult;
import dev.weaklink.rebuild.report.TrialText;
import dev.weaklink.rebuild.run.CommandTrials;
import dev.weaklink.rebuild.run.RebuildPlanner;
import dev.weaklink.rebuild.run.RebuildRequest;
import dev.weaklink.rebuild.run.SiteSettings;
import dev.weaklink.rebuild.run.SourceTrials;
import dev.weaklink.rebuild.run.TrialRun;
import dev.weaklink.report.TableOptions;
import dev.weaklink.sys.NotDoneException;
import dev.weaklink.sys.Root;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.ParseResult;

/** {@code weaklink rebuild --try}: builds in a temporary directory and installs nothing. */
final class RebuildTrial {
    private final ParseResult parsed;
    private final Console console;
    private final TableOptions table;
    private boolean hasUntriedKernel;

    RebuildTrial(ParseResult parsed, Console console) {
        this.parsed = parsed;
        this.console = console;
        this.table = ColorChoice.table(parsed, console, false);
    }

    /**
     * Runs the trials and prints their results.
     *
     * @param kernels releases, headers directories, or packages of headers; if empty, the installed kernels for which
     *     DKMS should rebuild modules, and the offered kernels with trial builds
     * @param products DKMS packages; empty for all
     * @return 0 if all modules would load, 1 if something does not build or would be refused, 2 if no kernel could be
     *     tried, 3 if something could not be tried or no kernel needs a trial
     */
    int run(List<String> kernels, List<String> products, Duration limit) throws IOException, NotDoneException {
        if (Options.root(parsed) != null) {
            throw new UsageException("--try builds on the running system; --root is not supported");
        }
        TrialRun trials = new TrialRun(
                new RebuildMessages(console, Options.isSet(parsed, Options.VERBOSE)),
                limit,
                console.environment(),
                Options.jobs(parsed));
        List<Trial> results = new ArrayList<>();
        for (Map.Entry<List<String>, List<String>> one :
                wanted(kernels, products).entrySet()) {
            add(results, () -> trials.run(one.getKey(), one.getValue()));
        }
        for (Hold.KernelDecision kernel : kernels.isEmpty() ? offered() : List.<Hold.KernelDecision>of()) {
            results.addAll(offered(kernel, products, trials));
        }
        if (results.isEmpty() && !hasUntriedKernel) {
            console.message("nothing to try: no kernel needs a rebuild of the DKMS packages; to try a kernel, name it"
                    + " with --kernel");
            return ExitCode.UNDETERMINED.number();
        }
        return printed(results).number();
    }

    private interface KernelTrial {
        List<Trial> run() throws IOException, NotDoneException;
    }

    /**
     * Adds the results for one kernel. If nothing can be tried for the kernel, prints the reason instead of failing, so
     * that the other kernels are tried.
     */
    private void add(List<Trial> results, KernelTrial kernel) throws IOException {
        try {
            results.addAll(kernel.run());
        } catch (NotDoneException e) {
            console.message(String.valueOf(e.getMessage()));
            hasUntriedKernel = true;
        }
    }

    private ExitCode printed(List<Trial> results) throws IOException {
        if (results.isEmpty()) {
            return ExitCode.UNUSABLE;
        }
        console.print(new TrialText(table).kernel(results).text());
        ExitCode code = code(results);
        return hasUntriedKernel && code == ExitCode.COMPATIBLE ? ExitCode.UNDETERMINED : code;
    }

    /**
     * Builds a driver from its source directory for many kernels, and prints the kernels on which the driver would
     * load.
     *
     * @return 0 if the driver would load on every kernel, 1 if it does not build for a kernel or would be refused, 3 if
     *     something could not be tried
     */
    int source(Path source, List<String> kernels, Duration limit) throws IOException, NotDoneException {
        if (Options.root(parsed) != null || kernels.isEmpty()) {
            throw new UsageException(
                    kernels.isEmpty()
                            ? "--source DIR needs --kernel: a release, a headers directory, or packages of headers"
                            : "--try builds on the running system; --root is not supported");
        }
        RebuildMessages messages = new RebuildMessages(console, Options.isSet(parsed, Options.VERBOSE));
        List<SourceTrials.SourceTrial> trials = new SourceTrials(
                        messages, limit, console.environment(), Options.jobs(parsed))
                .run(source, HeaderFiles.of(kernels));
        console.print(new TrialText(table).source(trials).text());
        return code(trials.stream().map(SourceTrials.SourceTrial::trial).toList())
                .number();
    }

    /**
     * Builds with an installation image of Mellanox or a command of the site for each kernel, and prints the results.
     *
     * @return the exit status, as {@link #run} returns it
     */
    int command(RebuildRequest request, List<String> kernels, Duration limit) throws IOException, NotDoneException {
        if (Options.root(parsed) != null || kernels.isEmpty()) {
            throw new UsageException(
                    kernels.isEmpty()
                            ? "--try with --bundle or --backend needs --kernel: a release, a headers directory, or"
                                    + " packages of headers"
                            : "--try builds on the running system; --root is not supported");
        }
        CommandTrials trials =
                new CommandTrials(new RebuildMessages(console, Options.isSet(parsed, Options.VERBOSE)), limit);
        List<Trial> results = new ArrayList<>();
        for (List<String> kernel : HeaderFiles.of(kernels)) {
            add(results, () -> List.of(trials.run(request, kernel)));
        }
        return printed(results).number();
    }

    private Map<List<String>, List<String>> wanted(List<String> kernels, List<String> products) throws IOException {
        Map<List<String>, List<String>> wanted = new LinkedHashMap<>();
        HeaderFiles.of(kernels).forEach(one -> wanted.put(one, products));
        return wanted.isEmpty() ? planned(products) : wanted;
    }

    private Map<List<String>, List<String>> planned(List<String> products) throws IOException {
        PlanRequest request = new PlanRequest(null, List.of(), ReadingOptions.of(parsed, console, null));
        Map<List<String>, List<String>> wanted = new LinkedHashMap<>();
        for (RebuildGroup group : RebuildPlanner.groups(new LinkManager().plan(request))) {
            if (!group.backend().equals("dkms")) {
                console.message(group.kernel() + ": " + String.join(", ", group.units()) + ": "
                        + CommandTrials.advice(group.backend(), group.kernel(), group.product()));
                continue;
            }
            for (String label : group.packages()) {
                String name = label.substring(0, label.indexOf('/'));
                if (products.isEmpty() || products.contains(label) || products.contains(name)) {
                    wanted.computeIfAbsent(List.of(group.kernel()), kernel -> new ArrayList<>())
                            .add(label);
                }
            }
        }
        return wanted;
    }

    private List<Hold.KernelDecision> offered() throws IOException, NotDoneException {
        SiteSettings site = SiteSettings.read(Root.of(null), console.environment());
        if (!site.hold() || !site.trials()) {
            return List.of();
        }
        CheckRequest request = new CheckRequest(
                null,
                List.of(),
                List.of(),
                null,
                false,
                Map.of(),
                List.of(),
                ReadingOptions.of(parsed, console, null),
                InputStream.nullInputStream());
        List<Hold.KernelDecision> kernels = new ArrayList<>();
        try {
            HoldRun run = new HoldRun(request, console.environment());
            kernels.addAll(run.run(true, holder -> {}).hold().kernels());
        } catch (NotDoneException e) {
            console.message(String.valueOf(e.getMessage()));
        }
        kernels.removeIf(kernel -> kernel.trials().isEmpty());
        return kernels;
    }

    private static List<Trial> offered(Hold.KernelDecision kernel, List<String> products, TrialRun trials)
            throws IOException, NotDoneException {
        List<Trial> kept = new ArrayList<>();
        List<String> labels = new ArrayList<>();
        for (Hold.TrialAnswer answer : kernel.trials()) {
            if (products.isEmpty() || products.contains(answer.product()) || products.contains(answer.name())) {
                Trial trial = answer.trial();
                labels.add(answer.product());
                if (trial != null && trial.result() != TrialResult.NOT_TRIED) {
                    kept.add(trial);
                }
            }
        }
        List<Trial> results = new ArrayList<>(
                kept.size() == labels.size() ? kept : trials.run(kernel.answer().kernel(), labels));
        for (Hold.TrialAnswer answer : kernel.trials()) {
            Hold.NewerSource newer = answer.newer();
            if (newer != null && labels.contains(answer.product()) && answer.isDue() && fails(results, answer)) {
                results.add(trials.run(kernel.answer().kernel(), answer.product(), newer.offered()));
            }
        }
        return results;
    }

    private static boolean fails(List<Trial> results, Hold.TrialAnswer answer) {
        return results.stream()
                .anyMatch(one ->
                        one.product().equals(answer.product()) && one.result().isFailure());
    }

    private static ExitCode code(List<Trial> results) {
        boolean untried = false;
        for (Trial trial : results) {
            if (trial.result() == TrialResult.DOES_NOT_COMPILE || trial.result() == TrialResult.WOULD_BE_REFUSED) {
                return ExitCode.INCOMPATIBLE;
            }
            untried |= trial.result() == TrialResult.NOT_TRIED;
        }
        return untried ? ExitCode.UNDETERMINED : ExitCode.COMPATIBLE;
    }
}
