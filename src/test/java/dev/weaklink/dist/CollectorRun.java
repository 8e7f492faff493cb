package dev.weaklink.dist;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.weaklink.testing.ExternalTool;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Runs the collector with one shell after the other. */
final class CollectorRun {
  static final Path SCRIPT = Path.of("src/main/dist/weaklink-collect").toAbsolutePath();
  static final List<String> SHELLS = List.of("dash", "bash", "busybox");

  /** What it needs, but for kmod. */
  static final String[] TOOLS = {
    "awk", "cat", "find", "grep", "ls", "od", "readlink", "sed", "sha256sum", "sort", "tr", "xargs"
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

  /** With the tools of this system. */
  static CollectorRun in(Path scratch) {
    return new CollectorRun(null, scratch);
  }

  /** With nothing but these tools of the system; a missing one skips the test. */
  CollectorRun with(String... names) throws IOException {
    Path directory = Files.createTempDirectory(scratch, "tools");
    for (String name : names) {
      ExternalTool.orSkip(name);
      call(directory.resolve(name), located(name).toString());
    }
    return new CollectorRun(directory, scratch);
  }

  /** With the tools that are in busybox, and with kmod. */
  CollectorRun withBusyboxTools() throws IOException {
    CollectorRun run = with("modinfo", "modprobe", "busybox");
    for (String applet : ExternalTool.orSkip("busybox").run("--list").lines().toList()) {
      Path program = Objects.requireNonNull(run.tools).resolve(applet);
      if (!Files.exists(program)) {
        call(program, located("busybox") + " " + applet);
      }
    }
    return run;
  }

  /** Makes a program that is another one; links out of a scratch directory are warned about. */
  private static void call(Path program, String other) throws IOException {
    Files.writeString(program, "#!/bin/sh\nexec " + other + " \"$@\"\n");
    Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  Ran run(String shell, String input, String... arguments) throws Exception {
    assumeTrue(ExternalTool.find(shell).isPresent(), shell + " is not installed");
    List<String> command = new ArrayList<>(List.of(located(shell).toString()));
    if (shell.equals("busybox")) {
      command.add("ash");
    }
    command.add(SCRIPT.toString());
    command.addAll(List.of(arguments));
    Path err = scratch.resolve("err");
    ProcessBuilder builder = new ProcessBuilder(command).redirectError(err.toFile());
    builder.environment().put("PATH", tools == null ? systemPath() : tools.toString());
    Process process = builder.start();
    try (var in = process.getOutputStream()) {
      in.write(input.getBytes(StandardCharsets.UTF_8));
    } catch (IOException e) {
      // what does not read its input may have closed it
    }
    byte[] out = process.getInputStream().readAllBytes();
    return new Ran(process.waitFor(), out, Files.readString(err));
  }

  private static String systemPath() {
    return System.getenv("PATH") + ":/usr/sbin:/sbin";
  }

  private static Path located(String name) {
    for (String directory : systemPath().split(":")) {
      Path path = Path.of(directory, name);
      if (Files.isExecutable(path)) {
        return path;
      }
    }
    throw new IllegalStateException(name);
  }
}
