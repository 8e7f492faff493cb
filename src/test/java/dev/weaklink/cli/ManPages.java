package dev.weaklink.cli;

import dev.weaklink.check.report.ExplainedFinding;
import dev.weaklink.sys.RootText;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/** Generates manual pages from the commands' declarations, from which the help texts are also made. */
final class ManPages {
    private static final String HELP = "help";

    /** Recorded output of commands that need other programs. */
    private static final Path TRANSCRIPTS = Path.of("src/test/resources/transcripts");

    private ManPages() {}

    /** Returns all pages by file name. */
    static Map<String, String> all() {
        CommandLine whole = CommandTree.whole();
        Map<String, String> pages = new LinkedHashMap<>();
        pages.put(CommandTree.NAME + ".1", page(whole.getCommandSpec()));
        for (String name : pagedCommands()) {
            CommandSpec spec = whole.getSubcommands().get(name).getCommandSpec();
            addPages(pages, spec, CommandTree.command(name));
        }
        pages.put(CommandTree.NAME + "-findings.7", findings());
        return pages;
    }

    private static String findings() {
        Roff page = new Roff().title(CommandTree.NAME + "-findings", 7);
        page.section("NAME").text("weaklink-findings - why kernels refuse modules, and what else weaklink finds");
        page.section("DESCRIPTION")
                .text("A finding is a reason why a kernel's module loader refuses a module, or why weaklink cannot"
                        + " tell whether it does. Each finding has an id, which never changes. The JSON output of"
                        + " checks and audits contains the id beside the layer, which is the step of the loader."
                        + " JUnit XML uses the id as a type, and rules can name it. Below, Source is the function"
                        + " of the kernel that decides, and Kernels are the kernels that do so.");
        String group = "";
        for (ExplainedFinding kind : ExplainedFinding.ALL) {
            if (!kind.layer().equals(group)) {
                group = kind.layer();
                page.subsection(group);
            }
            page.entry(Roff.bold(kind.id()), sentence(kind.meaning()));
            if (kind.errno() != null) {
                page.line("Errno: " + kind.errno());
            }
            if (!kind.source().isEmpty()) {
                page.line("Source: " + kind.source());
            }
            page.line("Kernels: " + kind.versions()).line("To do: " + kind.remedy());
        }
        page.section("SEE ALSO").raw(Roff.bold("weaklink-explain") + "(1), " + Roff.bold("weaklink-check") + "(1)");
        return page.toString();
    }

    private static String sentence(String clause) {
        String end = clause.endsWith("?") ? "" : ".";
        return Character.toUpperCase(clause.charAt(0)) + clause.substring(1) + end;
    }

    private static void addPages(Map<String, String> pages, CommandSpec spec, Command command) {
        pages.put(spec.qualifiedName("-") + ".1", page(spec));
        command.commands()
                .forEach((name, below) ->
                        addPages(pages, spec.subcommands().get(name).getCommandSpec(), below));
    }

    /** Returns every command except help, which has no page. */
    private static List<String> pagedCommands() {
        List<String> names = new ArrayList<>(CommandTree.NAMES);
        names.remove(HELP);
        return names;
    }

    private static String pageName(String command) {
        return CommandTree.NAME + "-" + command;
    }

    private static String page(CommandSpec spec) {
        String name = spec.qualifiedName("-");
        Roff page = new Roff().title(name, 1);
        page.section("NAME")
                .text(name + " - " + sentenceAsPhrase(spec.usageMessage().header()[0]));
        synopsis(page, spec);
        page.section("DESCRIPTION");
        prose(page, List.of(spec.usageMessage().description()));
        options(page, spec);
        commands(page, spec);
        CommandText text = CommandText.of(spec);
        text.background().forEach((heading, paragraphs) -> {
            page.section(heading.toUpperCase(Locale.ROOT));
            prose(page, paragraphs);
        });
        page.section("EXIT STATUS");
        spec.usageMessage().exitCodeList().forEach((code, meaning) -> page.entry(Roff.bold(code), meaning));
        for (String section : List.of(CommandText.EXAMPLES, CommandText.FILES, CommandText.ENVIRONMENT)) {
            entries(page, section, text.section(section));
        }
        String transcripts = RootText.read(TRANSCRIPTS.resolve(name + ".txt"), 1 << 20);
        if (!transcripts.isEmpty()) {
            page.section("TRANSCRIPTS").unfilled(transcripts);
        }
        seeAlso(page, name);
        return page.toString();
    }

