package dev.weaklink.sys;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.weaklink.testing.ExternalTool;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RegularFileTest {
    @TempDir
    Path directory;

    @ParameterizedTest
    @ValueSource(strings = {"/proc/kmsg", "/proc/self/pagemap", "/proc/self/maps", "/sys/kernel/notes"})
    void refusesFilesThatTheKernelProvidesThroughLinks(String file) throws IOException {
        // A chroot may lack /sys.
        assumeThat(Path.of(file)).exists();
        Path link = Files.createSymbolicLink(directory.resolve("a.ko"), Path.of(file));
        assertThatThrownBy(() -> RegularFile.open(link)).hasMessage("is a virtual file of the kernel, not on a disk");
    }

    @Test
    void opensFilesOnADisk() throws IOException {
        Path file = Files.write(directory.resolve("file"), new byte[3]);
        assertThat(RegularFile.size(file)).isEqualTo(3);
        try (InputStream in = RegularFile.open(file)) {
            assertThat(in.readAllBytes()).hasSize(3);
        }
    }

    @Test
    void refusesEverythingElse() {
        assertThatThrownBy(() -> RegularFile.size(directory)).hasMessage("is a directory");
        assertThatThrownBy(() -> RegularFile.size(Path.of("/dev/zero"))).hasMessage("not a regular file");
        assertThatThrownBy(() -> RegularFile.open(directory.resolve("none"))).isInstanceOf(NoSuchFileException.class);
    }

    /** A shell script that starts a chroot. Its root is no mount point, so /proc/mounts lists no mount of its files. */
    private static final String CHROOT = """
        set -e
        for top in /*; do
          [ ! -d "$top" ] || [ -L "$top" ] || { mkdir -p "$1$top"; mount --rbind "$top" "$1$top"; }
          [ ! -L "$top" ] || ln -s "$(readlink "$top")" "$1$top"
        done
        shift
        exec chroot "$@"
        """;

    @Test
    void readsFilesInAChrootWhoseMountIsNotListed() throws Exception {
        Path chroot = Files.createDirectory(directory.resolve("chroot"));
        Files.write(chroot.resolve("file.ko"), new byte[3]);
        Files.createSymbolicLink(chroot.resolve("kmsg.ko"), Path.of("/proc/kmsg"));
        assertThat(inChroot(chroot, "/file.ko", "/kmsg.ko")).isEqualTo("""
            Mount point not found
            3
            is a virtual file of the kernel, not on a disk
            """);
    }

    private static String inChroot(Path chroot, String... files) throws Exception {
        ExternalTool.orSkip("unshare");
        assumeTrue(new ProcessBuilder("unshare", "-m", "true").start().waitFor() == 0, "no mount namespaces");
        String root = chroot.toString();
        Path java = Path.of(System.getProperty("java.home"), "bin/java");
        String classes = System.getProperty("java.class.path");
        List<String> words = new ArrayList<>(List.of("unshare", "-m", "sh", "-c", CHROOT, "sh", root, root));
        words.addAll(List.of(java.toString(), "-cp", absolute(classes), InChroot.class.getName()));
        words.addAll(List.of(files));
        Process process = new ProcessBuilder(words).redirectErrorStream(true).start();
        String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(out).isZero();
        return out;
    }

    private static String absolute(String classes) {
        return Arrays.stream(classes.split(File.pathSeparator))
                .map(entry -> Path.of(entry).toAbsolutePath().toString())
                .collect(Collectors.joining(File.pathSeparator));
    }

    /**
     * Prints the reason why the first file has no file store, and then each file's size or the reason for its refusal.
     */
    static final class InChroot {
        private InChroot() {}

        public static void main(String... files) {
            try {
                System.out.println(Files.getFileStore(Path.of(files[0])));
            } catch (IOException e) {
                System.out.println(e.getMessage());
            }
            for (String file : files) {
                try {
                    System.out.println(RegularFile.size(Path.of(file)));
                } catch (IOException e) {
                    System.out.println(e.getMessage());
                }
            }
        }
    }
}
