package dev.weaklink.cli;

import dev.weaklink.check.CauseSource;
import dev.weaklink.check.result.ExitCode;
import dev.weaklink.fleet.Audit;
import dev.weaklink.fleet.AuditReport;
import dev.weaklink.fleet.AuditReport.KernelStates;
import dev.weaklink.fleet.AuditReport.NodeState;
import dev.weaklink.fleet.AuditReport.SilentNodes;
import dev.weaklink.fleet.AuditReport.Target;
import dev.weaklink.fleet.AuditReportBuilder;
import dev.weaklink.fleet.AuditReportBuilder.TargetAnswers;
import dev.weaklink.fleet.NodeGroups;
import dev.weaklink.fleet.NodeSet;
import dev.weaklink.fleet.Nodes;
import dev.weaklink.fleet.intake.Intake;
import dev.weaklink.fleet.intake.Intake.NodeVisitor;
import dev.weaklink.fleet.intake.ModuleTables;
import dev.weaklink.fleet.intake.NodeInventory;
import dev.weaklink.fleet.judge.AuditJudge;
import dev.weaklink.fleet.judge.AuditJudge.AuditRequest;
import dev.weaklink.fleet.report.AuditForms;
import dev.weaklink.fleet.report.AuditStatusLine;
import dev.weaklink.fleet.report.Baseline;
import dev.weaklink.format.codec.Limits;
import dev.weaklink.format.codec.Streams;
import dev.weaklink.report.Format;
import dev.weaklink.report.TableOptions;
import dev.weaklink.sys.ExternalCommand;
import dev.weaklink.sys.InputProblem;
import dev.weaklink.sys.IoReason;
import dev.weaklink.sys.Progress;
import dev.weaklink.sys.UnreadableException;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

final class AuditCommand implements Command {
    private final CauseSource causes;

    AuditCommand(CauseSource causes) {
        this.causes = causes;
    }

    @Override
    public void declare(CommandSpec spec) {
        AuditOptions.addInputs(spec);
        AuditOptions.addOutput(spec);
    }

    @Override
    public int run(ParseResult parsed, Console console) throws IOException {
        AuditOutput output = AuditOutput.of(parsed, console);
        GatheredNodes nodes = GatheredNodes.read(parsed, console);
        List<InputProblem> problems = new ArrayList<>();
        List<TargetAnswers> answers = List.of();
        AuditRequest request = AuditKernels.request(parsed, console, causes);
        if (!request.kernels().isEmpty()) {
            Progress progress = TerminalProgress.on(console);
            answers = AuditJudge.judge(request, nodes.census().sets(), nodes.tables(), problems, progress);
            progress.done();
            request.reading().cache().save();
        }
        AuditReport report = nodes.report(answers, problems, console);
        boolean unusable = !request.kernels().isEmpty() && answers.isEmpty();
        ExitCode usual = unusable ? ExitCode.UNUSABLE : AuditOutput.exitCode(report);
        return output.write(report, console, usual);
    }

