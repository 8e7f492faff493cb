package dev.weaklink.realkernel;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** What a run could not judge, or judged in numbers: printed and kept in report.txt. */
final class Report {
    /** Where fetched packages lie, for all processes that run tests at the same time. */
    static final Path FETCHED = Path.of(System.getProperty("weaklink.build", "target"), "real-kernels")
            .toAbsolutePath();

    /** Where this process has its derived modules and its report. */
    static final Path DIRECTORY = FETCHED.resolve("run-" + System.getProperty("weaklink.fork", "1"));

    private static final Path FILE = DIRECTORY.resolve("report.txt");

    static {
        try {
            Files.deleteIfExists(FILE);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Report() {}

    static synchronized void say(String line) {
        System.out.println(line);
        try {
            Files.createDirectories(DIRECTORY);
            Files.writeString(FILE, line + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
