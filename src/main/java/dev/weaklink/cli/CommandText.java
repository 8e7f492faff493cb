package dev.weaklink.cli;

import dev.weaklink.check.result.ExitCode;
import dev.weaklink.sys.ShippedText;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.UsageMessageSpec;

/**
 * What help and manual page say of a command: {@code help/COMMAND.txt}. A sentence and paragraphs, then sections of
 * terms, of which options are in any order, by their longest names, and operands by their labels; what explains a term
 * is indented below it, or stands in {@code help/common.txt}, or is the meaning of an {@link ExitCode}.
 */
final class CommandText {
    private static final String OPTIONS = "OPTIONS";
    static final String EXAMPLES = "EXAMPLES";
    static final String FILES = "FILES";
    static final String ENVIRONMENT = "ENVIRONMENT";
    private static final String EXIT_STATUS = "EXIT STATUS";
    private static final List<String> SECTIONS = List.of(OPTIONS, EXIT_STATUS, EXAMPLES, FILES, ENVIRONMENT);
    private static final String COMMON = "common";

    private final List<String> paragraphs = new ArrayList<>();
    private final Map<String, Map<String, String>> sections = new LinkedHashMap<>();

    private CommandText(String name) {
        Map<String, String> section = null;
        String last = "";
        for (String line : ShippedText.of("/help/" + name + ".txt").split("\n")) {
            if (SECTIONS.contains(line)) {
                section = new LinkedHashMap<>();
                sections.put(line, section);
            } else if (section != null && line.startsWith(" ")) {
                section.merge(last, line.strip(), (text, more) -> text.isEmpty() ? more : text + " " + more);
            } else if (section != null && !line.isEmpty()) {
                section.put(line, "");
            } else if (section == null && !last.isEmpty() && !line.isEmpty()) {
                int place = paragraphs.size() - 1;
                paragraphs.set(place, paragraphs.get(place) + " " + line);
            } else if (section == null && !line.isEmpty()) {
                paragraphs.add(line);
            }
            last = line.startsWith(" ") ? last : line;
        }
    }

    /** That of a command, such as {@code audit-plan}, or of the whole program. */
    static CommandText of(String name) {
        CommandText text = new CommandText(name);
        text.section(EXIT_STATUS)
                .replaceAll((code, meaning) ->
                        meaning.isEmpty() ? ExitCode.values()[Integer.parseInt(code)].meaning() : meaning);
        CommandText common = new CommandText(COMMON);
        text.sections.computeIfAbsent(OPTIONS, key -> new LinkedHashMap<>());
        common.section(OPTIONS).forEach(text.section(OPTIONS)::putIfAbsent);
        for (String section : List.of(FILES, ENVIRONMENT)) {
            text.section(section)
                    .replaceAll((term, words) ->
                            words.isEmpty() ? common.section(FILES).getOrDefault(term, "") : words);
        }
        return text;
    }

    static CommandText of(CommandSpec spec) {
        String name = spec.qualifiedName("-");
        return of(name.substring(name.indexOf('-') + 1));
    }

    /** The command in a sentence. */
    String header() {
        return paragraphs.get(0);
    }

    /** Terms with what explains them; empty if there is no such section. */
    Map<String, String> section(String name) {
        return sections.getOrDefault(name, new LinkedHashMap<>());
    }

    /** Adds all of it, before what the command itself describes, and to options that do not. */
    void addTo(CommandSpec spec) {
        for (ArgSpec argument : List.copyOf(spec.args())) {
            String name = argument instanceof OptionSpec o ? o.longestName() : argument.paramLabel();
            String[] own = argument.description();
            String[] text = {section(OPTIONS).getOrDefault(name, "")};
            HelpText.describe(spec, argument, own.length == 0 ? text : own);
        }
        UsageMessageSpec usage = spec.usageMessage();
        List<String> description = new ArrayList<>(paragraphs.subList(1, paragraphs.size()));
        description.addAll(List.of(usage.description()));
        List<String> footer = new ArrayList<>();
        HelpText.addEntries(footer, "Examples:", section(EXAMPLES));
        HelpText.addEntries(footer, "Files:", section(FILES));
        HelpText.addEntries(footer, "Environment:", section(ENVIRONMENT));
        usage.header(header())
                .description(description.toArray(new String[0]))
                .exitCodeListHeading("%nExit status:%n")
                .exitCodeList(section(EXIT_STATUS))
                .footer(footer.toArray(new String[0]));
    }
}
