package dev.weaklink.cli;

import dev.weaklink.check.CauseSource;
import dev.weaklink.check.CheckRequest;
import dev.weaklink.check.report.CheckJson;
import dev.weaklink.check.report.CheckTable;
import dev.weaklink.check.report.ModuleForms;
import dev.weaklink.check.report.ModuleResults;
import dev.weaklink.check.report.PreflightJson;
import dev.weaklink.check.result.CheckReport;
import dev.weaklink.report.Format;
import dev.weaklink.report.TableOptions;
import dev.weaklink.sys.InputProblem;
import dev.weaklink.sys.Progress;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.BiFunction;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;

final class CheckCommand implements Command {
    static final String ALONE = "--alone";
    static final String USERSPACE = "--userspace";
    static final String UNITS = "--units";
    static final String EXPLAIN = "--explain";

    /** The prefix that once marked the name of a stored kernel. {@code weaklink check} now refuses this prefix. */
    private static final String STORED = "store:";

    private static final List<Format> FORMATS = List.of(
            Format.TABLE, Format.JSON, Format.NDJSON, Format.CSV, Format.MARKDOWN, Format.JUNIT, Format.PREFLIGHT);

    private final BiFunction<CheckRequest, Progress, CheckReport> checker;
    private final Command inUse;
    private final Command libraries;
    private final CauseSource causes;

    CheckCommand(
            BiFunction<CheckRequest, Progress, CheckReport> checker,
            Command inUse,
            Command libraries,
            CauseSource causes) {
        this.checker = checker;
        this.inUse = inUse;
        this.libraries = libraries;
        this.causes = causes;
    }

    @Override
    public void declare(CommandSpec spec) {
        spec.addPositional(Options.operands("MODULE"));
        spec.addOption(Options.values("K", KernelOption.KERNEL));
        Options.addRoot(spec);
        spec.addOption(Options.value("DIR", Options.STORE));
        spec.addOption(Options.flag(ALONE));
        spec.addOption(explain());
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

    static OptionSpec explain() {
        return Options.flag(EXPLAIN);
    }

    @Override
    public int run(ParseResult parsed, Console console) throws IOException {
        refuseMoved(parsed);
        boolean named = !Options.names(parsed).isEmpty();
        if (Options.isSet(parsed, USERSPACE)) {
            if (named || !KernelOption.kernels(parsed).isEmpty()) {
                throw new UsageException(USERSPACE + " checks libraries; it takes no module or kernel");
            }
            return libraries.run(parsed, console);
        }
        if (named && Options.isSet(parsed, UNITS)) {
            throw new UsageException(UNITS + " prints the modules in use; it takes no module");
        }
        return named ? given(parsed, console) : inUse.run(parsed, console);
    }

    /**
     * Throws if an option has a value that earlier versions of {@code weaklink check} supported, and that
     * {@code weaklink matrix} has replaced.
     */
    private static void refuseMoved(ParseResult parsed) {
        for (String kernel : KernelOption.kernels(parsed)) {
            if (kernel.startsWith(STORED)) {
                throw new MovedException(KernelOption.KERNEL + " " + kernel, "BUILD... --kernel PATTERN");
            }
        }
        if (Format.HTML.id().equals(Options.text(parsed, OutputForm.FORMAT))) {
            throw new MovedException(OutputForm.FORMAT + " html", "BUILD... --format html");
        }
    }

    private int given(ParseResult parsed, Console console) throws IOException {
        OutputForm form = OutputForm.of(parsed);
        TableOptions options = form.table(parsed, console, Options.isSet(parsed, Options.VERBOSE));
        boolean quiet = Options.isSet(parsed, Options.QUIET);
        CheckRequest request = KernelOption.request(parsed, console, causes);
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
}
