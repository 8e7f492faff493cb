package dev.weaklink.testing;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;

/** A process of another user that repeats steps until it is closed, in a private mount namespace. */
public final class OtherUser implements AutoCloseable {
    private static final int NOBODY = 65534;

    private final Process process;

    private OtherUser(Process process) {
        this.process = process;
    }

    /**
     * Makes a directory that belongs to the other user; skips the test if it does not run as root or a program is
     * missing.
     */
    public static Path directoryOrSkip(Path path) throws IOException {
        assumeTrue("root".equals(System.getProperty("user.name")), "only root can run programs as another user");
        for (String tool : List.of("setpriv", "unshare", "perl")) {
            ExternalTool.orSkip(tool);
        }
        Files.setPosixFilePermissions(path.getParent(), PosixFilePermissions.fromString("rwx--x--x"));
        own(Files.createDirectory(path));
        return path;
    }

    /** Gives a file or directory to the other user. */
    public static void own(Path path) throws IOException {
        Files.setAttribute(path, "unix:uid", NOBODY);
    }

    /** Starts a process that repeats steps, written in Perl, with these arguments. */
    public static OtherUser repeating(String steps, Path... arguments) throws IOException {
        List<String> words = new ArrayList<>(List.of("unshare", "-m", "setpriv", "--reuid=" + NOBODY));
        words.addAll(List.of("--regid=" + NOBODY, "--clear-groups", "perl", "-e", "while (1) { " + steps + " }"));
        for (Path argument : arguments) {
            words.add(argument.toString());
        }
        return new OtherUser(new ProcessBuilder(words).inheritIO().start());
    }

    @Override
    public void close() {
        process.destroyForcibly().onExit().join();
    }
}
