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
 * The system's dkms(8), confined to an image root: its tree, its sources and the place of its modules lie where they
 * would in a real system, but below that root. Holds the package wl-dkms 1.0 of {@code test-fixtures/dkms}.
 *
 * <p>Three things of dkms know no root. depmod always runs on /lib/modules, so it is switched off. A signing key is
 * made in /var/lib/dkms if there is a program to sign with; the variable {@code sign_file} names one that is not there.
 * What is temporary goes to {@code TMPDIR}.
 *
 * @param root the image root
 */
public record DkmsSandbox(Path root) {
    /** The package, as dkms takes it on its command line. */
    public static final String PACKAGE = "wl-dkms/1.0";

    private static final Path FIXTURE =
            Path.of("test-fixtures/dkms/wl-dkms-1.0").toAbsolutePath();

    /** Makes a root with the package's sources; without dkms, or not as root, skips the test. */
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

    /** Where dkms keeps what it has built. */
    public Path tree() {
        return root.resolve("var/lib/dkms");
    }

    /** The sources of the package. */
    public Path sources() {
        return root.resolve("usr/src/wl-dkms-1.0");
    }

    /** Where a kernel's modules are installed; the kernel's directory must be there for that. */
    public Path modules() {
        return root.resolve("lib/modules");
    }

    /** {@code dkms ARGUMENTS} in this root. */
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

    /** {@code dkms VERB} for the package and a kernel with this build tree. */
    public StandInRun run(String verb, String release, Path buildTree) throws IOException {
        return run(verb, "-m", PACKAGE, "-k", release, "--kernelsourcedir", buildTree.toString());
    }

    /** What keeps dkms from writing outside this root. */
    public Map<String, String> environment() {
        return Map.of("LC_ALL", "C", "TMPDIR", root.resolve("tmp").toString(), "sign_file", "/nonexistent");
    }
}
