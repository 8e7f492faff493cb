package dev.weaklink.compat;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.compat.SuseDialect.SuseLog;
import dev.weaklink.sys.Root;
import dev.weaklink.system.initramfs.InitramfsPlanner.InitramfsStep;
import dev.weaklink.testing.ExternalTool;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The decisions when an initrd is regenerated, and by which program. The test runs no such program. */
class SuseInitrdsTest {
    private static final String KERNEL = "6.4.0-1-default";
    private static final Map<String, Set<String>> CHANGED = Map.of(KERNEL, Set.of("nvme_x"));

    @TempDir
    Path directory;

    private final Map<String, String> environment = new HashMap<>();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();
    private Path root;
    private SuseInitrds initrds;

    @BeforeEach
    void makeSystem() throws IOException {
        root = Files.createDirectory(directory.resolve("root"));
        file("etc/fstab", "");
        file("usr/lib/modules/" + KERNEL + "/vmlinuz", "");
        environment.put("DRACUT", "/bin/true");
    }

    private void file(String path, String text) throws IOException {
        Files.createDirectories(root.resolve(path).getParent());
        Files.writeString(root.resolve(path), text);
    }

    private SuseInitrds plan(boolean removal) throws IOException {
        initrds = initrds();
        initrds.plan(CHANGED, removal);
        return initrds;
    }

    private SuseInitrds initrds() throws IOException {
        Root tree = Root.of(root);
        StandardStreams streams = new StandardStreams(
                SuseDialect.NAME,
                new ByteArrayInputStream(new byte[0]),
                new ByteArrayOutputStream(),
                new PrintStream(err, true, StandardCharsets.UTF_8),
                directory);
        return new SuseInitrds(tree, SuseSettings.of(environment, tree), new SuseLog(streams, 0, false), true);
    }

    /** Creates an initrd that contains these files below the kernel's directory. */
    private void initrd(String... files) throws IOException {
        Path content = Files.createDirectories(directory.resolve("content"));
        StringBuilder list = new StringBuilder();
        for (String file : files) {
            Path path = content.resolve("lib/modules/" + KERNEL + "/" + file);
            Files.createDirectories(path.getParent());
            Files.writeString(path, "module");
            list.append("lib/modules/" + KERNEL + "/" + file + "\n");
        }
        Files.writeString(directory.resolve("list"), list);
        Files.createDirectories(root.resolve("boot"));
        ExternalTool.orSkip("cpio");
        ExternalTool.orSkip("sh")
                .run(
                        "-c",
                        "cd '%s' && cpio -o -H newc --quiet < '%s' > '%s'"
                                .formatted(content, directory.resolve("list"), root.resolve("boot/initrd-" + KERNEL)));
    }

    private static InitramfsStep dracut() {
        return new InitramfsStep(KERNEL, List.of("/bin/true", "-f", "/boot/initrd-" + KERNEL, KERNEL));
    }

    @Test
    void regeneratesAnInitrdWithAChangedModule() throws IOException {
        initrd("updates/nvme-x.ko.zst", "kernel/other.ko");
        assertThat(plan(false).steps()).containsExactly(dracut());
    }

    @Test
    void keepsAnInitrdWithoutChangedModules() throws IOException {
        initrd("kernel/other.ko");
        assertThat(plan(false).steps()).isEmpty();
    }

    @Test
    void regeneratesIfDracutConfNamesTheModule() throws IOException {
        initrd("kernel/other.ko");
        file("etc/dracut.conf.d/x.conf", "# add_drivers+=\" no \"\nforce_drivers+=\" a nvme-x \"\n");
        assertThat(plan(false).steps()).containsExactly(dracut());
    }

    @Test
    void makesAMissingInitrd() throws IOException {
        assertThat(plan(false).steps()).containsExactly(dracut());
    }

    @Test
    void regeneratesAndNamesAnUnreadableInitrd() throws IOException {
        file("boot/initrd-" + KERNEL, "no image at all");
        assertThat(plan(false).steps()).containsExactly(dracut());
        assertThat(err.toString(StandardCharsets.UTF_8)).startsWith("WARNING: /boot/initrd-" + KERNEL + ": ");
    }

    @Test
    void regeneratesTheInitrdIfAPackageRequiresIt() throws IOException {
        initrd("kernel/other.ko");
        environment.put("KMP_NEEDS_MKINITRD", "1");
        assertThat(plan(false).steps()).containsExactly(dracut());
        environment.put("KMP_NEEDS_MKINITRD", "0");
        assertThat(plan(false).steps()).isEmpty();
    }

    @Test
    void regeneratesTheInitrdOfAChangedKernel() throws IOException {
        initrd("kernel/other.ko");
        initrds = initrds();
        initrds.planWhole(List.of(KERNEL));
        assertThat(initrds.steps()).containsExactly(dracut());
    }

    @Test
    void makesNoInitrdForKdumpKernels() throws IOException {
        file("boot/vmlinuz-6.4.0-1-kdump", "");
        initrds = initrds();
        initrds.planWhole(List.of("6.4.0-1-kdump"));
        assertThat(initrds.steps()).isEmpty();
        assertThat(err.size()).isZero();
    }

    @Test
    void makesNoInitrdForAMissingKernel() throws IOException {
        Files.delete(root.resolve("usr/lib/modules/" + KERNEL + "/vmlinuz"));
        assertThat(plan(false).steps()).isEmpty();
        assertThat(err.toString(StandardCharsets.UTF_8))
                .isEqualTo("WARNING: kernel image for " + KERNEL + " not found!\n");
    }

    @Test
    void printsTheCommandsForAnIncompleteSystem() throws IOException {
        file(".buildenv", "");
        assertThat(plan(false).steps()).isEmpty();
        assertThat(err.toString(StandardCharsets.UTF_8))
                .isEqualTo("Please run \"/bin/true -f /boot/initrd-%1$s %1$s\" as soon as your system is complete.\n"
                        .formatted(KERNEL));
    }

    @Test
    void setsAFlagInAPackageTransactionAndRunsNothing() throws IOException {
        environment.put("INITRD_IN_POSTTRANS", "1");
        assertThat(plan(false).steps()).isEmpty();
        assertThat(root.resolve("run")).as("nothing is written yet").doesNotExist();
        initrds.leaveFlags();
        initrds.leaveFlags();
        assertThat(root.resolve("run/regenerate-initrd/" + KERNEL)).isEmptyFile();
    }

    @Test
    void setsAFlagOnRemovalOnlyIfOneExists() throws IOException {
        environment.put("INITRD_IN_POSTTRANS", "1");
        assertThat(plan(true).steps()).containsExactly(dracut());
        file("run/regenerate-initrd/all", "");
        assertThat(plan(true).steps()).isEmpty();
    }

    @Test
    void setsTheFlagAfterRemovalInATransactionalUpdate() throws IOException {
        environment.put("TRANSACTIONAL_UPDATE", "true");
        assertThat(plan(true).steps()).isEmpty();
        initrds.leaveFlags();
        assertThat(root.resolve("run/regenerate-initrd/" + KERNEL)).exists();
    }

    @Test
    void leavesOtherGeneratorsToTheSystemsScript() throws IOException {
        file("etc/sysconfig/bootloader", "X=1\nINITRD_GENERATOR=\"mkosi-initrd\"\n");
        assertThat(plan(false).steps()).isEmpty();
        assertThat(err.toString(StandardCharsets.UTF_8))
                .contains("/usr/lib/module-init-tools/regenerate-initrd-posttrans");
    }
}
