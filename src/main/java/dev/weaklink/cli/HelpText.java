package dev.weaklink.cli;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.IHelpSectionRenderer;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.Model.UsageMessageSpec;

/**
 * Formats help texts. Lines break only at blanks, but never inside an example or a short quoted command, or between an
 * option and its value.
 */
final class HelpText {
    static final int WIDTH = 80;
    private static final String TERM = "  ";
    private static final String INDENT = "      ";
    private static final int ITEM_INDENT = 22;
    private static final int FEW_EXAMPLES = 4;
    private static final int LONGEST_QUOTE = 60;

    /**
     * The characters at which picocli may break a line. Where a line must not break, the characters of {@link #GLUE}
     * replace them until picocli has broken the lines.
     */
    private static final String BREAKS = " -:/|";

    private static final String GLUE = "\ue000\ue001\ue002\ue003\ue004";

    private HelpText() {}

    static void write(CommandLine command, OutputStream out) throws IOException {
        print(command, false, out);
    }

    static void writeAll(CommandLine command, OutputStream out) throws IOException {
        print(command, true, out);
    }

    private static void print(CommandLine command, boolean all, OutputStream out) throws IOException {
        CommandSpec spec = command.getCommandSpec();
        CommandTree.describe(spec);
        CommandText text = CommandText.of(spec);
        Map<String, IHelpSectionRenderer> sections = new HashMap<>(command.getHelpSectionMap());
        sections.put(UsageMessageSpec.SECTION_KEY_SYNOPSIS, help -> synopsis(spec, text));
        List<String> description = all ? List.of(spec.usageMessage().description()) : text.description();
        sections.put(UsageMessageSpec.SECTION_KEY_DESCRIPTION, help -> '\n' + prose(description, ""));
        sections.put(UsageMessageSpec.SECTION_KEY_PARAMETER_LIST_HEADING, help -> "\n");
        sections.put(
                UsageMessageSpec.SECTION_KEY_COMMAND_LIST_HEADING,
                help -> spec.subcommands().isEmpty() ? "" : "\nCommands:\n");
        if (command.getParent() == null) {
            sections.put(UsageMessageSpec.SECTION_KEY_COMMAND_LIST_HEADING, help -> "");
            sections.put(UsageMessageSpec.SECTION_KEY_COMMAND_LIST, help -> groups());
        }
        if (!all) {
            sections.put(UsageMessageSpec.SECTION_KEY_EXIT_CODE_LIST_HEADING, help -> "");
            sections.put(UsageMessageSpec.SECTION_KEY_EXIT_CODE_LIST, help -> "");
        }
        List<String> rare = shorten(spec, text, all);
        sections.put(
                UsageMessageSpec.SECTION_KEY_FOOTER, help -> all ? restOf(text) : examples(text) + more(spec, rare));
        command.setHelpSectionMap(sections);
        String usage = unglued(command.getUsageMessage(Ansi.OFF));
        out.write(usage.getBytes(StandardCharsets.UTF_8));
    }

    private static String synopsis(CommandSpec spec, CommandText words) {
        Set<String> forms = words.section(CommandText.SYNOPSIS).keySet();
        StringBuilder lines = new StringBuilder();
        for (String form : forms.isEmpty() ? List.of(synopsis(spec)) : forms) {
            lines.append(lines.isEmpty() ? "" : "       ").append(wrapped("", form, TERM.length()));
        }
        return lines.toString();
    }

    private static String synopsis(CommandSpec spec) {
        StringBuilder text = new StringBuilder(spec.qualifiedName(" "));
        text.append(spec.subcommands().isEmpty() ? " [OPTION...]" : " COMMAND [ARGUMENT...]");
        for (PositionalParamSpec positional : spec.positionalParameters()) {
            String label = positional.paramLabel() + (positional.arity().max() > 1 ? "..." : "");
            text.append(' ').append(positional.required() ? label : "[" + label + "]");
        }
        return text.toString();
    }

