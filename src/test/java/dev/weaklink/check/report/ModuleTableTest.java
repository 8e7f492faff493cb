package dev.weaklink.check.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.module.KernelModule;
import dev.weaklink.module.Origin;
import dev.weaklink.module.RuntimeNames;
import dev.weaklink.report.FullModule;
import dev.weaklink.report.TableOptions;
import java.util.List;
import org.junit.jupiter.api.Test;

class ModuleTableTest {
    private static final TableOptions PLAIN = new TableOptions(80, false, true);
    private static final RuntimeNames NAMES = new RuntimeNames(List.of("nvme_v1_register"));

    @Test
    void printsALineForEachFact() {
        assertThat(new ModuleTable(PLAIN).render(FullModule.create(), NAMES)).isEqualTo("""
            mlx5_core  kmod.rpm!lib/modules/mlx5_core.ko.xz
              format          s390x, 64 bit, big endian
              vermagic        6.1.0-53-amd64 SMP mod_unload modversions\s
              license         Dual BSD/GPL
              version         5.8
              source version  -
              depends         mlxfw, psample
              namespaces      DMA_BUF, IOMMUFD
              struct module   896 bytes
              versions        classic, 3 entries
              versions        extended, 1 entry
              signature       pkcs7, 714 bytes, malformed: length
              build id        00ff
              BTF             can be relocated to another kernel's BTF
              defect          symbol buffer is common (built without -fno-common?)

            Exports (2)
              0xfedcba98  mlx5_a
              -           mlx5_b  GPL  namespace MLX5

            Imports (3)
              -           -           module_layout_user
              0xfedcba98  0x0000000100000000  fput
              -           -           optional  weak

            Requested at run time (symbol_get)
              nvme_v1_register
            """);
    }

    @Test
    void showsAFileThatIsNotAModule() {
        assertThat(new ModuleTable(PLAIN).render(KernelModule.unread(Origin.file("a\u001b.ko")), RuntimeNames.NONE))
                .startsWith("a\\x1b  a\\x1b.ko\n  format          not an ELF file\n");
    }
}
