package dev.weaklink.standin;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.weaklink.testing.ExternalTool;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * The system's dkms(8), confined to an image: dkms's tree, its sources and the modules have their usual paths below the
 * image's root directory. The image contains the package wl-dkms 1.0 of {@code test-fixtures/dkms}.
 *
 * <p>dkms has no option for three things. depmod always processes /lib/modules, so it is switched off. dkms creates a
 * signing key in /var/lib/dkms if a signing program exists, so the variable {@code sign_file} names a missing program.
 * Temporary files go to {@code TMPDIR}.
 *
 * @param root the root directory of the image
 */
public record DkmsSandbox(Path root) {
    /** The package in the form of dkms's arguments. */
    public static final String PACKAGE = "wl-dkms/1.0";

    private static final Path FIXTURE =
            Path.of("test-fixtures/dkms/wl-dkms-1.0").toAbsolutePath();

    /** Creates an image with the package's sources; skips the test without dkms or if not run as root. */
    public static DkmsSandbox orSkip(Path root) throws IOException {
        ExternalTool.orSkip("dkms");
        assumeTrue("root".equals(System.getProperty("user.name")), "dkms runs as root only");
        DkmsSandbox sandbox = new DkmsSandbox(root);
        Files.createDirectories(sandbox.tree());
        Files.createDirectories(sandbox.modules());
        Files.createDirectories(root.resolve("tmp"));
        Files.createDirectories(sandbox.sources());
        try (Stream<Path> files = Files.list(FIXTURE)) {
            for (Path file : files.toList()) {
                Files.copy(file, sandbox.sources().resolve(file.getFileName()));
            }
        }
        return sandbox;
    }

    /** Returns the directory in which dkms keeps its builds. */
    public Path tree() {
        return root.resolve("var/lib/dkms");
    }

    public Path sources() {
        return root.resolve("usr/src/wl-dkms-1.0");
    }

    /**
     * Returns the parent of the kernels' module directories. dkms installs only for a kernel whose directory exists.
     */
    public Path modules() {
        return root.resolve("lib/modules");
    }

    /** Runs {@code dkms ARGUMENTS} in the image. */
    public StandInRun run(String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of("dkms"));
        command.addAll(List.of(arguments));
        command.addAll(List.of("--dkmstree", tree().toString()));
        command.addAll(List.of("--sourcetree", root.resolve("usr/src").toString()));
        command.addAll(List.of("--installtree", modules().toString()));
        if (!arguments[0].equals("status")) {
            command.add("--no-depmod");
        }
        return StandInRun.of(command, environment());
    }

    /** Runs {@code dkms VERB} for the package and a kernel with this build tree. */
    public StandInRun run(String verb, String release, Path buildTree) throws IOException {
        return run(verb, "-m", PACKAGE, "-k", release, "--kernelsourcedir", buildTree.toString());
    }

    /** Returns the variables that keep dkms from writing outside of the image. */
    public Map<String, String> environment() {
        return Map.of("LC_ALL", "C", "TMPDIR", root.resolve("tmp").toString(), "sign_file", "/nonexistent");
    }
}
