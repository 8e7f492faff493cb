package dev.weaklink.cli;

import dev.weaklink.check.ExplainRequest;
import dev.weaklink.check.Explainer;
import dev.weaklink.check.report.ExplainedFinding;
import dev.weaklink.check.result.ExitCode;
import dev.weaklink.explain.DifferenceDocument;
import dev.weaklink.explain.DifferenceJson;
import dev.weaklink.explain.DifferenceTable;
import dev.weaklink.explain.ExplainReport;
import dev.weaklink.explain.KernelDifference;
import dev.weaklink.report.Format;
import dev.weaklink.report.TableOptions;
import dev.weaklink.sys.Escape;
import dev.weaklink.sys.InputProblem;
import dev.weaklink.sys.Similar;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/** {@code weaklink diff} and {@code weaklink explain}: the changes between two kernels, and their causes. */
final class DiffCommand implements Command {
    private static final String FROM = "--from";
    private static final String TO = "--to";
    private static final String USED_BY = "--used-by";
    private static final String STABLELIST = "--stablelist";
    private static final List<Format> FORMATS = List.of(Format.TABLE, Format.JSON, Format.NDJSON, Format.MARKDOWN);

    /**
     * Tells whether the command is {@code explain}, whose operands are symbols, modules or findings instead of kernels.
     */
    private final boolean explains;

    private DiffCommand(boolean explains) {
        this.explains = explains;
    }

    static DiffCommand diff() {
        return new DiffCommand(false);
    }

    static DiffCommand explain() {
        return new DiffCommand(true);
    }

    @Override
    public void declare(CommandSpec spec) {
        if (explains) {
            spec.addPositional(Options.operands("SYMBOL|MODULE|FINDING"));
        } else {
            spec.addPositional(Options.operand("0", "0..1", "OLD", List.of()));
            spec.addPositional(Options.operand("1", "0..1", "NEW", List.of()));
        }
        spec.addOption(Options.values("K", FROM));
        spec.addOption(Options.values("K", TO));
        if (!explains) {
            spec.addOption(Options.values("MODULE", USED_BY));
            spec.addOption(Options.value("FILE", STABLELIST));
        }
        Options.addStore(spec);
        OutputForm.addTo(spec, FORMATS);
        if (explains) {
            Options.addColor(spec);
        }
        Options.addVerbose(spec);
        Options.addJobs(spec);
        Options.addNoCache(spec);
    }

    @Override
    public int run(ParseResult parsed, Console console) throws IOException {
        if (isAboutFindings(parsed)) {
            return FindingHelp.show(parsed.matchedPositionalValue(0, List.of()), parsed, console);
        }
        OutputForm form = OutputForm.of(parsed);
        ExplainRequest request = request(parsed, console);
        List<InputProblem> problems = new ArrayList<>();
        ExplainReport report = Explainer.explain(request, problems, TerminalProgress.on(console));
        for (String symbol : report.unknown()) {
            problems.add(new InputProblem(symbol, "neither kernel exports this symbol"));
        }
        console.report(problems);
        KernelDifference difference = report.difference();
        int status = difference == null || !problems.isEmpty()
                ? ExitCode.UNUSABLE.number()
                : answer(report).number();
        boolean each = !request.symbols().isEmpty();
        boolean verbose = Options.isSet(parsed, Options.VERBOSE);
        boolean known =
                !each || !request.modules().isEmpty() || !report.unknown().containsAll(request.symbols());
        status = form.write(
                out -> {
                    if (known || form.format() != Format.TABLE) {
                        write(report, form.format(), each, verbose, out);
                    }
                },
                console,
                status);
        request.reading().cache().save();
        return status;
    }

    /**
     * Returns true for {@code explain} without kernels and without modules. Any operands must then be findings, because
     * symbols require two kernels.
     */
    private boolean isAboutFindings(ParseResult parsed) {
        List<String> words = explains ? parsed.matchedPositionalValue(0, List.of()) : List.of();
        return explains
                && !Options.isSet(parsed, FROM)
                && !Options.isSet(parsed, TO)
                && words.stream().noneMatch(DiffCommand::isModule);
    }

    private static ExitCode answer(ExplainReport report) {
        if (report.isBreaking()) {
            return ExitCode.INCOMPATIBLE;
        }
        return report.incomparable().isEmpty() ? ExitCode.COMPATIBLE : ExitCode.UNDETERMINED;
    }