    /**
     * The form of an audit's output.
     *
     * @param form the format and the output file
     * @param table the table's options
     * @param nodes the sets of nodes to print instead of the audit; empty to print the audit
     * @param baseline an earlier audit to compare with, or null
     */
    private record AuditOutput(
            OutputForm form,
            TableOptions table,
            List<String> nodes,
            @Nullable Baseline baseline) {

        /**
         * Reads the output options. Reads the earlier audit before the inventories, so that an unusable file is
         * reported early.
         *
         * @throws UsageException if an option is invalid
         */
        static AuditOutput of(ParseResult parsed, Console console) throws IOException {
            OutputForm form = OutputForm.of(parsed);
            String file = Options.text(parsed, AuditOptions.BASELINE);
            Baseline baseline = file == null ? null : read(file);
            boolean verbose = Options.isSet(parsed, AuditOptions.VERBOSE);
            List<String> nodes = Options.texts(parsed, AuditOptions.PRINT_NODES);
            PrintedNodes.require(nodes);
            return new AuditOutput(form, form.table(parsed, console, verbose), nodes, baseline);
        }

        /**
         * Reads the JSON result of an earlier audit, compressed or not.
         *
         * @throws UsageException if the file cannot be read or is not an audit
         */
        private static Baseline read(String file) throws IOException {
            try (InputStream in = new BufferedInputStream(Streams.open(Path.of(file), Limits.DEFAULT))) {
                return Baseline.read(in);
            } catch (UnreadableException e) {
                throw new UsageException(file + ": " + e.reason());
            } catch (InvalidPathException e) {
                throw new UsageException(file + ": no such file");
            }
        }

        /**
         * Writes an audit, compared with the baseline if there is one.
         *
         * @param usual the exit status, unless the format defines another one or writing fails
         * @return the exit status
         */
        int write(AuditReport audit, Console console, ExitCode usual) throws IOException {
            AuditReport report = baseline == null ? audit : baseline.compare(audit);
            int status = form.format() == Format.NAGIOS
                    ? AuditStatusLine.status(report).number()
                    : usual.number();
            if (!nodes.isEmpty()) {
                byte[] lines = PrintedNodes.lines(nodes, report).getBytes(StandardCharsets.UTF_8);
                return form.write(out -> out.write(lines), console, status);
            }
            return form.write(out -> AuditForms.write(form.format(), report, table, out), console, status);
        }

        static ExitCode exitCode(AuditReport report) {
            if (report.nodes() == 0) {
                return ExitCode.UNUSABLE;
            }
            if (report.hasDefects() || report.hasRefusals()) {
                return ExitCode.INCOMPATIBLE;
            }
            return report.hasUnknown() ? ExitCode.UNDETERMINED : ExitCode.COMPATIBLE;
        }
    }

    private static final class PrintedNodes {
        private static final String CANARIES = "canaries";
        private static final Set<String> OF_ALL = Set.of("missing", "good", "broken", "undetermined");

        private PrintedNodes() {}

        static void require(List<String> words) {
            for (String word : words) {
                int colon = word.indexOf(':');
                String kind = colon < 0 ? "" : word.substring(0, colon);
                if (!OF_ALL.contains(word) && !kind.equals(CANARIES) && state(kind) == null) {
                    throw new UsageException(AuditOptions.PRINT_NODES + ": invalid value '" + word
                            + "'; expected missing, good, broken, undetermined or STATE:KERNEL, where STATE is ready,"
                            + " link, install, rebuild, blocked, undetermined or canaries");
                }
            }
        }

        private static @Nullable NodeState state(String id) {
            return Stream.of(NodeState.values())
                    .filter(state -> state.id().equals(id))
                    .findFirst()
                    .orElse(null);
        }

        static String lines(List<String> words, AuditReport report) {
            StringBuilder lines = new StringBuilder();
            for (String word : words) {
                lines.append(nodes(word, report).folded()).append('\n');
            }
            return lines.toString();
        }

        private static Nodes nodes(String word, AuditReport report) {
            return switch (word) {
                case "missing" -> missing(report);
                case "good" -> good(report);
                case "broken" -> Nodes.of(report.broken());
                case "undetermined" -> undetermined(report);
                default -> ofKernel(word, report);
            };
        }

        private static Nodes missing(AuditReport report) {
            return Nodes.union(report.missing().stream()
                    .map(AuditReport.SilentNodes::nodes)
                    .toList());
        }

        private static Nodes good(AuditReport report) {
            Set<String> names = new TreeSet<>();
            report.groups().forEach(group -> names.addAll(group.nodes().names()));
            names.removeAll(report.broken());
            names.removeAll(undetermined(report).names());
            report.kernels()
                    .forEach(
                            kernel -> names.retainAll(kernel.in(NodeState.READY).names()));
            return Nodes.of(names);
        }

        private static Nodes undetermined(AuditReport report) {
            Set<String> names = new TreeSet<>(report.incomplete().names());
            report.kernels()
                    .forEach(kernel ->
                            names.addAll(kernel.in(NodeState.UNDETERMINED).names()));
            names.addAll(missing(report).names());
            names.removeAll(report.broken());
            return Nodes.of(names);
        }

