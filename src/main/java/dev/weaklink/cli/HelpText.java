package dev.weaklink.cli;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Help;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.IHelpSectionRenderer;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.Model.UsageMessageSpec;

/**
 * Help texts. Lines are broken at blanks only, and neither inside an example, nor inside a command in quotes, nor
 * between an option and its value.
 */
final class HelpText {
    static final int WIDTH = 80;
    private static final String TERM = "  ";
    private static final String INDENT = "      ";
    private static final int LONGEST_QUOTE = 60;

    /** Options that few need: the manual page explains them. */
    private static final List<String> RARE =
            List.of("--loader", "--units", "--color", "--jobs", "--no-cache", "--debug");

    /** What lines could be broken at, and what stands for it until they are. */
    private static final String BREAKS = " -:/|";

    private static final String GLUE = "\ue000\ue001\ue002\ue003\ue004";

    private HelpText() {}

    static void addEntries(List<String> footer, String heading, Map<String, String> entries) {
        if (!entries.isEmpty()) {
            footer.addAll(List.of("", heading));
            entries.forEach((term, text) -> footer.addAll(List.of(TERM + term, INDENT + text)));
        }
    }

    /** Writes a command's help, without colours. */
    static void write(CommandLine command, OutputStream out) throws IOException {
        CommandTree.describe(command.getCommandSpec());
        glue(command.getCommandSpec());
        Map<String, IHelpSectionRenderer> sections = new HashMap<>(command.getHelpSectionMap());
        sections.put(UsageMessageSpec.SECTION_KEY_FOOTER, HelpText::footer);
        if (command.getParent() == null) {
            sections.put(UsageMessageSpec.SECTION_KEY_COMMAND_LIST_HEADING, help -> "");
            sections.put(UsageMessageSpec.SECTION_KEY_COMMAND_LIST, help -> groups());
        }
        command.setHelpSectionMap(sections);
        String text = unglued(command.getUsageMessage(Ansi.OFF));
        out.write(text.getBytes(StandardCharsets.UTF_8));
    }

    /** Writes which commands there are, by what they are for. */
    static void writeGroups(CommandLine whole, OutputStream out) throws IOException {
        String text = whole.getCommandSpec().usageMessage().header()[0]
                + "\nUsage: weaklink COMMAND [ARGUMENT...]\n"
                + groups()
                + "\n'weaklink help COMMAND' shows what a command takes.\n";
        out.write(text.getBytes(StandardCharsets.UTF_8));
    }

    private static String groups() {
        int longest = 0;
        for (CommandTree.Group group : CommandTree.GROUPS) {
            for (String name : group.names()) {
                longest = Math.max(longest, name.length());
            }
        }
        StringBuilder text = new StringBuilder();
        for (CommandTree.Group group : CommandTree.GROUPS) {
            text.append('\n').append(group.title()).append(":\n");
            for (String name : group.names()) {
                String term = TERM + name + " ".repeat(longest - name.length() + TERM.length());
                text.append(wrapped(term, CommandText.of(name).header(), term.length() + 2));
            }
        }
        return text.toString();
    }

    /** The words after a start, on lines of which all but the first are indented. */
    private static String wrapped(String start, String words, int indent) {
        StringBuilder text = new StringBuilder();
        StringBuilder line = new StringBuilder(start);
        boolean blank = false;
        for (String word : glued(words).split(" ")) {
            if (blank && line.length() + 1 + word.length() > WIDTH) {
                text.append(line).append('\n');
                line.setLength(0);
                line.append(" ".repeat(indent));
                blank = false;
            }
            line.append(blank ? " " : "").append(word);
            blank = true;
        }
        return unglued(text.append(line).append('\n').toString());
    }

    private static String footer(Help help) {
        StringBuilder text = new StringBuilder();
        for (String line : help.commandSpec().usageMessage().footer()) {
            text.append(
                    line.startsWith(INDENT)
                            ? wrapped(INDENT, line.substring(INDENT.length()), INDENT.length())
                            : line + "\n");
        }
        return text.toString();
    }

    private static void glue(CommandSpec spec) {
        List<String> rare = new ArrayList<>();
        for (ArgSpec argument : List.copyOf(spec.args())) {
            describe(spec, argument, glued(argument.description()));
        }
        for (String name : RARE) {
            OptionSpec option = spec.findOption(name);
            if (option != null) {
                rare.add(name);
                spec.remove(option);
                spec.addOption(option.toBuilder().hidden(true).build());
            }
        }
        UsageMessageSpec usage = spec.usageMessage();
        List<String> description = new ArrayList<>(List.of(usage.description()));
        if (rare.size() > 1) {
            description.add("See also " + spec.qualifiedName("-") + "(1) for: " + String.join(", ", rare) + ".");
        }
        usage.description(glued(description.toArray(new String[0]))).sortOptions(false);
    }

    /** Gives an option or operand another description; all must be given one, or the order changes. */
    static void describe(CommandSpec spec, ArgSpec argument, String... description) {
        spec.remove(argument);
        if (argument instanceof OptionSpec option) {
            spec.addOption(option.toBuilder().description(description).build());
        } else if (argument instanceof PositionalParamSpec positional) {
            spec.addPositional(positional.toBuilder().description(description).build());
        }
    }

    private static String[] glued(String[] texts) {
        String[] glued = texts.clone();
        for (int i = 0; i < glued.length; i++) {
            glued[i] = glued(glued[i]);
        }
        return glued;
    }

    /** Holds a text together but for blanks between words that do not belong together. */
    private static String glued(String text) {
        boolean[] inside = quoted(text);
        StringBuilder glued = new StringBuilder(text);
        int word = 0;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == ' ') {
                boolean option = text.startsWith("--", word) && Character.isLetter(text.charAt(i - 1));
                word = i + 1;
                if (!inside[i] && !option) {
                    continue;
                }
            }
            int at = BREAKS.indexOf(c);
            glued.setCharAt(i, at < 0 ? c : GLUE.charAt(at));
        }
        return glued.toString();
    }

    private static String unglued(String text) {
        String unglued = text;
        for (int i = 0; i < GLUE.length(); i++) {
            unglued = unglued.replace(GLUE.charAt(i), BREAKS.charAt(i));
        }
        return unglued;
    }

    /** What stands between single quotes; an apostrophe follows a letter. */
    private static boolean[] quoted(String text) {
        boolean[] quoted = new boolean[text.length()];
        int start = -1;
        for (int i = 0; i < text.length(); i++) {
            if (text.charAt(i) != '\'') {
                continue;
            }
            if (start >= 0) {
                Arrays.fill(quoted, start, i, i - start <= LONGEST_QUOTE);
                start = -1;
            } else if (i == 0 || !Character.isLetterOrDigit(text.charAt(i - 1))) {
                start = i;
            }
        }
        return quoted;
    }
}
