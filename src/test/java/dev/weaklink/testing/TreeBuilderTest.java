package dev.weaklink.testing;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weaklink.testing.SymversBuilder.Kind;
import dev.weaklink.testing.TreeBuilder.SymversPlace;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TreeBuilderTest {
    private static final ModuleBuilder MODULE = ModuleBuilder.minimal(Machine.X86_64, "demo");

    @TempDir
    Path root;

    @Test
    void depmodFindsTheModulesAndTheirOrder() throws IOException {
        ExternalTool depmod = ExternalTool.orSkip("depmod");
        TreeBuilder.in(root)
                .module("6.1.0-test", "kernel/drivers/demo.ko", MODULE)
                .module("6.1.0-test", "extra/demo.ko", MODULE)
                .module("6.1.0-test", "kernel/fs/other.ko", MODULE.build(), Compression.XZ_CRC32)
                .modulesOrder("6.1.0-test", List.of("kernel/fs/other.ko", "kernel/drivers/demo.ko"))
                .builtin("6.1.0-test", List.of());
        Path config = TreeBuilder.in(root)
                .depmodConfig("a.conf", "search extra built-in")
                .root()
                .resolve("etc");

        depmod.run("-b", root.toString(), "-C", config.resolve("depmod.d").toString(), "6.1.0-test");

        assertThat(root.resolve("lib/modules/6.1.0-test/modules.dep"))
                .hasContent("kernel/fs/other.ko.xz:\nextra/demo.ko:\n");
    }

    @Test
    void writesSymversToTheDistributionsPath() throws IOException {
        SymversBuilder symvers =
                new SymversBuilder(SymversBuilder.Layout.FOUR_COLUMNS).kernel("printk", Kind.EXPORT_SYMBOL, 1);
        TreeBuilder tree = TreeBuilder.in(root)
                .mergedUsr()
                .symvers(SymversPlace.MODULES_GZIP, "5.14", symvers)
                .symvers(SymversPlace.USR_SRC_HEADERS, "5.14", symvers);

        byte[] packed = Files.readAllBytes(tree.modules("5.14").resolve("symvers.gz"));
        assertThat(new GZIPInputStream(new ByteArrayInputStream(packed)).readAllBytes())
                .isEqualTo(symvers.bytes());
        assertThat(root.resolve("usr/src/linux-headers-5.14/Module.symvers")).hasBinaryContent(symvers.bytes());
    }

    @Test
    void weakLinkPointsToTheOtherKernelAsSeenFromInside() throws IOException {
        TreeBuilder.in(root)
                .module("5.14.0-1", "extra/demo.ko", MODULE)
                .weakLink("5.14.0-2", "weak-updates/demo.ko", "5.14.0-1", "extra/demo.ko");

        assertThat(Files.readSymbolicLink(root.resolve("lib/modules/5.14.0-2/weak-updates/demo.ko")))
                .isEqualTo(Path.of("/lib/modules/5.14.0-1/extra/demo.ko"));
    }

    @Test
    void theConfigIsInBoot() {
        TreeBuilder.in(root).config("6.1", "CONFIG_MODVERSIONS=y", "# CONFIG_X is not set");

        assertThat(root.resolve("boot/config-6.1")).hasContent("CONFIG_MODVERSIONS=y\n# CONFIG_X is not set\n");
    }

    @Test
    void writesNothingOutsideTheRoot() {
        assertThatThrownBy(() -> TreeBuilder.in(root).file("../outside", "x".getBytes(UTF_8)))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