    private static void prose(Roff page, List<String> paragraphs) {
        for (int i = 0; i < paragraphs.size(); i++) {
            String paragraph = paragraphs.get(i);
            int tab = paragraph.indexOf(CommandText.ITEM);
            if (paragraph.startsWith("-" + CommandText.ITEM)) {
                page.bullet(paragraph.substring(tab + 1));
            } else if (tab >= 0) {
                page.entry(Roff.bold(paragraph.substring(0, tab)), paragraph.substring(tab + 1));
            } else {
                (i == 0 ? page : page.paragraph()).text(paragraph);
            }
        }
    }

    private static String sentenceAsPhrase(String sentence) {
        return Character.toLowerCase(sentence.charAt(0)) + sentence.substring(1, sentence.length() - 1);
    }

    private static void synopsis(Roff page, CommandSpec spec) {
        page.section("SYNOPSIS");
        List<String> forms =
                List.copyOf(CommandText.of(spec).section(CommandText.SYNOPSIS).keySet());
        if (!forms.isEmpty()) {
            page.text(forms.get(0));
            forms.subList(1, forms.size()).forEach(page::line);
            return;
        }
        List<String> words = new ArrayList<>();
        words.add(Roff.bold(spec.qualifiedName(" ")));
        for (OptionSpec option : spec.options()) {
            String again = option.isMultiValue() ? "..." : "";
            words.add("[" + name(option, option.longestName()) + "]" + again);
        }
        for (PositionalParamSpec positional : spec.positionalParameters()) {
            words.add(name(positional));
        }
        if (!spec.subcommands().isEmpty()) {
            words.add(Roff.italic("COMMAND"));
            words.add("[" + Roff.italic("ARGUMENT") + "...]");
        }
        page.raw(String.join(" ", words));
    }

    private static String name(PositionalParamSpec positional) {
        String label = Roff.italic(positional.paramLabel());
        String repeated = positional.arity().max() > 1 ? label + "..." : label;
        return positional.required() ? repeated : "[" + repeated + "]";
    }

    private static String name(OptionSpec option, String name) {
        if (option.arity().max() == 0) {
            return Roff.bold(name);
        }
        String value = "=" + Roff.italic(option.paramLabel());
        return Roff.bold(name) + (option.arity().min() == 0 ? "[" + value + "]" : value);
    }

    private static void options(Roff page, CommandSpec spec) {
        page.section("OPTIONS");
        for (PositionalParamSpec positional : spec.positionalParameters()) {
            page.entry(Roff.italic(positional.paramLabel()), description(positional));
        }
        List<OptionSpec> sorted = new ArrayList<>(spec.options());
        sorted.sort(Comparator.comparing(OptionSpec::longestName));
        for (OptionSpec option : sorted) {
            List<String> names = new ArrayList<>();
            for (String name : option.names()) {
                names.add(name.startsWith("--") ? name(option, name) : Roff.bold(name));
            }
            page.entry(String.join(", ", names), description(option));
        }
    }

    private static String description(ArgSpec argument) {
        return String.join(" ", argument.description());
    }

    private static void commands(Roff page, CommandSpec spec) {
        if (spec.subcommands().isEmpty()) {
            return;
        }
        page.section("COMMANDS");
        if (spec.parent() != null) {
            spec.subcommands().keySet().forEach(name -> command(page, spec, name));
            return;
        }
        for (CommandTree.Group group : CommandTree.GROUPS) {
            page.subsection(group.title());
            group.names().forEach(name -> command(page, spec, name));
        }
    }

    private static void command(Roff page, CommandSpec above, String name) {
        CommandSpec spec = above.subcommands().get(name).getCommandSpec();
        page.entry(Roff.bold(name), spec.usageMessage().header()[0]);
    }

    private static void entries(Roff page, String heading, Map<String, String> entries) {
        if (entries.isEmpty()) {
            return;
        }
        page.section(heading);
        entries.forEach((term, text) -> page.entry(Roff.bold(term), text));
    }

    private static void seeAlso(Roff page, String self) {
        List<String> references = new ArrayList<>();
        references.add(CommandTree.NAME);
        for (String name : pagedCommands()) {
            references.add(pageName(name));
            for (String below : CommandTree.command(name).commands().keySet()) {
                references.add(pageName(name) + "-" + below);
            }
        }
        references.remove(self);
        List<String> words = new ArrayList<>();
        for (String reference : references) {
            words.add(Roff.bold(reference) + "(1)");
        }
        words.add(Roff.bold(CommandTree.NAME) + "(7)");
        words.add(Roff.bold(CommandTree.NAME + "-findings") + "(7)");
        words.add(Roff.bold("depmod") + "(8)");
        words.add(Roff.bold("modprobe") + "(8)");
        page.section("SEE ALSO").raw(String.join(", ", words));
    }
}