    private static void write(ExplainReport report, Format format, boolean each, boolean verbose, OutputStream out)
            throws IOException {
        String text = switch (format) {
            case MARKDOWN -> DifferenceDocument.markdown(report, verbose);
            case TABLE -> each ? DifferenceTable.symbols(report) : DifferenceTable.overview(report, verbose);
            default -> "";
        };
        out.write(text.getBytes(StandardCharsets.UTF_8));
        if (format == Format.JSON) {
            DifferenceJson.writeDocument(report, out);
        } else if (format == Format.NDJSON) {
            DifferenceJson.writeLines(report, out);
        }
    }

    private ExplainRequest request(ParseResult parsed, Console console) {
        List<String> words = explains ? parsed.matchedPositionalValue(0, List.of()) : List.of();
        List<String> symbols = new ArrayList<>();
        List<String> modules = new ArrayList<>(explains ? List.of() : Options.texts(parsed, USED_BY));
        for (String word : words) {
            (isModule(word) ? modules : symbols).add(word);
        }
        if (explains && modules.isEmpty() && !symbols.isEmpty() && !Options.isSet(parsed, FROM)) {
            throw new UsageException(FROM + " is missing: '" + symbols.get(0) + "' is treated as a symbol, which needs"
                    + " two kernels; to explain a module, give its file, which 'modinfo -n NAME' prints");
        }
        List<List<String>> kernels = explains ? given(parsed, modules.isEmpty()) : compared(parsed);
        return new ExplainRequest(
                Options.root(parsed),
                kernels.get(0),
                kernels.get(1),
                symbols,
                modules,
                explains ? null : Options.text(parsed, STABLELIST),
                Options.store(parsed),
                ReadingOptions.of(parsed, console, null));
    }

    private static List<List<String>> compared(ParseResult parsed) {
        String older = parsed.matchedPositionalValue(0, (String) null);
        String newer = parsed.matchedPositionalValue(1, (String) null);
        boolean options = Options.isSet(parsed, FROM) || Options.isSet(parsed, TO);
        if (options && older != null) {
            throw new UsageException("'" + older + "' cannot be combined with --from or --to: name both kernels as OLD"
                    + " NEW, or both with --from and --to");
        }
        if (options) {
            return given(parsed, true);
        }
        if (older == null || newer == null) {
            throw new UsageException("name two kernels, OLD and NEW");
        }
        return List.of(List.of(older), List.of(newer));
    }

    private static List<List<String>> given(ParseResult parsed, boolean needsFrom) {
        return List.of(needsFrom ? required(parsed, FROM) : Options.texts(parsed, FROM), required(parsed, TO));
    }

    private static boolean isModule(String word) {
        return word.indexOf('/') >= 0 || word.contains(".ko");
    }

    private static List<String> required(ParseResult parsed, String option) {
        List<String> values = Options.texts(parsed, option);
        if (values.isEmpty()) {
            throw new UsageException(option + " is missing: the kernel to compare");
        }
        return values;
    }

    private static final class FindingHelp {
        private FindingHelp() {}

        static int show(List<String> ids, ParseResult parsed, Console console) throws IOException {
            ids.forEach(FindingHelp::requireKnown);
            List<ExplainedFinding> kinds = ExplainedFinding.ALL.stream()
                    .filter(kind -> ids.isEmpty() || ids.contains(kind.id()) || ids.contains(kind.group()))
                    .toList();
            OutputForm form = OutputForm.tableOrJson(parsed, "an explanation of findings");
            TableOptions options = form.table(parsed, console, true);
            return form.write(
                    out -> {
                        if (form.format() == Format.JSON) {
                            ExplainedFinding.json(kinds, out);
                        } else {
                            String text = ids.isEmpty()
                                    ? ExplainedFinding.list(kinds, options)
                                    : ExplainedFinding.describe(kinds, options);
                            out.write(text.getBytes(StandardCharsets.UTF_8));
                        }
                    },
                    console,
                    ExitCode.COMPATIBLE.number());
        }

        private static void requireKnown(String id) {
            List<String> known = new ArrayList<>();
            for (ExplainedFinding kind : ExplainedFinding.ALL) {
                known.add(kind.id());
                known.add(kind.group());
            }
            if (!known.contains(id)) {
                throw new UsageException("no finding or group has the id '"
                        + Escape.text(id)
                        + "'"
                        + Similar.question(id, known)
                        + "; 'weaklink explain' lists the ids; to explain a symbol, add --from and --to");
            }
        }
    }
}
