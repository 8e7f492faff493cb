package dev.weaklink.sys;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weaklink.testing.ExternalTool;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.assertj.core.api.Assumptions;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LockFileTest {
    @TempDir
    Path directory;

    private Path file;

    @BeforeEach
    void name() throws IOException {
        file = directory.toRealPath().resolve("lock");
    }

    private @Nullable LockFile acquire(List<LockFile.Holder> told) throws IOException {
        return LockFile.acquire(file, "a command\nwith lines", Duration.ZERO, told::add);
    }

    @Test
    void recordsTheHolderWhileLocked() throws IOException {
        try (LockFile lock = acquire(new ArrayList<>())) {
            assertThat(lock).isNotNull();
            List<String> lines = Files.readAllLines(file);
            assertThat(lines).hasSize(3).contains("a command with lines");
            assertThat(lines.get(0))
                    .isEqualTo(Long.toString(ProcessHandle.current().pid()));
        }
        assertThat(file).isEmptyFile();
    }

    @Test
    void ignoresAStaleFile() throws IOException {
        Files.writeString(file, "1\n0\nan old command\n");
        try (LockFile lock = acquire(new ArrayList<>())) {
            assertThat(lock).isNotNull();
        }
    }

    @Test
    void refusesASecondLockInOneProcess() throws IOException {
        List<LockFile.Holder> told = new ArrayList<>();
        try (LockFile lock = acquire(told)) {
            assertThat(lock).isNotNull();
            assertThat(acquire(told)).isNull();
            assertThat(told)
                    .extracting(LockFile.Holder::pid)
                    .containsExactly(ProcessHandle.current().pid());
        }
        try (LockFile again = acquire(told)) {
            assertThat(again).isNotNull();
        }
    }

    @Test
    void namesTheHoldingProcessAndIsFreeAfterItsDeath() throws Exception {
        Process other = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        LockHolder.class.getName(),
                        file.toString())
                .redirectErrorStream(true)
                .start();
        assertThat(other.getInputStream().read()).isEqualTo('L');
        List<LockFile.Holder> told = new ArrayList<>();
        assertThat(acquire(told)).isNull();
        assertThat(told).hasSize(1);
        assertThat(told.get(0).pid()).isEqualTo(other.pid());
        assertThat(told.get(0).command()).isEqualTo("the other command");
        other.destroyForcibly().waitFor();
        try (LockFile lock = LockFile.acquire(file, "next", Duration.ofSeconds(20), holder -> {})) {
            assertThat(lock).isNotNull();
        }
    }

    @Test
    void seesTheHolderWithoutWritePermission() throws Exception {
        try (LockFile lock = acquire(new ArrayList<>())) {
            assertThat(lock).isNotNull();
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                    .isEqualTo("rw-------");
            assertThat(asNobody()).isEqualTo("held");
        }
        assertThat(asNobody()).isEqualTo("free");
    }

    /** Runs {@link LockHolder} as a user who may not even read the file. */
    private String asNobody() throws Exception {
        Path setpriv = ExternalTool.orSkip("setpriv").path();
        Assumptions.assumeThat(System.getProperty("user.name")).isEqualTo("root");
        Files.setPosixFilePermissions(directory.toRealPath(), PosixFilePermissions.fromString("rwxr-xr-x"));
        Process other = new ProcessBuilder(
                        setpriv.toString(),
                        "--reuid=65534",
                        "--regid=65534",
                        "--clear-groups",
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        LockHolder.class.getName(),
                        file.toString(),
                        "look")
                .redirectErrorStream(true)
                .start();
        String said = new String(other.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        Assumptions.assumeThat(said).as("nobody may read the classes").doesNotContain("Error:");
        return said;
    }

    @Test
    void ignoresInvalidContents() throws IOException {
        for (String nonsense : List.of("", "x\ny\nz\n", "\n\n\n", "12", "99999999999999999999\n1\nx\n")) {
            Files.writeString(file, nonsense);
            assertThat(LockFile.holder(file)).isEqualTo(LockFile.Holder.UNKNOWN);
        }
    }

    @Test
    void linksAndDirectoriesAreRefused() throws IOException {
        Files.createDirectory(file);
        assertThatThrownBy(() -> acquire(new ArrayList<>())).hasMessageContaining("not a regular file");
        Files.delete(file);
        Files.createSymbolicLink(file, directory.resolve("elsewhere"));
        assertThatThrownBy(() -> acquire(new ArrayList<>())).hasMessageContaining("not a regular file");
        assertThat(directory.resolve("elsewhere")).doesNotExist();
    }
}
