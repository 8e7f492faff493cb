package dev.weaklink.cli;

import dev.weaklink.report.TableOptions;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.ParseResult;

final class ColorChoice {
    static final String AUTO = "auto";
    static final String ALWAYS = "always";
    static final String NEVER = "never";
    static final List<String> WORDS = List.of(AUTO, ALWAYS, NEVER);

    private ColorChoice() {}

    static boolean isOn(ParseResult parsed, Console console) {
        return isOn(Options.word(parsed, Options.COLOR, WORDS), console.environment(), console.terminal());
    }

    static TableOptions table(ParseResult parsed, Console console, boolean verbose) {
        return new TableOptions(Terminal.DEFAULT_COLUMNS, isOn(parsed, console), verbose);
    }

    /**
     * Returns whether to print colours on standard output. With {@code auto}, {@code NO_COLOR} decides first, then
     * {@code CLICOLOR_FORCE}, then the terminal.
     */
    static boolean isOn(String word, Map<String, String> environment, Terminal terminal) {
        if (!word.equals(AUTO)) {
            return word.equals(ALWAYS);
        }
        if (!environment.getOrDefault("NO_COLOR", "").isEmpty()) {
            return false;
        }
        String force = environment.getOrDefault("CLICOLOR_FORCE", "");
        if (!force.isEmpty() && !force.equals("0")) {
            return true;
        }
        return !"dumb".equals(environment.get("TERM")) && terminal.isTerminal(Console.STDOUT);
    }
}
