package dev.weaklink.cli;

import dev.weaklink.check.CauseSource;
import dev.weaklink.check.CheckRequest;
import dev.weaklink.check.KernelMatrix;
import dev.weaklink.check.Matcher;
import dev.weaklink.check.report.MatchText;
import dev.weaklink.check.report.MatrixForms;
import dev.weaklink.check.result.MatchReport;
import dev.weaklink.check.result.MatrixReport;
import dev.weaklink.format.codec.Limits;
import dev.weaklink.format.codec.Streams;
import dev.weaklink.loader.Outcome;
import dev.weaklink.report.Format;
import dev.weaklink.report.TableOptions;
import dev.weaklink.rules.KernelRequirements;
import dev.weaklink.rules.yaml.RulesReader;
import dev.weaklink.rules.yaml.RulesReader.RuleProblem;
import dev.weaklink.sys.IoReason;
import dev.weaklink.sys.Progress;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

final class MatrixCommand implements Command {
    private static final String BEST = "--best";
    private static final String REQUIRES = "--requires";
    private static final String BASELINE = "--baseline";
    private static final List<Format> FORMATS =
            List.of(Format.TABLE, Format.JSON, Format.CSV, Format.MARKDOWN, Format.JUNIT, Format.HTML);

    static final List<String> ONCE_OF_CHECK = List.of(BEST, REQUIRES, BASELINE);

    private final CauseSource causes;

    MatrixCommand(CauseSource causes) {
        this.causes = causes;
    }

    @Override
    public void declare(CommandSpec spec) {
        Options.addNames(spec, "BUILD", "1..*");
        spec.addOption(Options.values("PATTERN", KernelOption.KERNEL));
        spec.addOption(Options.flag(BEST));
        spec.addOption(Options.value("FILE", REQUIRES));
        spec.addOption(Options.value("FILE", BASELINE));
        spec.addOption(CheckCommand.explain());
        Options.addStore(spec);
        LoaderOverrides.addTo(spec);
        TrustOptions.addTo(spec);
        Options.addJobs(spec);
        Options.addNoCache(spec);
        OutputForm.addTo(spec, FORMATS);
        Options.addColor(spec);
        Options.addVerbose(spec);
    }

    @Override
    public int run(ParseResult parsed, Console console) throws IOException {
        CheckRequest given = KernelOption.request(parsed, console, causes);
        // The HTML page shows causes, as far as the store has the kernels' types.
        CheckRequest request = OutputForm.of(parsed).format() == Format.HTML ? given.explaining() : given;
        int status = Options.isSet(parsed, BEST) ? best(parsed, request, console) : all(parsed, request, console);
        request.reading().cache().save();
        return status;
    }

    private static int all(ParseResult parsed, CheckRequest request, Console console) throws IOException {
        OutputForm form = OutputForm.of(parsed);
        KernelRequirements required = requirements(parsed, console);
        Map<String, Map<String, Outcome>> earlier = earlier(parsed);
        boolean quiet = Options.isSet(parsed, Options.QUIET);
        TableOptions options = form.table(parsed, console, Options.isSet(parsed, Options.VERBOSE));
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
        return form.write(out -> MatrixForms.write(report, form.format(), options, out), console, status);
    }

    private static int best(ParseResult parsed, CheckRequest request, Console console) throws IOException {
        OutputForm form = OutputForm.tableOrJson(parsed, BEST);
        if (Options.text(parsed, REQUIRES) != null || Options.text(parsed, BASELINE) != null) {
            throw new UsageException(BEST + " cannot be combined with " + REQUIRES + " or " + BASELINE);
        }
        MatchReport report = Matcher.match(request);
        console.report(report.problems());
        return form.write(
                out -> {
                    if (form.format() == Format.JSON) {
                        MatchText.write(report, out);
                    } else {
                        out.write(MatchText.lines(report).getBytes(StandardCharsets.UTF_8));
                    }
                },
                console,
                report.exitCode().number());
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
