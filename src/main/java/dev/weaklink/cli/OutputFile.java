package dev.weaklink.cli;

import dev.weaklink.sys.IoReason;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/**
 * The destination of a result.
 *
 * @param file the file, null for standard output
 */
record OutputFile(@Nullable Path file) {
    private static final String OUTPUT = "--output";
    private static final String STANDARD_OUTPUT = "-";

    interface Writer {
        void write(OutputStream out) throws IOException;
    }

    static void addTo(CommandSpec spec) {
        spec.addOption(Options.value("FILE", "-o", OUTPUT));
    }

    static OutputFile of(ParseResult parsed) {
        String name = Options.text(parsed, OUTPUT);
        if (name == null || name.equals(STANDARD_OUTPUT)) {
            return new OutputFile(null);
        }
        try {
            Path file = Path.of(name);
            Path directory = file.toAbsolutePath().getParent();
            if (directory != null && !Files.isDirectory(file)) {
                if (!Files.isDirectory(directory)) {
                    throw new UsageException(OUTPUT + " " + name + ": there is no directory " + directory);
                }
                return new OutputFile(file);
            }
        } catch (InvalidPathException e) {
            // not a valid file name
        }
        throw new UsageException(OUTPUT + " takes the name of a file, not '" + name + "'");
    }

    /**
     * Writes a result.
     *
     * @return false if the file cannot be written; a message then gives the reason
     * @throws IOException if standard output cannot be written
     */
    boolean write(Writer writer, Console console) throws IOException {
        if (file == null) {
            writer.write(console.out());
            return true;
        }
        try {
            ReplacedFile.write(file, writer::write);
            return true;
        } catch (IOException e) {
            console.message(file + ": cannot be written: " + IoReason.of(e));
            return false;
        }
    }
}
