package dev.weaklink.cli;

import dev.weaklink.check.CheckRequest;
import dev.weaklink.check.KernelMatrix;
import dev.weaklink.check.report.CheckJson;
import dev.weaklink.check.report.CheckTable;
import dev.weaklink.check.report.MatrixForms;
import dev.weaklink.check.report.ModuleForms;
import dev.weaklink.check.report.ModuleResults;
import dev.weaklink.check.result.CheckReport;
import dev.weaklink.check.result.MatrixReport;
import dev.weaklink.format.codec.Limits;
import dev.weaklink.format.codec.Streams;
import dev.weaklink.loader.Outcome;
import dev.weaklink.rebuild.report.PreflightJson;
import dev.weaklink.report.Format;
import dev.weaklink.report.TableOptions;
import dev.weaklink.rules.KernelRequirements;
import dev.weaklink.rules.yaml.RulesReader;
import dev.weaklink.rules.yaml.RulesReader.RuleProblem;
import dev.weaklink.sys.InputProblem;
import dev.weaklink.sys.IoReason;
import dev.weaklink.sys.Progress;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;

/** {@code weaklink check}: will modules load on that kernel, and if not, why? */
final class CheckCommand implements Command {
    static final String ALONE = "--alone";
    static final String BEST = "--best";
    static final String USERSPACE = "--userspace";
    static final String UNITS = "--units";
    static final String EXPLAIN = "--explain";
    private static final List<Format> FORMATS = List.of(
            Format.TABLE,
            Format.JSON,
            Format.NDJSON,
            Format.CSV,
            Format.MARKDOWN,
            Format.JUNIT,
            Format.HTML,
            Format.PREFLIGHT);

    private final BiFunction<CheckRequest, Progress, CheckReport> checker;
    private final Command inUse;
    private final Command best;
    private final Command libraries;

    /** With what it does where no module is named, with {@code --best}, and with {@code --userspace}. */
    CheckCommand(
            BiFunction<CheckRequest, Progress, CheckReport> checker, Command inUse, Command best, Command libraries) {
        this.checker = checker;
        this.inUse = inUse;
        this.best = best;
        this.libraries = libraries;
    }

    @Override
    public void declare(CommandSpec spec) {
        spec.addPositional(Options.operands("MODULE"));
        spec.addOption(Options.values("K", KernelOption.KERNEL));
        Options.addRoot(spec);
        spec.addOption(Options.value("DIR", Options.STORE));
        spec.addOption(Options.flag(BEST));
        spec.addOption(Options.flag(ALONE));
        spec.addOption(explain());
        spec.addOption(Options.value("FILE", MatrixCheck.REQUIRES));
        spec.addOption(Options.value("FILE", MatrixCheck.BASELINE));
        spec.addOption(Options.flag(USERSPACE));
        spec.addOption(Options.flag(UNITS));
        LoaderOverrides.addTo(spec);
        TrustOptions.addTo(spec);
        Options.addJobs(spec);
        Options.addNoCache(spec);
        OutputForm.addTo(spec, FORMATS);
        Options.addColor(spec);
        Options.addVerbose(spec);
    }

    /** To ask for causes. */
    static OptionSpec explain() {
        return Options.flag(EXPLAIN);
    }

    @Override
    public int run(ParseResult parsed, Console console) throws IOException {
        Command other = other(parsed);
        return other == null ? given(parsed, console) : other.run(parsed, console);
    }

    /** What else is asked for; null for the modules that are named. */
    private @Nullable Command other(ParseResult parsed) {
        boolean named = !Options.names(parsed).isEmpty();
        if (Options.isSet(parsed, USERSPACE)) {
            if (named || !KernelOption.kernels(parsed).isEmpty()) {
                throw new UsageException(USERSPACE + " looks at libraries; it takes no module or kernel");
            }
            return libraries;
        }
        if (named && Options.isSet(parsed, UNITS)) {
            throw new UsageException(UNITS + " is for the modules in use; name none");
        }
        if (MatrixCheck.isWanted(parsed)) {
            if (Options.isSet(parsed, BEST)) {
                throw new UsageException(BEST + " takes one kernel, by its name in 'weaklink store list'");
            } else if (!named) {
                throw new UsageException("store:PATTERN takes builds: weaklink check BUILD --kernel 'store:PATTERN'");
            }
            return new MatrixCheck();
        }
        for (String option : List.of(MatrixCheck.REQUIRES, MatrixCheck.BASELINE)) {
            if (Options.text(parsed, option) != null) {
                throw new UsageException(option + " takes builds, and --kernel 'store:PATTERN'");
            }
        }
        if (Options.isSet(parsed, BEST)) {
            if (!named) {
                throw new UsageException(BEST + " takes packages, or directories of them: --best DIR");
            }
            return best;
        }
        return named ? null : inUse;
    }

