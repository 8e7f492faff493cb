package dev.weaklink.cli;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;

/**
 * A checkout with the real launcher and a stand-in for Maven. The stand-in copies a finished jar, records its calls in
 * {@code builds}, and fails if there is a file {@code broken}.
 */
final class Checkout {
    final Path home;
    private final Path bin;

    /** The exit status and the output of a process. */
    record Result(int status, String out, String err) {}

    /** A running process. */
    record Started(Process process, Path err) {
        Result finish() throws IOException, InterruptedException {
            String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            int status = process.waitFor();
            return new Result(status, out, Files.readString(err));
        }
    }

    Checkout(Path directory, String name) throws IOException {
        home = directory.resolve(name);
        bin = directory.resolve("bin");
        Files.createDirectories(home.resolve("src/main"));
        Files.createDirectories(home.resolve("rules"));
        Files.createDirectories(bin);
        Files.writeString(home.resolve("pom.xml"), "<project/>");
        Files.copy(Path.of("weaklink"), home.resolve("weaklink"), StandardCopyOption.COPY_ATTRIBUTES);
        writeJar(home.resolve("finished.jar"));
        script(bin.resolve("mvn"), """
        echo "$@" >> builds
        if [ -e broken ]; then echo '[ERROR] missing semicolon'; exit 1; fi
        mkdir -p target && cp finished.jar target/weaklink.jar
        """);
    }

    /** Returns the number of calls of Maven. */
    int builds() throws IOException {
        Path log = home.resolve("builds");
        return Files.exists(log) ? Files.readAllLines(log).size() : 0;
    }

    Path launcher() {
        return home.resolve("weaklink");
    }

    Result run(String... arguments) throws IOException, InterruptedException {
        return run(Map.of(), launcher(), arguments);
    }

    /** Runs the launcher by this path, with these additional environment variables. */
    Result run(Map<String, String> environment, Path launcher, String... arguments)
            throws IOException, InterruptedException {
        return start(environment, launcher, arguments).finish();
    }

    /** Starts the launcher in the checkout's parent directory; standard input is empty. */
    Started start(Map<String, String> environment, Path launcher, String... arguments) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(launcher.toString());
        command.addAll(Arrays.asList(arguments));
        Path err = Files.createTempFile(home, "err", "");
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.directory(home.getParent().toFile());
        builder.environment().remove("WEAKLINK_JAVA_OPTS");
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        builder.environment().put("PATH", bin + ":/usr/bin:/bin");
        builder.environment().putAll(environment);
        builder.redirectError(err.toFile());
        Process process = builder.start();
        process.getOutputStream().close();
        return new Started(process, err);
    }

    static void script(Path file, String body) throws IOException {
        Files.writeString(file, "#!/bin/sh\n" + body);
        if (!file.toFile().setExecutable(true)) {
            throw new IOException(file + " cannot be made executable");
        }
    }

    private static void writeJar(Path file) throws IOException {
        Manifest manifest = new Manifest();
        manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
        manifest.getMainAttributes().put(Attributes.Name.MAIN_CLASS, EchoMain.class.getName());
        String entry = EchoMain.class.getName().replace('.', '/') + ".class";
        try (OutputStream out = Files.newOutputStream(file);
                JarOutputStream jar = new JarOutputStream(out, manifest);
                InputStream in = EchoMain.class.getClassLoader().getResourceAsStream(entry)) {
            jar.putNextEntry(new JarEntry(entry));
            in.transferTo(jar);
        }
    }
}
