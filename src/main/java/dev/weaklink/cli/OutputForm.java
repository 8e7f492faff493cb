package dev.weaklink.cli;

import dev.weaklink.check.result.ExitCode;
import dev.weaklink.report.Format;
import dev.weaklink.report.TableOptions;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;

record OutputForm(Format format, OutputFile file) {
    static final List<Format> OF_MODULES =
            List.of(Format.TABLE, Format.JSON, Format.CSV, Format.MARKDOWN, Format.JUNIT);

    static final String FORMAT = "--format";

    static void addTo(CommandSpec spec, List<Format> formats) {
        spec.addOption(option(formats));
        OutputFile.addTo(spec);
    }

    private static String oneOf(List<String> words) {
        int last = words.size() - 1;
        return "Print " + words.get(0) + " (default)" + (last > 1 ? ", " : "")
                + String.join(", ", words.subList(1, last)) + " or " + words.get(last) + ".";
    }

    static OptionSpec option(List<Format> formats) {
        return Options.choice(Format.words(formats), FORMAT).toBuilder()
                .paramLabel("FORMAT")
                .description(oneOf(Format.words(formats)), Format.purposes(formats))
                .build();
    }

    static OutputForm of(ParseResult parsed) {
        List<String> words = new ArrayList<>();
        parsed.commandSpec().findOption(FORMAT).completionCandidates().forEach(words::add);
        return new OutputForm(Format.of(Options.word(parsed, FORMAT, words)), OutputFile.of(parsed));
    }

    /**
     * Reads the output options where only the formats table and JSON are supported.
     *
     * @param option the reason for the restriction, as the error message names it: an option, or words such as "an
     *     explanation of findings"
     * @throws UsageException if the user selected another format
     */
    static OutputForm tableOrJson(ParseResult parsed, String option) {
        OutputForm form = of(parsed);
        if (form.format() != Format.TABLE && form.format() != Format.JSON) {
            throw new UsageException(option + " takes --format table or json");
        }
        return form;
    }

    TableOptions table(ParseResult parsed, Console console, boolean verbose) {
        boolean terminal = file.file() == null && console.terminal().isTerminal(Console.STDOUT);
        int columns = terminal ? console.terminal().columns() : Terminal.DEFAULT_COLUMNS;
        boolean color = ColorChoice.isOn(parsed, console);
        boolean wanted = file.file() == null || ColorChoice.ALWAYS.equals(Options.text(parsed, Options.COLOR));
        return new TableOptions(columns, color && wanted, verbose);
    }

    /**
     * Writes a result.
     *
     * @param status the exit status, unless writing fails
     * @return the exit status
     */
    int write(OutputFile.Writer writer, Console console, int status) throws IOException {
        boolean written = file.write(writer, console);
        console.out().flush();
        return written ? status : ExitCode.UNUSABLE.number();
    }
}
