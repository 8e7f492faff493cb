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

/** In which form a result is written, and where to. */
record OutputForm(Format format, OutputFile file) {
    /** Those of gates and plans. */
    static final List<Format> OF_MODULES =
            List.of(Format.TABLE, Format.JSON, Format.CSV, Format.MARKDOWN, Format.JUNIT);

    static final String FORMAT = "--format";

    /** Adds the options; the first form is the one nobody has to ask for. */
    static void addTo(CommandSpec spec, List<Format> formats) {
        spec.addOption(option(formats));
        OutputFile.addTo(spec);
    }

    /** The option for the form alone. */
    static OptionSpec option(List<Format> formats) {
        return Options.choice(Format.words(formats), FORMAT).toBuilder()
                .paramLabel("FORMAT")
                .description(Format.purposes(formats))
                .build();
    }

    /**
     * What was asked for.
     *
     * @throws UsageException if it cannot be had, or nothing can be written there
     */
    static OutputForm of(ParseResult parsed) {
        List<String> words = new ArrayList<>();
        parsed.commandSpec().findOption(FORMAT).completionCandidates().forEach(words::add);
        return new OutputForm(Format.of(Options.word(parsed, FORMAT, words)), OutputFile.of(parsed));
    }

    /**
     * The same with an option that has no more than these two forms.
     *
     * @throws UsageException if another one was asked for
     */
    static OutputForm tableOrJson(ParseResult parsed, String option) {
        OutputForm form = of(parsed);
        if (form.format() != Format.TABLE && form.format() != Format.JSON) {
            throw new UsageException(option + " takes --format table or json");
        }
        return form;
    }

    /** How a table looks there. */
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
     * @param status the exit status, unless it could not be written
     * @return the exit status
     */
    int write(OutputFile.Writer writer, Console console, int status) throws IOException {
        boolean written = file.write(writer, console);
        console.out().flush();
        return written ? status : ExitCode.UNUSABLE.number();
    }
}
