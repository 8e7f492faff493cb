package dev.weaklink.realkernel;

import dev.weaklink.realkernel.KernelAnswer.Outcome;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.zip.GZIPInputStream;
import org.jspecify.annotations.Nullable;

/** Reads the tables in test-fixtures/kernel-answers. */
final class KernelAnswers {
    private static final Path DIRECTORY = Path.of("test-fixtures/kernel-answers");
    private static final int COLUMNS = 11;

    private KernelAnswers() {}

    /** Returns all answers of the kernel with this release, in file order. */
    static List<KernelAnswer> of(String release) {
        Path file = DIRECTORY.resolve(release + ".tsv.gz");
        try (BufferedReader reader = new BufferedReader(
                new InputStreamReader(new GZIPInputStream(Files.newInputStream(file)), StandardCharsets.UTF_8))) {
            return reader.lines()
                    .filter(line -> !line.startsWith("#"))
                    .map(KernelAnswers::row)
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static KernelAnswer row(String line) {
        String[] columns = line.split("\t", -1);
        if (columns.length != COLUMNS) {
            throw new IllegalArgumentException(columns.length + " columns: " + line);
        }
        return new KernelAnswer(
                columns[0],
                optional(columns[1]),
                Outcome.valueOf(columns[2].replace('-', '_')),
                optional(columns[3]),
                names(columns[4]),
                names(columns[5]),
                names(columns[6]),
                names(columns[7]),
                names(columns[8]),
                optional(columns[9]),
                optional(columns[10]));
    }

    private static @Nullable String optional(String column) {
        return column.equals("-") ? null : column;
    }

    private static Set<String> names(String column) {
        return column.equals("-") ? Set.of() : new TreeSet<>(List.of(column.split(",")));
    }
}
