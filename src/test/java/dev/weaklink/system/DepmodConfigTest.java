package dev.weaklink.system;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.sys.InputProblem;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

class DepmodConfigTest {
    @TempDir
    Path temp;

    private FakeImage image;

    @BeforeEach
    void makeImage() throws IOException {
        image = new FakeImage(temp.resolve("image"));
    }

    private DepmodConfig read() throws IOException {
        return DepmodConfig.read(image.root(), FakeImage.RELEASE);
    }

    private ModuleTree tree() throws IOException {
        return ModuleTree.scan(image.root(), FakeImage.RELEASE);
    }

    private void write(String inside, String text) throws IOException {
        image.touch(inside);
        Files.writeString(image.at(inside), text);
    }

    @Test
    void searchesUpdatesFirstWithoutFiles() throws IOException {
        assertThat(read()).isEqualTo(DepmodConfig.DEFAULT);
        assertThat(read().search()).containsExactly("updates", "built-in");
    }

    @Test
    void readsFilesInTheOrderOfTheirNames() throws IOException {
        write("/usr/lib/depmod.d/10-a.conf", "search one\n");
        write("/etc/depmod.d/20-b.conf", "search two\n");
        write("/lib/depmod.d/15-c.conf", "search three\n");
        write("/run/depmod.d/05-d.conf", "search four five");
        assertThat(read().search()).containsExactly("four", "five", "one", "three", "two");
    }

    @Test
    void fileHidesFilesOfTheSameNameInLaterDirectories() throws IOException {
        write("/lib/depmod.d/dist.conf", "search updates extra built-in weak-updates\n");
        write("/etc/depmod.d/dist.conf", "search updates weak-updates built-in\n");
        assertThat(read().search()).containsExactly("updates", "weak-updates", "built-in");
    }

    @Test
    void linkToTheNullDeviceHidesAFileOfTheSameName() throws IOException {
        write("/lib/depmod.d/dist.conf", "search extra built-in\n");
        Files.createSymbolicLink(image.at("/etc/depmod.d/dist.conf"), Path.of("../../null"));
        Files.createDirectory(image.at("/null"));
        assertThat(read()).isEqualTo(DepmodConfig.DEFAULT);
    }

    @Test
    void ignoresFilesWithOtherNames() throws IOException {
        write("/etc/depmod.d/a.conf.rpmsave", "search x");
        write("/etc/depmod.d/.b.conf", "search x");
        write("/etc/depmod.conf", "search x");
        assertThat(read()).isEqualTo(DepmodConfig.DEFAULT);
    }

    @Test
    void prefersTheLastOverride() throws IOException {
        write("/etc/depmod.d/a.conf", "override m * extra\noverride m 6.1 weak-updates\n");
        assertThat(read().overrides()).containsExactly("weak-updates/m", "extra/m");
    }

    @Test
    void linesForOtherKernelsAreLeftOut() throws IOException {
        write("/etc/depmod.d/a.conf", "override m ^6[.]2 extra\nexternal 5.14 /opt/x\n");
        assertThat(read()).isEqualTo(DepmodConfig.DEFAULT);
    }

    @Test
    void badLinesAreReportedWithTheirNumberAndTheRestIsUsed() throws IOException {
        write(
                "/etc/depmod.d/a.conf",
                "# fine\n\nfrobnicate\nsearch extra \\\n  built-in\noverride m\nexternal * relative\n"
                        + "external * /a /b\noverride m [ extra\ninclude x\nexclude old");
        DepmodConfig config = read();
        assertThat(config.search()).containsExactly("extra", "built-in");
        assertThat(config.externals()).containsExactly("/a");
        assertThat(config.excludes()).containsExactly("old");
        assertThat(config.problems())
                .extracting(InputProblem::subject)
                .containsExactly(
                        "/etc/depmod.d/a.conf:3",
                        "/etc/depmod.d/a.conf:6",
                        "/etc/depmod.d/a.conf:7",
                        "/etc/depmod.d/a.conf:8",
                        "/etc/depmod.d/a.conf:9",
                        "/etc/depmod.d/a.conf:10");
    }

    @Test
    void readsTheConfigurationInsideTheRoot() throws IOException {
        Path outside = Files.writeString(temp.resolve("outside.conf"), "search stolen\n");
        Files.createSymbolicLink(image.at("/etc/depmod.d/a.conf"), outside);
        assertThat(read().search()).containsExactly("updates", "built-in");
        assertThat(read().problems())
                .containsExactly(new InputProblem("/etc/depmod.d/a.conf", "cannot be read: no such file"));
    }

    @Test
    void doesNotReadAHugeFile() throws IOException {
        write("/etc/depmod.d/a.conf", "#".repeat(2 << 20));
        assertThat(read().problems()).hasSize(1);
    }

    @Test
    @Timeout(20)
    void reportsAnExpensiveLineAndUsesTheOthers() throws IOException {
        write(
                "/etc/depmod.d/a.conf",
                "override m ((){999999999}){999999999} extra\noverride n 6.1 extra\n"
                        + "override o (((){32767}){32767}){32767} extra\n");
        assertThat(read().overrides()).containsExactly("extra/n");
        assertThat(read().problems())
                .extracting(InputProblem::subject)
                .containsExactly("/etc/depmod.d/a.conf:1", "/etc/depmod.d/a.conf:3");
    }

    @Test
    void reportsAnInvalidExternalDirectoryAndReadsTheTree() throws IOException {
        image.with("kernel/a.ko");
        write("/etc/depmod.d/a.conf", "external * /a\0b\n");
        assertThat(tree().names()).containsExactly("a");
        assertThat(tree().problems()).hasSize(1);
    }

    @Test
    @Timeout(20)
    void wordsGivenManyTimesCountOnce() throws IOException {
        write("/etc/depmod.d/a.conf", "search" + " external".repeat(100_000));
        write("/etc/depmod.d/b.conf", "external * /opt\n".repeat(20_000));
        image.with("kernel/a.ko", "extra/a.ko");
        assertThat(tree().names()).containsExactly("a");
    }
}