        private static Nodes ofKernel(String word, AuditReport report) {
            int colon = word.indexOf(':');
            String name = word.substring(colon + 1);
            for (KernelStates kernel : report.kernels()) {
                Target target = report.targets().get(kernel.target());
                if (name.equals(target.release()) || name.equals(target.label())) {
                    NodeState state = state(word.substring(0, colon));
                    return state == null ? kernel.canaries() : kernel.in(state);
                }
            }
            throw new UsageException(
                    AuditOptions.PRINT_NODES + ": this audit has no kernel " + name + "; add it with --kernel");
        }
    }

    /**
     * The inventories of the audited nodes.
     *
     * @param census the nodes, grouped by kernel and modules
     * @param tables the symbol tables of the nodes' modules
     * @param missing the nodes that did not answer
     * @param problems the number of problems with the input
     */
    private record GatheredNodes(NodeGroups census, ModuleTables tables, List<SilentNodes> missing, long problems) {

        static GatheredNodes read(ParseResult parsed, Console console) {
            if (Options.names(parsed).isEmpty()) {
                throw new UsageException("no inventory given; name files, directories, or - for standard input");
            }
            Gathering gathering = Gathering.of(parsed, console);
            Intake intake = new Intake(gathering, gathering.expected);
            for (String input : Options.names(parsed)) {
                intake.read(input, console.in());
            }
            List<SilentNodes> missing = gathering.missing(intake);
            gathering.tellWhatWasNotShown();
            return new GatheredNodes(gathering.audit.census(), intake.tables(), missing, gathering.problems);
        }

        AuditReport report(List<TargetAnswers> answers, Collection<InputProblem> met, Console console) {
            Set<InputProblem> distinct = new LinkedHashSet<>(met);
            console.report(distinct);
            return AuditReportBuilder.of(census, answers, missing, problems + distinct.size());
        }

        private static final class Gathering implements NodeVisitor {
            /**
             * The maximum number of problems that are printed one by one; input with more problems is damaged as a
             * whole.
             */
            private static final int SHOWN = 1000;

            private final Console console;
            private final Set<String> only;
            final Set<String> expected;
            private final List<String> others = new ArrayList<>();
            final Audit audit = new Audit();
            long problems;

            private Gathering(Console console, Set<String> only, Set<String> expected) {
                this.console = console;
                this.only = only;
                this.expected = expected;
            }

            static Gathering of(ParseResult parsed, Console console) {
                Set<String> only = nodes(parsed, AuditOptions.NODE);
                Set<String> expected = nodes(parsed, AuditOptions.EXPECT);
                if (!only.isEmpty()) {
                    expected.addAll(only);
                }
                return new Gathering(console, only, expected);
            }

            private static Set<String> nodes(ParseResult parsed, String option) {
                return ExpectedNodes.of(option, Options.texts(parsed, option));
            }

            @Override
            public void node(String name, NodeInventory inventory) {
                if (only.isEmpty() || only.contains(name)) {
                    audit.add(name, inventory);
                    if (!expected.isEmpty() && !expected.contains(name)) {
                        others.add(name);
                    }
                }
            }

            @Override
            public void problem(InputProblem problem) {
                problems++;
                if (problems <= SHOWN) {
                    console.report(List.of(problem));
                }
            }

            @Override
            public void remark(InputProblem remark) {
                console.report(List.of(remark));
            }

            List<SilentNodes> missing(Intake intake) {
                Map<String, String> silent = intake.finish();
                if (!others.isEmpty()) {
                    console.message("unexpected nodes: " + Nodes.of(others).folded());
                }
                if (!only.isEmpty()) {
                    silent.keySet().retainAll(only);
                }
                return SilentNodes.of(silent);
            }

            void tellWhatWasNotShown() {
                if (problems > SHOWN) {
                    console.message("number of further problems with the input: " + (problems - SHOWN));
                }
            }
        }