    private static String prose(List<String> paragraphs, String indent) {
        StringBuilder text = new StringBuilder();
        boolean list = false;
        for (String paragraph : paragraphs) {
            int tab = paragraph.indexOf(CommandText.ITEM);
            if (text.length() > 0 && !(list && tab >= 0)) {
                text.append('\n');
            }
            list = tab >= 0;
            if (list) {
                String term = paragraph.substring(0, tab);
                String start = indent + TERM + (term.equals("-") ? "- " : padded(term));
                text.append(wrapped(start, paragraph.substring(tab + 1), Math.min(start.length(), ITEM_INDENT)));
            } else {
                text.append(wrapped(indent, paragraph, indent.length()));
            }
        }
        return text.toString();
    }

    private static String padded(String term) {
        return term + " ".repeat(Math.max(TERM.length(), ITEM_INDENT - TERM.length() - term.length()));
    }

    private static String entries(String section, Map<String, String> terms) {
        StringBuilder entries = new StringBuilder();
        terms.forEach((term, words) -> {
            entries.append(TERM).append(term).append('\n');
            entries.append(wrapped(INDENT, words, INDENT.length()));
        });
        return entries.length() == 0 ? "" : '\n' + heading(section) + entries;
    }

    private static String examples(CommandText text) {
        Map<String, String> first = new LinkedHashMap<>();
        text.section(CommandText.EXAMPLES).forEach((term, words) -> {
            if (first.size() < FEW_EXAMPLES) {
                first.put(term, words);
            }
        });
        return entries(CommandText.EXAMPLES, first);
    }

    private static String heading(String section) {
        return section.charAt(0) + section.substring(1).toLowerCase(Locale.ROOT) + ":\n";
    }

    private static String more(CommandSpec spec, List<String> rare) {
        String page = spec.qualifiedName("-") + "(1)";
        String name = spec.qualifiedName(" ");
        String help = CommandTree.NAME + " help" + name.substring(CommandTree.NAME.length());
        String also = rare.isEmpty() ? "" : " It also explains " + String.join(", ", rare) + ".";
        return "\n" + wrapped("", "'" + help + "' prints all of " + page + "." + also, 0);
    }

    private static String restOf(CommandText text) {
        StringBuilder rest = new StringBuilder();
        text.background()
                .forEach((title, paragraphs) ->
                        rest.append('\n').append(title).append(":\n").append(prose(paragraphs, TERM)));
        for (String section : List.of(CommandText.EXAMPLES, CommandText.FILES, CommandText.ENVIRONMENT)) {
            rest.append(entries(section, text.section(section)));
        }
        return rest.toString();
    }

    static void writeGroups(CommandLine whole, OutputStream out) throws IOException {
        String text = whole.getCommandSpec().usageMessage().header()[0]
                + "\nUsage: weaklink COMMAND [ARGUMENT...]\n"
                + groups()
                + "\n'weaklink COMMAND --help' prints the options of a command.\n";
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

    private static List<String> shorten(CommandSpec spec, CommandText text, boolean all) {
        List<String> rare = new ArrayList<>();
        for (ArgSpec argument : List.copyOf(spec.args())) {
            String[] description = argument.description();
            describe(spec, argument, glued(all ? String.join(" ", description) : description[0]));
        }
        for (OptionSpec option : List.copyOf(spec.options())) {
            if (!all && text.isRare(option.longestName())) {
                rare.add(option.longestName());
                spec.remove(option);
                spec.addOption(option.toBuilder().hidden(true).build());
            }
        }
        spec.usageMessage().sortOptions(false);
        return rare;
    }

    /**
     * Replaces the description of an option or operand. The argument moves to the end, so the caller must replace every
     * description to keep the order.
     */
    static void describe(CommandSpec spec, ArgSpec argument, String... description) {
        spec.remove(argument);
        if (argument instanceof OptionSpec option) {
            spec.addOption(option.toBuilder().description(description).build());
        } else if (argument instanceof PositionalParamSpec positional) {
            spec.addPositional(positional.toBuilder().description(description).build());
        }
    }

    /**
     * Replaces characters of {@link #BREAKS} by characters of {@link #GLUE} wherever picocli must not break the line.
     */
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

    /**
     * Returns which characters are in a short string between single quotes. Outside of quotes, a single quote after a
     * letter or a digit is an apostrophe.
     */
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
