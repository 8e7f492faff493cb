package dev.weaklink.system.initramfs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.sys.Root;
import dev.weaklink.system.initramfs.InitramfsPlanner.InitramfsStep;
import dev.weaklink.system.initramfs.InitramfsPlanner.InitramfsSteps;
import dev.weaklink.testing.Packing;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class InitramfsPlannerTest {
    private static final String KERNEL = "6.1.0-54-amd64";
    private static final Map<String, Set<String>> CHANGED = Map.of(KERNEL, Set.of("mlx5-core"));

    @TempDir
    Path outside;

    private Path top;

    @BeforeEach
    void makeRoot() throws IOException {
        top = Files.createDirectory(outside.resolve("root"));
    }

    @Test
    void renewsEachStyleOfImageWithItsOwnTool() throws IOException {
        assertStep("/boot/initramfs-K.img", "dracut", "/usr/bin/dracut -f /boot/initramfs-K.img K");
        assertStep("/boot/initrd-K", "dracut", "/usr/bin/dracut -f /boot/initrd-K K");
        assertStep("/boot/initrd.img-K", "update-initramfs", "/usr/bin/update-initramfs -u -k K");
        assertStep("/boot/initrd.img-K", "dracut", "/usr/bin/dracut -f /boot/initrd.img-K K");
        assertStep("/boot/initramfs-K.img", "mkinitcpio", "/usr/bin/mkinitcpio -k K -g /boot/initramfs-K.img");
    }

    @Test
    void prefersTheToolOfTheImagesNamingScheme() throws IOException {
        program("dracut");
        program("update-initramfs");
        image("/boot/initrd.img-" + KERNEL, KERNEL);
        assertThat(commands()).containsExactly("/usr/bin/update-initramfs -u -k " + KERNEL);
    }

    @Test
    void runsAPresetOnceForAnArchKernelsTwoImages() throws IOException {
        program("mkinitcpio");
        put("/lib/modules/" + KERNEL + "/pkgbase", "linux-lts\n");
        put("/etc/mkinitcpio.d/linux-lts.preset", "");
        image("/boot/initramfs-linux-lts.img", KERNEL);
        image("/boot/initramfs-linux-lts-fallback.img", KERNEL);
        assertThat(commands()).containsExactly("/usr/bin/mkinitcpio -p linux-lts");
        Files.delete(top.resolve("etc/mkinitcpio.d/linux-lts.preset"));
        assertThat(commands())
                .containsExactly(
                        "/usr/bin/mkinitcpio -k " + KERNEL + " -g /boot/initramfs-linux-lts.img",
                        "/usr/bin/mkinitcpio -k "
                                + KERNEL
                                + " -g /boot/initramfs-linux-lts-fallback.img -S autodetect");
    }

    @Test
    void ignoresAnArchImageOfAnotherKernel() throws IOException {
        program("mkinitcpio");
        put("/lib/modules/" + KERNEL + "/pkgbase", "linux");
        image("/boot/initramfs-linux.img", "6.9.1-arch1-1");
        assertNothing();
    }

    @Test
    void findsBootLoaderEntriesByMachineIdAndByToken() throws IOException {
        program("dracut");
        put("/etc/machine-id", "0123456789abcdef0123456789abcdef\n");
        put("/etc/kernel/entry-token", "debian\n");
        String byId = "/efi/0123456789abcdef0123456789abcdef/" + KERNEL + "/initrd";
        String byToken = "/boot/efi/debian/" + KERNEL + "/initrd";
        image(byId, KERNEL);
        image(byToken, KERNEL);
        assertThat(commands())
                .containsExactly(
                        "/usr/bin/dracut -f " + byToken + " " + KERNEL, "/usr/bin/dracut -f " + byId + " " + KERNEL);
    }

    @Test
    void countsAnImageWithTwoNamesOnce() throws IOException {
        program("dracut");
        image("/boot/initrd-" + KERNEL, KERNEL);
        Files.createSymbolicLink(top.resolve("boot/initramfs-" + KERNEL + ".img"), Path.of("initrd-" + KERNEL));
        assertThat(commands()).hasSize(1);
    }

    @Test
    void makesNoStepWithoutAnImage() throws IOException {
        program("dracut");
        program("update-initramfs");
        program("mkinitcpio");
        put("/lib/modules/" + KERNEL + "/pkgbase", "linux");
        image("/boot/initrd.img-6.1.0-53-amd64", KERNEL);
        assertNothing();
    }

    @Test
    void makesNoStepForAnImageWithoutTheModule() throws IOException {
        program("dracut");
        image("/boot/initramfs-" + KERNEL + ".img", KERNEL);
        InitramfsSteps steps = plan(Map.of(KERNEL, Set.of("mlx4_core", "mlx5")), true);
        assertThat(steps).isEqualTo(new InitramfsSteps(List.of(), List.of(), List.of()));
    }

    @Test
    void reportsAnUnreadableImageToTheAdministrator() throws IOException {
        program("dracut");
        put("/boot/initramfs-" + KERNEL + ".img", "not an image");
        InitramfsSteps steps = plan(CHANGED, true);
        assertThat(steps.steps()).isEmpty();
        assertThat(steps.problems())
                .containsExactly(
                        "/boot/initramfs-6.1.0-54-amd64.img: cannot determine whether it contains a changed module:"
                                + " neither a cpio archive nor a known compression; to renew it, run:"
                                + " /usr/bin/dracut -f /boot/initramfs-6.1.0-54-amd64.img 6.1.0-54-amd64");
    }

    @Test
    void reportsAStaleImageThatNoToolCanRenew() throws IOException {
        image("/boot/initrd.img-" + KERNEL, KERNEL);
        InitramfsSteps steps = plan(CHANGED, true);
        assertThat(steps.steps()).isEmpty();
        assertThat(steps.problems())
                .containsExactly("/boot/initrd.img-6.1.0-54-amd64: contains mlx5_core, which changes; run the tool that"
                        + " made it (update-initramfs and dracut are not installed)");
    }

    @Test
    void notesCommandsForAnotherRootDirectory() throws IOException {
        program("update-initramfs");
        image("/boot/initrd.img-" + KERNEL, KERNEL);
        InitramfsSteps steps = InitramfsPlanner.steps(Root.of(top), CHANGED);
        assertThat(steps.steps()).isEmpty();
        assertThat(steps.problems()).isEmpty();
        assertThat(steps.notes())
                .containsExactly("/boot/initrd.img-6.1.0-54-amd64: contains mlx5_core, which changes; inside the root,"
                        + " run: /usr/bin/update-initramfs -u -k 6.1.0-54-amd64");
    }

    @Test
    void readsNothingOutsideTheRoot() throws IOException {
        Path boot = Files.createDirectory(outside.resolve("boot"));
        Files.write(boot.resolve("initramfs-" + KERNEL + ".img"), contents(KERNEL));
        Files.createSymbolicLink(top.resolve("boot"), boot);
        program("dracut");
        assertNothing();
    }

    @Test
    void refusesNamesThatCouldBePathsOrOptions() throws IOException {
        program("mkinitcpio");
        put("/lib/modules/" + KERNEL + "/pkgbase", "x/../../boot/evil\n");
        put("/etc/machine-id", "--help");
        image("/boot/initramfs-x/../../boot/evil.img", KERNEL);
        image("/boot/--help/" + KERNEL + "/initrd", KERNEL);
        assertNothing();
        for (String kernel : List.of("..", "-k", "a/b", "a b", "a\nb", "")) {
            InitramfsSteps steps = plan(Map.of(kernel, Set.of("mlx5_core")), true);
            assertThat(steps.steps()).isEmpty();
            assertThat(steps.problems()).hasSize(1);
        }
    }

    @Test
    void ordersStepsByKernel() throws IOException {
        program("dracut");
        image("/boot/initrd-6.2", "6.2");
        image("/boot/initrd-6.1", "6.1");
        Set<String> names = Set.of("mlx5_core");
        InitramfsSteps steps = plan(Map.of("6.2", names, "6.1", names, "6.3", Set.of()), true);
        assertThat(steps.steps()).extracting(InitramfsStep::kernel).containsExactly("6.1", "6.2");
    }

    private void assertStep(String image, String tool, String command) throws IOException {
        String path = image.replace("K", KERNEL);
        Path program = program(tool);
        image(path, KERNEL);
        assertThat(commands()).containsExactly(command.replace("K", KERNEL));
        Files.delete(program);
        Files.delete(top.resolve(path.substring(1)));
    }

    private void assertNothing() throws IOException {
        assertThat(plan(CHANGED, true)).isEqualTo(new InitramfsSteps(List.of(), List.of(), List.of()));
    }

    private List<String> commands() throws IOException {
        InitramfsSteps steps = plan(CHANGED, true);
        assertThat(steps.notes()).isEmpty();
        assertThat(steps.problems()).isEmpty();
        return steps.steps().stream()
                .map(step -> String.join(" ", step.command()))
                .toList();
    }

    private InitramfsSteps plan(Map<String, Set<String>> changed, boolean toolsRunHere) throws IOException {
        return InitramfsPlanner.steps(Root.of(top), changed, toolsRunHere);
    }

    private Path program(String name) throws IOException {
        Path file = put("/usr/bin/" + name, "#!/bin/false\n");
        assertThat(file.toFile().setExecutable(true)).isTrue();
        return file;
    }

    private void image(String inside, String kernel) throws IOException {
        Files.write(put(inside, ""), contents(kernel));
    }

    private static byte[] contents(String kernel) {
        String path = "lib/modules/" + kernel + "/kernel/drivers/net/mlx5_core.ko.xz";
        return Packing.ZSTD.pack(new CpioWriter().file(path, 9).end());
    }

    private Path put(String inside, String text) throws IOException {
        Path file = top.resolve(inside.substring(1)).normalize();
        Files.createDirectories(file.getParent());
        return Files.writeString(file, text);
    }
}
