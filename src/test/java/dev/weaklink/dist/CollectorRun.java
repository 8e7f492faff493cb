package dev.weaklink.dist;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.weaklink.testing.ExternalTool;
import dev.weaklink.testing.Shells;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

final class CollectorRun {
    static final Path SCRIPT = Path.of("src/main/dist/weaklink-collect").toAbsolutePath();

    /** The tools that the collector needs, except kmod's. */
    static final String[] TOOLS = {
        "awk", "cat", "find", "grep", "ls", "od", "printf", "readlink", "sed", "sha256sum", "sort", "tr", "xargs"
    };

    private static final ObjectMapper MAPPER = new ObjectMapper();

    record Ran(int status, byte[] out, String err) {
        String text() {
            return new String(out, StandardCharsets.UTF_8);
        }

        JsonNode json() throws IOException {
            return MAPPER.readTree(out);
        }
    }

    private final @Nullable Path tools;
    private final Path scratch;

    private CollectorRun(@Nullable Path tools, Path scratch) {
        this.tools = tools;
        this.scratch = scratch;
    }

    /** Returns a run with the tools of this system. */
    static CollectorRun in(Path scratch) {
        return new CollectorRun(null, scratch);
    }

    /** Returns a run with only these tools of the system; skips the test if a tool is missing. */
    CollectorRun with(String... names) throws IOException {
        Path directory = Files.createTempDirectory(scratch, "tools");
        return new CollectorRun(directory, scratch).and(names);
    }

    /** Adds tools of the system; skips the test if a tool is missing. */
    CollectorRun and(String... names) throws IOException {
        for (String name : names) {
            Path program = Objects.requireNonNull(tools).resolve(name);
            call(program, ExternalTool.orSkip(name).path().toString());
        }
        return this;
    }

    /** Replaces a tool by a shell script, in which REAL is the path of the real tool. */
    CollectorRun replacing(String name, String body) throws IOException {
        Path program = Objects.requireNonNull(tools).resolve(name);
        String real = ExternalTool.orSkip(name).path().toString();
        Files.writeString(program, "#!/bin/sh\n" + body.replace("REAL", real) + "\n");
        return this;
    }

    /** Returns a run with the tools in busybox and with kmod. */
    CollectorRun withBusyboxTools() throws IOException {
        CollectorRun run = with("modinfo", "modprobe", "busybox");
        ExternalTool busybox = ExternalTool.orSkip("busybox");
        for (String applet : busybox.run("--list").lines().toList()) {
            Path program = Objects.requireNonNull(run.tools).resolve(applet);
            if (!Files.exists(program)) {
                call(program, busybox.path() + " " + applet);
            }
        }
        return run;
    }

    /** Creates a script that starts another program, because JUnit warns about links out of a temporary directory. */
    private static void call(Path program, String other) throws IOException {
        Files.writeString(program, "#!/bin/sh\nexec " + other + " \"$@\"\n");
        Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    Ran run(String shell, String input, String... arguments) throws Exception {
        List<String> command = Shells.command(shell);
        command.add(SCRIPT.toString());
        command.addAll(List.of(arguments));
        Path err = scratch.resolve("err");
        ProcessBuilder builder = new ProcessBuilder(command).redirectError(err.toFile());
        builder.environment().put("PATH", tools == null ? systemPath() : tools.toString());
        Process process = builder.start();
        try (var in = process.getOutputStream()) {
            in.write(input.getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            // A program that does not read its input may have closed it.
        }
        byte[] out = process.getInputStream().readAllBytes();
        return new Ran(process.waitFor(), out, Files.readString(err));
    }

    private static String systemPath() {
        return System.getenv("PATH") + ":/usr/sbin:/sbin";
    }
}
