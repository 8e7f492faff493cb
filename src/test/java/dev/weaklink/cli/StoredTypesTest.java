package dev.weaklink.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.testing.ImageCase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An installed kernel whose image was removed, but which is in the store with its types. */
class StoredTypesTest {
    private static final String OLD = "6.1.0-1-amd64";
    private static final String NEW = "6.1.0-2-amd64";

    private static WholeRun explain(Path root) {
        String module = root.resolve("lib/modules/" + OLD + "/extra/one.ko").toString();
        return WholeRun.of("explain", module, "--root", root.toString(), "--to", NEW, "--no-cache");
    }

    @Test
    void usesTypesOfTheStoreInsteadOfTheImage(@TempDir Path root) throws IOException {
        ImageCase.read("explain", "driver-implements").build(root);
        String all = explain(root).out();
        assertThat(WholeRun.of("store", "add", "--root", root.toString(), OLD).err())
                .isEmpty();

        Files.delete(root.resolve("boot/vmlinuz-" + OLD));

        assertThat(all).contains("implements struct dev_ops");
        assertThat(explain(root).out()).isEqualTo(all);
    }

    @Test
    void doesNotUseTypesOfAnotherBuild(@TempDir Path root) throws IOException {
        ImageCase.read("explain", "driver-implements").build(root);
        assertThat(WholeRun.of("store", "add", "--root", root.toString(), OLD).err())
                .isEmpty();
        Files.delete(root.resolve("boot/vmlinuz-" + OLD));
        Path modules = root.resolve("lib/modules/" + OLD);
        Files.delete(modules.resolve("symvers.xz"));
        String other = "0x00000003\tdev_add\tvmlinux\tEXPORT_SYMBOL\t\n";
        Files.writeString(modules.resolve("symvers"), other);

        assertThat(explain(root)).isEqualTo(new WholeRun(1, """
                6.1.0-1-amd64 -> 6.1.0-2-amd64: 1 CRC of 1 symbol differs, none explained

                No cause found: 1 symbol of vmlinux

                Note: 6.1.0-1-amd64: no kernel image, so the causes of CRC changes are unknown
                """, ""));
    }
}
