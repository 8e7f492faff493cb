package dev.weaklink.cli;

import dev.weaklink.check.result.ExitCode;
import dev.weaklink.sys.ShippedText;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.UsageMessageSpec;

/**
 * The text of a command for help and the manual page, from {@code help/COMMAND.txt}. The file starts with a sentence
 * and paragraphs. Sections follow, such as OPTIONS: a list of terms, each with an indented explanation. If a term has
 * no explanation, {@code help/common.txt} or {@link ExitCode} provides it. A SYNOPSIS section replaces the default
 * synopsis.
 *
 * <p>Help lists the options in the order of the file; common options that the file omits come last. {@code --help}
 * leaves out the section MORE OPTIONS, and prints only the first paragraph of an option's explanation. Paragraphs can
 * be followed by lists. A list item is a line that begins with "- ", or a term with an indented explanation. Sections
 * whose heading begins with "# " are printed only by the manual page and 'weaklink help COMMAND'.
 */
final class CommandText {
    private static final String OPTIONS = "OPTIONS";
    private static final String MORE_OPTIONS = "MORE OPTIONS";
    static final String SYNOPSIS = "SYNOPSIS";
    static final String EXAMPLES = "EXAMPLES";
    static final String FILES = "FILES";
    static final String ENVIRONMENT = "ENVIRONMENT";
    private static final String EXIT_STATUS = "EXIT STATUS";
    private static final List<String> SECTIONS =
            List.of(SYNOPSIS, OPTIONS, MORE_OPTIONS, EXIT_STATUS, EXAMPLES, FILES, ENVIRONMENT);
    private static final String COMMON = "common";
    private static final String HEADING = "# ";

    static final char ITEM = '\t';

    private static final String BULLET = "- ";

    private static final String PARAGRAPH = "\n";

    private final List<String> paragraphs = new ArrayList<>();
    private final Map<String, List<String>> background = new LinkedHashMap<>();
    private final Map<String, Map<String, String>> sections = new LinkedHashMap<>();

    private CommandText(String name) {
        List<String> prose = paragraphs;
        Map<String, String> section = null;
        String term = "";
        boolean blank = true;
        for (String line : ShippedText.of("/help/" + name + ".txt").split("\n")) {
            if (SECTIONS.contains(line)) {
                section = new LinkedHashMap<>();
                sections.put(line, section);
            } else if (line.startsWith(HEADING)) {
                section = null;
                prose = new ArrayList<>();
                background.put(line.substring(HEADING.length()), prose);
            } else if (section == null && !line.isEmpty()) {
                addLine(prose, line, blank);
            } else if (section != null && line.startsWith(" ")) {
                String separator = blank ? PARAGRAPH : " ";
                section.merge(term, line.strip(), (text, more) -> text.isEmpty() ? more : text + separator + more);
            } else if (section != null && !line.isEmpty()) {
                term = line;
                section.put(term, "");
            }
            blank = line.isEmpty() || line.startsWith(HEADING);
        }
    }

    private static void addLine(List<String> prose, String line, boolean blank) {
        int last = prose.size() - 1;
        boolean item = last >= 0 && prose.get(last).indexOf(ITEM) >= 0;
        if (line.startsWith(BULLET)) {
            prose.add(line.replaceFirst(" ", String.valueOf(ITEM)));
        } else if (line.startsWith(" ")) {
            prose.set(last, prose.get(last) + (item ? ' ' : ITEM) + line.strip());
        } else if (blank || item) {
            prose.add(line);
        } else {
            prose.set(last, prose.get(last) + " " + line);
        }
    }

    static CommandText of(String name) {
        CommandText text = new CommandText(name);
        text.section(EXIT_STATUS)
                .replaceAll((code, meaning) ->
                        meaning.isEmpty() ? ExitCode.values()[Integer.parseInt(code)].meaning() : meaning);
        CommandText common = new CommandText(COMMON);
        text.addOptions(common);
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

    private void addOptions(CommandText common) {
        Map<String, String> known = new LinkedHashMap<>(common.section(OPTIONS));
        known.putAll(common.section(MORE_OPTIONS));
        Map<String, String> options = sections.computeIfAbsent(OPTIONS, key -> new LinkedHashMap<>());
        Map<String, String> more = sections.computeIfAbsent(MORE_OPTIONS, key -> new LinkedHashMap<>());
        for (Map<String, String> own : List.of(options, more)) {
            own.replaceAll((term, words) -> words.isEmpty() ? known.getOrDefault(term, "") : words);
        }
        known.forEach((term, words) -> {
            if (!options.containsKey(term) && !more.containsKey(term)) {
                (common.isRare(term) ? more : options).put(term, words);
            }
        });
    }

    String header() {
        return paragraphs.get(0);
    }

    List<String> description() {
        return paragraphs.subList(1, paragraphs.size());
    }

    Map<String, String> section(String name) {
        return sections.getOrDefault(name, new LinkedHashMap<>());
    }

    /** Returns whether {@code --help} leaves an option out, because few people need it. */
    boolean isRare(String option) {
        return section(MORE_OPTIONS).containsKey(option);
    }

    Map<String, List<String>> background() {
        return background;
    }

    /** Adds the text to a command. Arguments that already have a description keep it. */
    void addTo(CommandSpec spec) {
        Map<String, String> texts = new LinkedHashMap<>(section(OPTIONS));
        texts.putAll(section(MORE_OPTIONS));
        List<String> order = List.copyOf(texts.keySet());
        List<ArgSpec> arguments = new ArrayList<>(spec.args());
        arguments.sort(Comparator.comparingInt(argument -> order.indexOf(term(argument))));
        for (ArgSpec argument : arguments) {
            String[] own = argument.description();
            String[] text = texts.getOrDefault(term(argument), "").split(PARAGRAPH);
            HelpText.describe(spec, argument, own.length == 0 ? text : own);
        }
        UsageMessageSpec usage = spec.usageMessage();
        List<String> description = new ArrayList<>(description());
        description.addAll(List.of(usage.description()));
        usage.header(header())
                .description(description.toArray(new String[0]))
                .exitCodeListHeading("%nExit status:%n")
                .exitCodeList(section(EXIT_STATUS));
    }

    private static String term(ArgSpec argument) {
        return argument instanceof OptionSpec option ? option.longestName() : argument.paramLabel();
    }
}
