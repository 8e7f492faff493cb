package dev.weaklink.cli;

import dev.weaklink.check.CauseSource;
import dev.weaklink.check.ReadOptions;
import dev.weaklink.check.report.InstallationAdvice;
import dev.weaklink.check.report.ModuleForms;
import dev.weaklink.links.PlanRequest;
import dev.weaklink.links.PlanResult;
import dev.weaklink.links.plan.KernelPlan;
import dev.weaklink.links.plan.RebuildGroup;
import dev.weaklink.links.report.PlanJson;
import dev.weaklink.links.report.PlanResults;
import dev.weaklink.links.report.PlanTable;
import dev.weaklink.rebuild.report.HookReport;
import dev.weaklink.rebuild.report.RebuildJson;
import dev.weaklink.rebuild.report.TrialLines;
import dev.weaklink.rebuild.run.InstallationFailure;
import dev.weaklink.rebuild.run.RebuildPlanner;
import dev.weaklink.rebuild.run.RebuildPlanner.PlannedRebuild;
import dev.weaklink.rebuild.run.SiteSettings;
import dev.weaklink.report.Format;
import dev.weaklink.report.TableOptions;
import dev.weaklink.sys.InputProblem;
import dev.weaklink.sys.NotDoneException;
import dev.weaklink.sys.ShellWord;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

final class PlanOptions {
    private static final String KERNEL = "--kernel";
    private static final String UNITS = "--units";
    static final String OVERRIDE = "--depmod-override";

    private PlanOptions() {}

    static void addKernel(CommandSpec spec) {
        spec.addOption(Options.values("RELEASE", KERNEL));
    }

    static void addTo(CommandSpec spec, List<Format> formats) {
        addKernel(spec);
        Options.addRoot(spec);
        TrustOptions.addTo(spec);
        spec.addOption(CheckCommand.explain());
        OutputForm.addTo(spec, formats);
        spec.addOption(Options.flag(UNITS));
        Options.addColor(spec);
        Options.addVerbose(spec);
        Options.addJobs(spec);
        Options.addNoCache(spec);
    }

    static PlanRequest request(ParseResult parsed, Console console, @Nullable CauseSource causes) {
        return new PlanRequest(
                Options.root(parsed),
                Options.texts(parsed, KERNEL),
                TrustOptions.policy(parsed),
                TrustOptions.certificates(parsed),
                ReadingOptions.of(parsed, console, causes),
                parsed.hasMatchedOption(OVERRIDE),
                parsed.hasMatchedOption(CheckCommand.EXPLAIN));
    }

    /**
     * Prints the problems and writes the plan in the requested format.
     *
     * @param status the exit status, unless the plan could not be written
     * @return the exit status
     */
    static int write(PlanResult result, ParseResult parsed, Console console, int status) throws IOException {
        OutputForm form = OutputForm.of(parsed);
        TableOptions options = form.table(parsed, console, Options.isSet(parsed, Options.VERBOSE));
        tellProblems(result, console);
        return form.write(out -> write(result, form.format(), options, parsed, console, out), console, status);
    }

    static void tellProblems(PlanResult result, Console console) {
        console.report(result.problems());
    }

    private static void write(
            PlanResult result,
            Format format,
            TableOptions options,
            ParseResult parsed,
            Console console,
            OutputStream out)
            throws IOException {
        switch (format) {
            case TABLE -> out.write(bytes(result, options, parsed, console));
            case JSON ->
                PlanJson.write(
                        result.plan(),
                        RebuildJson.rebuilds(
                                RebuildPlanner.groups(result).stream()
                                        .map(PlannedRebuild::of)
                                        .toList(),
                                List.of()),
                        result.problems(),
                        out);
            default -> ModuleForms.write(format, PlanResults.of(result.plan(), result.problems()), out);
        }
    }

    private static byte[] bytes(PlanResult result, TableOptions options, ParseResult parsed, Console console)
            throws IOException {
        String text = "";
        if (Options.isSet(parsed, UNITS)) {
            List<InstallationFailure> failures = new ArrayList<>();
            for (KernelPlan kernel : result.plan().kernels()) {
                failures.add(InstallationFailure.of(kernel.kernel(), result.root()));
            }
            text = HookReport.text(result.plan(), failures, RebuildPlanner.groups(result), result.root())
                    + TrialLines.of(result.plan(), result.root());
        } else if (!result.linkless() && !result.plan().kernels().isEmpty()) {
            List<RebuildGroup> rebuilds = RebuildPlanner.groups(result);
            text = new PlanTable(options, advice(result))
                    .render(
                            result.plan(),
                            rebuilds,
                            rootWords(Options.root(parsed)),
                            words(parsed),
                            !InputProblem.matter(result.problems()),
                            isRebuildable(result, rebuilds, parsed, console));
        }
        return text.getBytes(StandardCharsets.UTF_8);
    }

    static Map<String, InstallationAdvice> advice(PlanResult result) {
        Map<String, InstallationAdvice> advice = new HashMap<>();
        for (KernelPlan kernel : result.plan().kernels()) {
            if (kernel.modules().stream().anyMatch(module -> !module.isServed())) {
                advice.put(kernel.kernel(), InstallationFailure.advice(kernel.kernel(), result.root()));
            }
        }
        return advice;
    }

    /** Returns whether {@code apply --rebuild} has everything that it needs to start at least one rebuild. */
    private static boolean isRebuildable(
            PlanResult result, List<RebuildGroup> rebuilds, ParseResult parsed, Console console) throws IOException {
        if (rebuilds.isEmpty()) {
            return false;
        }
        try {
            Map<String, String> environment = console.environment();
            SiteSettings site = SiteSettings.read(result.root(), environment);
            PlanRequest request = new PlanRequest(Options.root(parsed), List.of(), ReadOptions.uncached(1));
            RebuildPlanner planner = new RebuildPlanner(request, site, null, environment);
            return rebuilds.stream().anyMatch(planner::canBePrepared);
        } catch (NotDoneException e) {
            console.message(String.valueOf(e.getMessage()));
            return false;
        }
    }

    static String title(String command, ParseResult parsed) {
        boolean overrides = parsed.hasMatchedOption(OVERRIDE);
        return "weaklink " + command + (overrides ? " " + OVERRIDE : "") + words(parsed);
    }

    static String words(ParseResult parsed) {
        StringBuilder words = new StringBuilder();
        for (String kernel : Options.texts(parsed, KERNEL)) {
            words.append(" --kernel ").append(ShellWord.of(kernel));
        }
        return words + TrustOptions.words(parsed) + rootWords(Options.root(parsed));
    }

    static String decision(PlanResult result, String more, ParseResult parsed, TableOptions options) {
        return new PlanTable(options, advice(result))
                .decision(result.plan(), more + words(parsed), !InputProblem.matter(result.problems()));
    }

    static String rootWords(@Nullable Path root) {
        return root == null ? "" : " --root " + ShellWord.of(root.toString());
    }

    static boolean isByUnit(ParseResult parsed) {
        return Options.isSet(parsed, UNITS);
    }

    static boolean isVerbose(ParseResult parsed) {
        return Options.isSet(parsed, Options.VERBOSE);
    }

    static boolean isQuiet(ParseResult parsed) {
        return Options.isSet(parsed, Options.QUIET);
    }

    static boolean isForPeople(ParseResult parsed) {
        return !Options.isSet(parsed, Options.QUIET) && OutputForm.of(parsed).format() == Format.TABLE;
    }
}