    /** Checks the modules that are named. */
    private int given(ParseResult parsed, Console console) throws IOException {
        OutputForm form = OutputForm.of(parsed);
        if (form.format() == Format.HTML) {
            throw new UsageException("--format html is for --kernel 'store:PATTERN'");
        }
        TableOptions options = form.table(parsed, console, Options.isSet(parsed, Options.VERBOSE));
        boolean quiet = Options.isSet(parsed, Options.QUIET);
        CheckRequest request = KernelOption.request(parsed, console);
        CheckReport report = check(request, console, quiet);
        boolean table = form.format() == Format.TABLE && !quiet;
        complain(table ? report.problemsBesidesVerdicts() : report.problems(), report, console);
        int status = report.exitCode().number();
        int threads = request.reading().threads();
        status = form.write(out -> write(report, form.format(), options, threads, out), console, status);
        request.reading().cache().save();
        return status;
    }

    private CheckReport check(CheckRequest request, Console console, boolean quiet) {
        Progress progress = quiet ? Progress.NONE : TerminalProgress.on(console);
        try {
            return checker.apply(request, progress);
        } finally {
            progress.done();
        }
    }

    private static void complain(List<InputProblem> problems, CheckReport report, Console console) {
        for (InputProblem problem : problems) {
            String subject = problem.subject().isEmpty() ? "''" : problem.subject();
            console.message(subject + ": " + problem.message());
        }
        if (report.verdicts().isEmpty() && problems.isEmpty()) {
            console.message("no module was found, so nothing was checked; name module files");
        }
    }

    private static void write(CheckReport report, Format format, TableOptions options, int threads, OutputStream out)
            throws IOException {
        switch (format) {
            case TABLE -> out.write(new CheckTable(options).render(report).getBytes(StandardCharsets.UTF_8));
            case JSON -> CheckJson.writeDocument(report, null, out);
            case NDJSON -> CheckJson.writeLines(report, null, out, threads);
            case PREFLIGHT -> PreflightJson.write(report, out);
            default -> ModuleForms.write(format, ModuleResults.of(report), out);
        }
    }

    /** {@code weaklink check --kernel store:PATTERN}: which builds serve which kernels? */
    private static final class MatrixCheck implements Command {
        static final String REQUIRES = "--requires";
        static final String BASELINE = "--baseline";

        /** Whether kernels of a store are asked for by a pattern. */
        static boolean isWanted(ParseResult parsed) {
            return KernelOption.kernels(parsed).stream().anyMatch(MatrixCheck::isPattern);
        }

        private static boolean isPattern(String kernel) {
            return kernel.startsWith(KernelMatrix.STORE);
        }

        @Override
        public int run(ParseResult parsed, Console console) throws IOException {
            OutputForm form = OutputForm.of(parsed);
            if (List.of(Format.NDJSON, Format.PREFLIGHT).contains(form.format())) {
                throw new UsageException(
                        "--format " + form.format().id() + " is not for kernels of a pattern; use json");
            }
            if (!KernelOption.kernels(parsed).stream().allMatch(MatrixCheck::isPattern)) {
                throw new UsageException(
                        "with store:PATTERN, all kernels are from the store; add others with 'weaklink store add'");
            }
            KernelRequirements required = requirements(parsed, console);
            Map<String, Map<String, Outcome>> earlier = earlier(parsed);
            boolean quiet = Options.isSet(parsed, Options.QUIET);
            TableOptions options = form.table(parsed, console, Options.isSet(parsed, Options.VERBOSE));
            CheckRequest request = KernelOption.request(parsed, console);
            Progress progress = quiet ? Progress.NONE : TerminalProgress.on(console);
            MatrixReport judged;
            try {
                judged = KernelMatrix.of(request, progress);
            } finally {
                progress.done();
            }
            MatrixReport compared = earlier == null ? judged : judged.since(earlier);
            MatrixReport report = required == null ? compared : compared.requiring(required);
            console.report(report.problems());
            int status = report.exitCode().number();
            status = form.write(out -> MatrixForms.write(report, form.format(), options, out), console, status);
            request.reading().cache().save();
            return status;
        }

        private static @Nullable KernelRequirements requirements(ParseResult parsed, Console console) {
            String file = Options.text(parsed, REQUIRES);
            if (file == null) {
                return null;
            }
            List<RuleProblem> problems = new ArrayList<>();
            KernelRequirements read = RulesReader.requirements(Path.of(file), problems);
            if (read == null) {
                problems.subList(1, problems.size()).forEach(more -> console.message(more.toString()));
                throw new UsageException(REQUIRES + " " + problems.get(0));
            }
            return read;
        }

        private static @Nullable Map<String, Map<String, Outcome>> earlier(ParseResult parsed) {
            String file = Options.text(parsed, BASELINE);
            if (file == null) {
                return null;
            }
            try (InputStream in = new BufferedInputStream(Streams.open(Path.of(file), Limits.DEFAULT))) {
                return MatrixForms.read(in);
            } catch (IOException e) {
                throw new UsageException(file + ": " + IoReason.of(e));
            }
        }
    }
}
