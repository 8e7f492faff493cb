package dev.weaklink.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whether the launcher sees that something limits its memory or processor time. */
class LauncherLimitsTest {
    private static final String NO_PAGES_LIMIT = "9223372036854771712";

    @TempDir
    private Path directory;

    @Test
    void nothingToReadCountsAsLimited() throws Exception {
        assertThat(isLimited()).isTrue();
    }

    @Test
    void aGroupWithoutLimitsIsNotLimited() throws Exception {
        groups("0::/user.slice/user-0.slice/session-1.scope");
        file("cgroup/user.slice/user-0.slice/session-1.scope/memory.max", "max");
        file("cgroup/user.slice/user-0.slice/session-1.scope/cpu.max", "max 100000");
        file("cgroup/user.slice/memory.max", "max");

        assertThat(isLimited()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"user.slice/a/memory.max", "user.slice/memory.max", "memory.max"})
    void aLimitOfAnyGroupAboveCounts(String place) throws Exception {
        groups("0::/user.slice/a");
        file("cgroup/user.slice/a/cpu.max", "max 100000");
        file("cgroup/" + place, "1073741824");

        assertThat(isLimited()).isTrue();
    }

    @Test
    void aShareOfAProcessorIsALimit() throws Exception {
        groups("0::/");
        file("cgroup/cpu.max", "50000 100000");

        assertThat(isLimited()).isTrue();
    }

    @Test
    void theFirstVersionHasOneTreeForEachController() throws Exception {
        groups("4:memory:/docker/1", "3:cpuset:/docker/1", "1:cpuacct,cpu:/docker/1", "0::/");
        file("cgroup/memory/docker/1/memory.limit_in_bytes", NO_PAGES_LIMIT);
        file("cgroup/cpu/docker/1/cpu.cfs_quota_us", "-1");
        assertThat(isLimited()).isFalse();

        file("cgroup/cpu/docker/1/cpu.cfs_quota_us", "20000");
        assertThat(isLimited()).isTrue();
    }

    @Test
    void aContainerThatSeesOnlyItsOwnPartOfTheTreeIsLimitedAtItsTop() throws Exception {
        groups("4:memory:/docker/1");
        file("cgroup/memory/memory.limit_in_bytes", NO_PAGES_LIMIT);
        assertThat(isLimited()).isFalse();

        file("cgroup/memory/memory.limit_in_bytes", "536870912");
        assertThat(isLimited()).isTrue();
    }

    private void groups(String... lines) throws IOException {
        Files.write(directory.resolve("self"), List.of(lines));
    }

    private void file(String name, String content) throws IOException {
        Path file = directory.resolve(name);
        Files.createDirectories(file.getParent());
        Files.writeString(file, content + "\n");
    }

    private boolean isLimited() throws IOException, InterruptedException {
        String script = function("is_limited") + function("has_limit") + "is_limited\n";
        script = script.replace("/proc/self/cgroup", directory.resolve("self").toString())
                .replace("/sys/fs/cgroup", directory.resolve("cgroup").toString());
        Process shell = new ProcessBuilder("sh", "-euc", script).inheritIO().start();
        int status = shell.waitFor();
        assertThat(status).isBetween(0, 1);
        return status == 0;
    }

    private static String function(String name) throws IOException {
        String launcher = Files.readString(Path.of("weaklink"));
        int start = launcher.indexOf("\n" + name + "() {\n");
        assertThat(start).isNotNegative();
        return launcher.substring(start, launcher.indexOf("\n}\n", start) + 3);
    }
}
