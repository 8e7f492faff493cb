package dev.weaklink.realkernel;

import dev.weaklink.testing.ExternalTool;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;

/**
 * A directory of programs, to be first in PATH. Its gcc answers questions about the compiler, and hangs at the first
 * object file.
 */
final class EndlessCompiler implements AutoCloseable {
    private static final String MARK = "WEAKLINK_TEST=";

    private final Path directory;
    private final Path started;

    private EndlessCompiler(Path directory) {
        this.directory = directory;
        this.started = directory.resolve("started");
    }

    /** Creates the programs in a new directory below {@code below}. */
    static EndlessCompiler in(Path below) throws IOException {
        EndlessCompiler compiler = new EndlessCompiler(Files.createDirectory(below.resolve("gcc")));
        ExternalTool.orSkip("mkfifo").run(compiler.started.toString());
        String script = """
        #!/bin/sh
        case " $* " in
        *' -c '*.c*) echo started >'%s' && exec sleep 600 ;;
        esac
        exec /usr/bin/%s "$@"
        """;
        for (String name : List.of("gcc", "gcc-12")) {
            Path program = compiler.directory.resolve(name);
            Files.writeString(program, script.formatted(compiler.started, name));
            Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwxr-xr-x"));
        }
        return compiler;
    }

    /** Starts a program that will use this compiler. */
    Process start(List<String> command) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.redirectOutput(directory.resolve("output").toFile());
        builder.redirectInput(new File("/dev/null"));
        builder.environment().merge("PATH", directory + ":", (path, first) -> first + path);
        builder.environment().put("WEAKLINK_TEST", directory.toString());
        return builder.start();
    }

    /** Waits until the compiler is started for an object file. */
    void awaitStart() throws IOException {
        Files.readString(started);
    }

    /** Returns the number of running processes that use this compiler. */
    long processes() {
        return ProcessHandle.allProcesses().filter(this::isOurs).count();
    }

    @Override
    public void close() {
        ProcessHandle.allProcesses().filter(this::isOurs).forEach(ProcessHandle::destroyForcibly);
    }

    private boolean isOurs(ProcessHandle handle) {
        try {
            byte[] environment = Files.readAllBytes(Path.of("/proc", handle.pid() + "", "environ"));
            String text = "\0" + new String(environment, StandardCharsets.ISO_8859_1);
            return text.contains("\0" + MARK + directory + "\0");
        } catch (IOException e) {
            return false;
        }
    }
}