        private static final class ExpectedNodes {
            private static final String GROUP = "clush:";
            private static final Duration LIMIT = Duration.ofMinutes(1);
            private static final int MAX_OUTPUT = 8 << 20;
            private static final long MAX_FILE = 64L << 20;

            private ExpectedNodes() {}

            static Set<String> of(String option, List<String> words) {
                Set<String> nodes = new LinkedHashSet<>();
                for (String word : words) {
                    for (String line : lines(option, word)) {
                        String set = line.strip();
                        if (!set.isEmpty() && !set.startsWith("#")) {
                            nodes.addAll(expand(option, set));
                        }
                    }
                }
                if (!words.isEmpty() && nodes.isEmpty()) {
                    throw new UsageException(option + " " + String.join(" ", words) + ": names no nodes");
                }
                return nodes;
            }

            private static List<String> expand(String option, String set) {
                try {
                    return NodeSet.expand(set);
                } catch (UnreadableException e) {
                    throw new UsageException(option + " " + set + ": neither a file nor a node set: " + e.reason());
                }
            }

            private static List<String> lines(String option, String word) {
                try {
                    if (word.startsWith(GROUP)) {
                        return group(option, word.substring(GROUP.length()));
                    }
                    Path file = Path.of(word);
                    if (!Files.isRegularFile(file)) {
                        return List.of(word);
                    }
                    if (Files.size(file) > MAX_FILE) {
                        throw new UsageException(option + " " + word + ": larger than the limit of " + (MAX_FILE >> 20)
                                + " MiB for a list of nodes");
                    }
                    return Files.readAllLines(file);
                } catch (InvalidPathException e) {
                    return List.of(word);
                } catch (IOException e) {
                    throw new UsageException(option + " " + word + ": cannot be read: " + IoReason.of(e));
                }
            }

            private static List<String> group(String option, String group) throws IOException {
                ExternalCommand.Result result = ExternalCommand.of(List.of("nodeset", "-f", "@" + group), LIMIT)
                        .withOutputLimit(MAX_OUTPUT)
                        .run();
                if (!result.succeeded()) {
                    String said = result.lines().isEmpty()
                            ? result.reason()
                            : result.lines().get(0);
                    throw new UsageException(option + " " + GROUP + group + ": nodeset failed: " + said);
                }
                return result.lines();
            }
        }
    }

    private static final class AuditOptions {
        static final String BASELINE = "--baseline";
        static final String EXPECT = "--expect";
        static final String NODE = "--node";
        static final String PRINT_NODES = "--print-nodes";
        static final String VERBOSE = "--verbose";

        private AuditOptions() {}

        static void addInputs(CommandSpec spec) {
            Options.addNames(spec, "INPUT", "0..*");
            AuditKernels.addTo(spec);
            spec.addOption(Options.values("NODES", List.of(), EXPECT));
            spec.addOption(Options.values("NODES", List.of(), NODE));
        }

        static void addOutput(CommandSpec spec) {
            spec.addOption(Options.value("FILE", BASELINE));
            spec.addOption(Options.values("WHICH", List.of(), PRINT_NODES));
            spec.addOption(Options.flag("-v", VERBOSE));
            OutputForm.addTo(spec, AuditForms.FORMATS);
        }
    }

    private static final class AuditKernels {
        private static final String MODULES = "--modules";

        private AuditKernels() {}

        static void addTo(CommandSpec spec) {
            KernelOption.addForOthers(spec);
            TrustOptions.addTo(spec);
            spec.addOption(Options.values("PATH", List.of(), MODULES));
            spec.addOption(CheckCommand.explain());
        }

        static AuditRequest request(ParseResult parsed, Console console, CauseSource causes) {
            return new AuditRequest(
                    Options.root(parsed),
                    KernelOption.kernels(parsed),
                    Options.store(parsed),
                    TrustOptions.loader(parsed),
                    TrustOptions.certificates(parsed),
                    Options.texts(parsed, MODULES),
                    parsed.hasMatchedOption(CheckCommand.EXPLAIN),
                    ReadingOptions.of(parsed, console, causes));
        }
    }
}
