package dev.weaklink.compat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Saves and restores a tree, so that two tools can run on the same tree. */
final class Snapshots {
    private Snapshots() {}

    /** Makes the second tree a copy of the first. Symlinks are copied as symlinks. */
    static void copy(Path from, Path to) throws IOException {
        delete(to);
        run("cp", "-a", from.toString(), to.toString());
    }

    /** Deletes a tree if it exists. */
    static void delete(Path tree) throws IOException {
        if (Files.exists(tree)) {
            run("rm", "-rf", tree.toString());
        }
    }

    /** Runs a program of the system, and throws if the program fails. */
    static void run(String... command) throws IOException {
        try {
            Process process = new ProcessBuilder(List.of(command)).inheritIO().start();
            if (process.waitFor() != 0) {
                throw new IOException(List.of(command) + " failed");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }
}
