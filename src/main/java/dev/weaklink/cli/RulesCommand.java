package dev.weaklink.cli;

import dev.weaklink.check.result.ExitCode;
import dev.weaklink.report.Format;
import dev.weaklink.report.TableOptions;
import dev.weaklink.rules.RuleExplanation;
import dev.weaklink.rules.RuleExplanation.RuleQuestion;
import dev.weaklink.rules.Rules.RuleUnit;
import dev.weaklink.rules.RulesTable;
import dev.weaklink.rules.yaml.RulesReader;
import dev.weaklink.rules.yaml.RulesReader.RuleProblem;
import dev.weaklink.rules.yaml.RulesReader.RulesResult;
import dev.weaklink.sys.IoReason;
import dev.weaklink.sys.Root;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

final class RulesCommand implements Command {
    private static final String CHECK = "check";
    private static final String LIST = "list";
    private static final String EXPLAIN = "explain";
    private static final List<String> ACTIONS = List.of(CHECK, LIST, EXPLAIN);
    private static final String MODULE = "--module";
    private static final String UNIT = "--unit";
    private static final String PACKAGE = "--package";
    private static final String KERNEL = "--kernel";

    @Override
    public void declare(CommandSpec spec) {
        spec.addPositional(Options.action(ACTIONS));
        spec.addPositional(Options.operands("1..*", "0..*", "FILE", List.of()));
        spec.addOption(Options.value("MODULE", MODULE));
        spec.addOption(Options.value("UNIT", UNIT));
        spec.addOption(Options.value("PACKAGE", PACKAGE));
        spec.addOption(Options.value("K", KERNEL));
        Options.addRoot(spec);
        OutputFile.addTo(spec);
        Options.addColor(spec);
    }

    @Override
    public int run(ParseResult parsed, Console console) throws IOException {
        String action = parsed.matchedPositionalValue(0, "");
        if (!ACTIONS.contains(action)) {
            throw new UsageException("rules takes " + String.join(", ", ACTIONS) + "; not '" + action + "'");
        }
        List<Path> files = files(parsed, action);
        RuleQuestion question = question(parsed, action);
        OutputFile file = OutputFile.of(parsed);
        RulesResult result = read(files, Options.root(parsed), console);
        if (result instanceof RulesResult.Good good) {
            TableOptions table = new OutputForm(Format.TABLE, file).table(parsed, console, true);
            byte[] text = text(action, good, question, table).getBytes(StandardCharsets.UTF_8);
            boolean written = file.write(out -> out.write(text), console);
            return (written ? ExitCode.COMPATIBLE : ExitCode.UNUSABLE).number();
        }
        if (result instanceof RulesResult.Bad bad) {
            for (RuleProblem problem : bad.problems()) {
                console.message(problem.toString());
            }
        }
        return ExitCode.UNUSABLE.number();
    }

    private static List<Path> files(ParseResult parsed, String action) {
        List<Path> files = new ArrayList<>();
        for (String file : parsed.matchedPositionalValue(1, List.<String>of())) {
            try {
                files.add(Path.of(file));
            } catch (InvalidPathException e) {
                throw new UsageException("'" + file + "' is not a valid path");
            }
        }
        if (!files.isEmpty() && !action.equals(CHECK)) {
            throw new UsageException("rules " + action + " takes no FILE");
        }
        if (!files.isEmpty() && Options.root(parsed) != null) {
            throw new UsageException("--root cannot be combined with FILE");
        }
        return files;
    }

    private static RuleQuestion question(ParseResult parsed, String action) {
        String module = Options.text(parsed, MODULE);
        RuleUnit unit = unit(Options.text(parsed, UNIT), Options.text(parsed, PACKAGE));
        String kernel = Options.text(parsed, KERNEL);
        boolean isAsked = module != null || unit != null;
        if (action.equals(EXPLAIN) && !isAsked) {
            throw new UsageException("rules explain needs --module, --unit or --package");
        }
        if (action.equals(LIST) && (isAsked || kernel != null)) {
            throw new UsageException("rules list takes no --module, --unit, --package or --kernel");
        }
        return new RuleQuestion(module, unit, kernel);
    }

    private static @Nullable RuleUnit unit(@Nullable String name, @Nullable String packageName) {
        if (name != null) {
            return new RuleUnit(name, packageName, name);
        }
        return packageName == null ? null : RuleUnit.ofPackage(packageName);
    }

    private static @Nullable RulesResult read(List<Path> files, @Nullable Path root, Console console) {
        if (!files.isEmpty()) {
            return RulesReader.readFiles(files);
        }
        try {
            return RulesReader.read(Root.of(root));
        } catch (IOException e) {
            console.message("--root " + root + ": " + IoReason.of(e));
            return null;
        }
    }

    private static String text(String action, RulesResult.Good good, RuleQuestion question, TableOptions options) {
        boolean isAsked = question.module() != null || question.unit() != null;
        return switch (isAsked ? EXPLAIN : action) {
            case LIST -> new RulesTable(options).render(good.rules(), good.files());
            case EXPLAIN -> new RuleExplanation(options).render(good.rules(), question);
            default -> good.files().size() + " files are valid\n";
        };
    }
}
