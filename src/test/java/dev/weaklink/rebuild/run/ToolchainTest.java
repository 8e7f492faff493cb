package dev.weaklink.rebuild.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ToolchainTest {
    @TempDir
    Path tree;

    @Test
    void isGccUnlessTheBuildTreeNamesAnotherCompiler() throws IOException {
        assertThat(Toolchain.of(tree)).isEqualTo(new Toolchain("gcc", "ld"));
        config("CONFIG_CC_IS_GCC=y\n# CONFIG_LD_IS_LLD is not set\n");
        assertThat(Toolchain.of(tree)).isEqualTo(new Toolchain("gcc", "ld"));
    }

    @Test
    void readsClangAndLldFromTheConfiguration() throws IOException {
        config("CONFIG_CC_IS_CLANG=y\nCONFIG_LD_IS_LLD=y\n");
        assertThat(Toolchain.of(tree)).isEqualTo(new Toolchain("clang", "ld.lld"));
    }

    @Test
    void readsTheCompilerThatDebiansHeadersName() throws IOException {
        variables("override ARCH = x86\nCC = $(if $(DEBIAN_KERNEL_USE_CCACHE),$(CCACHE)) $(CROSS_COMPILE)gcc-12\n");
        assertThat(Toolchain.of(tree).compiler()).isEqualTo("gcc-12");
        variables("override CC = clang-19\n");
        assertThat(Toolchain.of(tree).compiler()).isEqualTo("clang-19");
    }

    @Test
    void runsNoOtherProgramThatHeadersName() throws IOException {
        for (String name : new String[] {"/tmp/gcc-12", "gcc-12/../x", "gcc-wrapper", "rm", "gcc-12;id", ""}) {
            variables("CC = " + name + "\n");
            assertThat(Toolchain.of(tree).compiler()).as(name).isEqualTo("gcc");
        }
    }

    private void config(String text) throws IOException {
        Files.writeString(tree.resolve(".config"), text);
    }

    private void variables(String text) throws IOException {
        Files.writeString(tree.resolve(".kernelvariables"), text);
    }
}
