package dev.weaklink.cli;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.testing.Machine;
import dev.weaklink.testing.ModuleBuilder;
import dev.weaklink.testing.ModuleSpec;
import dev.weaklink.testing.Oddities;
import dev.weaklink.testing.SymversBuilder;
import dev.weaklink.testing.SymversBuilder.Kind;
import dev.weaklink.testing.TreeBuilder;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Kernels without modversions, whose own modules are recognised by their build ids. */
class OwnBuildsTest {
    private static final String RELEASE = "7.2.0-1-test";

    @TempDir
    Path root;

    private TreeBuilder tree;

    @BeforeEach
    void kernel() throws IOException {
        tree = TreeBuilder.in(root)
                .symvers(
                        TreeBuilder.SymversPlace.USR_SRC_HEADERS,
                        RELEASE,
                        new SymversBuilder(SymversBuilder.Layout.NAMESPACE_LAST)
                                .kernel("printk", Kind.EXPORT_SYMBOL, 0))
                .file(
                        "boot/config-" + RELEASE,
                        "CONFIG_MODULES=y\n# CONFIG_MODVERSIONS is not set\n".getBytes(US_ASCII));
    }

    private static ModuleBuilder module(String name, String id) {
        return ModuleBuilder.minimal(Machine.X86_64, name)
                .modInfo("license=GPL")
                .modInfo("depends=")
                .modInfo("name=" + name)
                .modInfo("vermagic=" + RELEASE + " SMP mod_unload ")
                .versions(ModuleSpec.Presence.ABSENT)
                .importing("printk", false)
                .oddities(Oddities.NONE.andBuildId(id));
    }

    private WholeRun check(String file) {
        String path = root.resolve("lib/modules/" + RELEASE + "/" + file).toString();
        return WholeRun.of("check", path, "--root", root.toString(), "--kernel", RELEASE);
    }

    /** The kernel build replaces a comma in the module's name by an underscore, but not in the file's name. */
    @Test
    void recognisesAnInTreeModuleWithACommaInItsFileName() throws IOException {
        tree.module(RELEASE, "kernel/drivers/thead,aon.ko", module("thead_aon", "00aa"));
        assertThat(check("kernel/drivers/thead,aon.ko").status()).isZero();
        tree.module(RELEASE, "extra/thead,other.ko", module("thead_other", "00bb"));
        assertThat(check("extra/thead,other.ko").at(root)).isEqualTo(new WholeRun(3, """
                7.2.0-1-test (installed kernel): 1 symbol of vmlinux, 2 modules of its own
                  symbols from /usr/src/linux-headers-7.2.0-1-test/Module.symvers
                  assumed: signature-policy=permissive, signature enforcement of the machine is
                    unknown

                UNDETERMINED  thead_other  DIR/lib/modules/7.2.0-1-test/extra/thead,other.ko
                    symbol-crc: the kernel has no symbol versions, so that it accepts 1 symbol
                      without comparing a CRC: nothing proves that it fits

                1 verdict: 1 undetermined
                Next: correct the problems above, and check again; no refusal found, but not everything could be checked.
                """, ""));
    }
}
