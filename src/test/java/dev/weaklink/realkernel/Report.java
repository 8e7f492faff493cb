package dev.weaklink.realkernel;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** A report of cases that a run could not decide, and of measured numbers; printed and stored in report.txt. */
final class Report {
    /** The directory of fetched packages, shared by all processes that run tests at the same time. */
    static final Path FETCHED = Path.of(System.getProperty("weaklink.build", "target"), "real-kernels")
            .toAbsolutePath();

    /** The directory of this process for derived modules and the report. */
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
