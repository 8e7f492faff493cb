package dev.weaklink.cli;

import dev.weaklink.check.report.ExplainedFinding;
import dev.weaklink.check.result.ExitCode;
import dev.weaklink.rules.Product;
import dev.weaklink.rules.yaml.RulesReader;
import dev.weaklink.rules.yaml.RulesReader.RulesResult;
import dev.weaklink.sys.ShippedText;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.ParseResult;

final class CompletionCommand implements Command {
    private static final List<String> SHELLS = List.of("bash", "zsh", "fish");

    @Override
    public void declare(CommandSpec spec) {
        spec.addPositional(Options.action(SHELLS));
    }

    @Override
    public int run(ParseResult parsed, Console console) throws IOException {
        String shell = parsed.matchedPositionalValue(0, "");
        if (!SHELLS.contains(shell)) {
            throw new UsageException("no completion for '" + shell + "'; choose " + String.join(", ", SHELLS));
        }
        console.print(CompletionScript.of(shell));
        return ExitCode.COMPATIBLE.number();
    }

    /**
     * The completion scripts: one for sh that knows all commands and finds values, and a wrapper for each shell. The
     * commands come from picocli's model. The scripts complete a value from the argument's candidates. If the argument
     * has no candidates, its label, such as {@code DIR}, determines the values.
     */
    static final class CompletionScript {
        private static final String PLACE = "/completion/";

        private CompletionScript() {}

        static String of(String shell) throws IOException {
            StringBuilder rows = new StringBuilder();
            addCommand(rows, "", CommandTree.whole().getCommandSpec());
            String script = ShippedText.of(PLACE + "complete.sh")
                    .replace("@PRODUCTS@", String.join(" ", products()))
                    .replace("@FINDINGS@", String.join("|", findings()))
                    .replace("@ROWS@\n", rows);
            return ShippedText.of(PLACE + "weaklink." + shell)
                    .replace("@SCRIPT@", shell.equals("fish") ? fishQuoted(script) : script.strip());
        }

        private static List<String> findings() {
            List<String> ids = new ArrayList<>();
            ExplainedFinding.ALL.forEach(kind -> ids.add(kind.id()));
            return ids;
        }

        private static List<String> products() {
            List<String> ids = new ArrayList<>();
            if (RulesReader.readFiles(List.of()) instanceof RulesResult.Good shipped) {
                for (Product product : shipped.rules().products()) {
                    ids.add(product.id());
                }
            }
            return ids;
        }

        private static void addCommand(StringBuilder rows, String path, CommandSpec spec) {
            rows.append("    ").append(quoted(path)).append(") rows='");
            spec.subcommands().forEach((name, line) -> addRow(rows, name, "@", header(line)));
            for (OptionSpec option : spec.options()) {
                for (String name : option.names()) {
                    addRow(rows, name, value(option), firstSentence(option.description()));
                }
            }
            for (PositionalParamSpec operand : spec.positionalParameters()) {
                String index = operand.index().min() + (operand.index().isVariable() ? "+" : "");
                addRow(rows, index, value(operand), firstSentence(operand.description()));
            }
            rows.append("' ;;\n");
            spec.subcommands().forEach((name, line) -> addCommand(rows, path + " " + name, line.getCommandSpec()));
        }

        private static void addRow(StringBuilder rows, String name, String value, String text) {
            rows.append(name).append(';').append(value).append(';');
            rows.append(text.replace("'", "'\\''")).append('\n');
        }

        private static String header(CommandLine line) {
            return firstSentence(line.getCommandSpec().usageMessage().header());
        }

        private static String value(ArgSpec argument) {
            if (argument.arity().max() == 0) {
                return "";
            }
            String optional = argument.isOption() && argument.arity().min() == 0 ? "?" : "";
            List<String> words = new ArrayList<>();
            if (argument.completionCandidates() != null) {
                argument.completionCandidates().forEach(words::add);
            }
            return optional + (words.isEmpty() ? argument.paramLabel() : "=" + String.join("|", words));
        }

        private static String firstSentence(String[] text) {
            String whole = text.length == 0 ? "" : text[0];
            int end = whole.indexOf(". ");
            String first = end < 0 ? whole : whole.substring(0, end);
            return first.endsWith(".") ? first.substring(0, first.length() - 1) : first;
        }

        private static String quoted(String text) {
            return "'" + text + "'";
        }

        /** Escapes backslashes and single quotes, the only escapes that fish knows in a single-quoted string. */
        private static String fishQuoted(String text) {
            return text.replace("\\", "\\\\").replace("'", "\\'");
        }
    }
}
