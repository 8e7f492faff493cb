package dev.weaklink.standin;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * An unpacked installation image made of {@code test-fixtures/mlnx-stand-in}.
 *
 * @param directory the argument for {@code mlnx_add_kernel_support.sh -m}
 */
public record StandInImage(Path directory) {
    public static final Path FIXTURE = Path.of("test-fixtures/mlnx-stand-in").toAbsolutePath();

    /** The modules of the stand-in, each after the modules that it uses. */
    public static final List<String> MODULES = List.of("wl_compat", "wl_core", "wl_en");

    /** Creates an image of MLNX_OFED_LINUX with RPMs. The directory must not exist. */
    public static StandInImage make(Path directory) throws IOException {
        return make(directory, "MLNX_OFED_LINUX");
    }

    /** Creates an image with RPMs of a product: MLNX_OFED_LINUX or mlnx-en. */
    public static StandInImage make(Path directory, String product) throws IOException {
        return made(directory, "-p", product, "-f", "rpm");
    }

    /** Creates an image of MLNX_OFED_LINUX for Debian 12, with Debian packages. */
    public static StandInImage makeDebian(Path directory) throws IOException {
        return made(directory, "-d", "debian12");
    }

    private static StandInImage made(Path directory, String... options) throws IOException {
        List<String> words =
                new ArrayList<>(List.of("sh", FIXTURE.resolve("make-image.sh").toString()));
        words.addAll(List.of(options));
        words.add(directory.toString());
        StandInRun run = StandInRun.of(words, Map.of());
        if (run.exitCode() != 0) {
            throw new IOException("make-image.sh: " + run.output() + run.stderr());
        }
        return new StandInImage(directory);
    }

    /**
     * Unpacks the image that a rebuild packed into a tar archive.
     *
     * @param below the parent of the image's directory
     */
    public static StandInImage unpack(Path tarball, Path below) throws IOException {
        StandInRun run = StandInRun.of(List.of("tar", "xzf", tarball.toString(), "-C", below.toString()), Map.of());
        if (run.exitCode() != 0) {
            throw new IOException("tar: " + run.stderr());
        }
        String name = tarball.getFileName().toString();
        return new StandInImage(below.resolve(name.substring(0, name.length() - ".tgz".length())));
    }

    public Path script() {
        return directory.resolve("mlnx_add_kernel_support.sh");
    }

    /** Runs the image's script with only these arguments, and with only these switches and PATH in the environment. */
    public StandInRun run(Map<String, String> switches, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(script().toString()));
        command.addAll(List.of(arguments));
        return StandInRun.of(command, switches);
    }

    /**
     * Returns switches for a run as root of Debian 12 that packs prepared modules as plain files. Such a run needs no
     * compiler, rpmbuild or privileges. The modules are not ELF files.
     *
     * @param scratch the directory to write the modules to
     */
    public static Map<String, String> withoutCompiler(Path scratch) throws IOException {
        Path modules = Files.createDirectories(scratch.resolve("ready-made"));
        for (String module : MODULES) {
            Files.writeString(modules.resolve(module + ".ko"), "built: " + module + "\n");
        }
        return Map.of(
                "STANDIN_UID",
                "0",
                "STANDIN_OS_RELEASE",
                osRelease(scratch, "debian", "12").toString(),
                "STANDIN_MODULES",
                modules.toString(),
                "STANDIN_PACKING",
                "plain");
    }

    static Path osRelease(Path scratch, String id, String version) throws IOException {
        return Files.writeString(
                scratch.resolve("os-release-" + id + version),
                "ID=" + id + "\nVERSION_ID=\"" + version + "\"\n",
                StandardCharsets.US_ASCII);
    }
}
