package dev.weaklink.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.testing.ExternalTool;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The initramfs images that weak-modules renews, with stand-ins for the programs that make them. */
class WeakModulesInitramfsTest extends RedHatImage {
    /** Writes a program that records its arguments. */
    private Path standIn(String name, int status) throws IOException {
        Path program = directory.resolve(name);
        Files.writeString(
                program, "#!/bin/sh\necho \"$@\" >> '%s'\nexit %d\n".formatted(directory.resolve("calls"), status));
        Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwxr-xr-x"));
        return program;
    }

    private List<String> calls() throws IOException {
        Path calls = directory.resolve("calls");
        return Files.exists(calls) ? Files.readAllLines(calls) : List.of();
    }

    private WholeRun withImages(String stdin, String... options) {
        List<String> words = new ArrayList<>(List.of("weak-modules", "--basedir"));
        words.add(image.root().toString());
        words.addAll(List.of(options));
        return WholeRun.reading(stdin.getBytes(StandardCharsets.UTF_8), words.toArray(new String[0]));
    }

    @Test
    void dracutRenewsExistingImages() throws IOException {
        extra("a", 5);
        image.file("boot/initramfs-" + NEW + ".img", new byte[1]);
        String dracut = standIn("my dracut", 0).toString();

        assertThat(withImages(list("a"), "--add-modules", "--dracut", dracut)).isEqualTo(new WholeRun(0, "", ""));

        Path renewed = image.root().resolve("boot/initramfs-" + NEW + ".img");
        assertThat(calls()).containsExactly("-f " + renewed.toRealPath() + " " + NEW);
    }

    @Test
    void callsTheGivenProgramInsteadOfDracut() throws IOException {
        extra("a", 5);
        image.file("boot/initramfs-" + NEW + ".img", new byte[1]);
        image.file("boot/initramfs-" + OLD + ".img", new byte[1]);
        String program = standIn("checker", 0).toString();

        WholeRun run = withImages(list("a"), "--add-modules", "--check-initramfs-prog", program, "--dracut", "/none");

        assertThat(run).isEqualTo(new WholeRun(0, "", ""));
        assertThat(calls()).containsExactlyInAnyOrder(OLD, NEW);
    }

    @Test
    void runsNothingInADryRunOrWithoutImages() throws IOException {
        extra("a", 5);
        String dracut = standIn("dracut", 0).toString();
        withImages(list("a"), "--add-modules", "--dracut", dracut);
        image.file("boot/initramfs-" + NEW + ".img", new byte[1]);
        withImages("", "--add-kernel", NEW, "--dracut", dracut, "--dry-run");
        withImages("", "--remove-kernel", NEW, "--dracut", dracut);
        assertThat(calls()).isEmpty();
    }

    @Test
    void failsIfDracutFailsButKeepsTheLinks() throws IOException {
        extra("a", 5);
        image.file("boot/initramfs-" + NEW + ".img", new byte[1]);
        String dracut = standIn("dracut", 3).toString();

        WholeRun run = withImages(list("a"), "--add-modules", "--dracut", dracut);

        assertThat(run.status()).isEqualTo(1);
        assertThat(run.err()).startsWith("weak-modules: the initramfs of " + NEW + " could not be renewed: ");
        assertThat(isLinked("a")).isTrue();
    }

    @Test
    void reportsAMissingDracutIfItIsNeeded() throws IOException {
        extra("a", 5);
        assertThat(withImages(list("a"), "--add-modules", "--dracut", "/no/dracut"))
                .isEqualTo(new WholeRun(1, "weak-modules: could not find dracut at /no/dracut\n", ""));
        assertThat(isLinked("a")).isFalse();
        assertThat(withImages(list("a"), "--add-modules", "--dracut", "/no/dracut", "--no-initramfs")
                        .status())
                .isZero();
        assertThat(isLinked("a")).isTrue();
    }

    @Test
    void namesImagesWithChangedModulesByDefault() throws IOException {
        extra("a", 5);
        ExternalTool.orSkip("cpio");
        image.file("boot/lib/modules/" + NEW + "/a.ko", new byte[4]);
        String boot = image.root().resolve("boot").toString();
        ExternalTool.orSkip("sh")
                .run("-c", "cd '%s' && find lib | cpio -o -H newc --quiet > 'initramfs-%s.img'".formatted(boot, NEW));
        image.file("boot/initramfs-" + OLD + ".img", new byte[512]);
        image.file("usr/bin/dracut", new byte[0]);

        WholeRun run = withImages(list("a"), "--add-modules");

        assertThat(run.status()).isZero();
        assertThat(run.err().lines())
                .anySatisfy(line ->
                        assertThat(line).startsWith("weak-modules: /boot/initramfs-" + NEW + ".img: contains a"));
    }
}
