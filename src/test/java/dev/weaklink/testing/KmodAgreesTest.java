package dev.weaklink.testing;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.testing.ModuleSpec.Export;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Compares written modules with the output of kmod's programs. */
class KmodAgreesTest {
    @TempDir
    Path directory;

    @ParameterizedTest
    @EnumSource
    void modprobeListsTheVersionsInTableOrder(Machine machine) throws IOException {
        ExternalTool modprobe = ExternalTool.orSkip("modprobe");
        String versions = modprobe.run(
                "--dump-modversions",
                write(ModuleBuilder.typical(machine, "demo")
                        .importing("zeta", 0xfedcba98)
                        .importing("alpha", 0x00000001)));

        assertThat(versions.lines())
                .containsExactly("0x11223344\tmodule_layout", "0xfedcba98\tzeta", "0x00000001\talpha");
    }

    @ParameterizedTest
    @EnumSource
    void modinfoShowsEveryEntryOfAKeyInOrder(Machine machine) throws IOException {
        ExternalTool modinfo = ExternalTool.orSkip("modinfo");
        String file = write(ModuleBuilder.typical(machine, "demo")
                .modInfo("import_ns=SECOND")
                .modInfo("import_ns=FIRST"));

        assertThat(modinfo.run("-F", "import_ns", file).lines()).containsExactly("SECOND", "FIRST");
        assertThat(modinfo.run("-F", "license", file)).isEqualTo("GPL\n");
    }

    @Test
    void modinfoReadsTheSignatureOfAnOldKernel() throws IOException {
        ExternalTool modinfo = ExternalTool.orSkip("modinfo");
        SignatureTrailer old =
                SignatureTrailer.x509("me".getBytes("US-ASCII"), new byte[] {1, 2}, new byte[] {3, 4, 5});
        ModuleBuilder module = ModuleBuilder.typical(Machine.X86_64, "demo");

        assertThat(modinfo.run(write(module.signed(old))))
                .containsPattern("signer: +me\\R")
                .containsPattern("sig_key: +01:02\\R")
                .containsPattern("sig_hashalgo: +sha256\\R")
                .containsPattern("signature: +03:04:05\\R");
        assertThat(modinfo.run(write(module.signed(SignatureTrailer.NONE)))).doesNotContain("signer");
    }

    private String write(ModuleBuilder module) throws IOException {
        ModuleBuilder exporting = module.exporting("demo_fn", Export.Table.NORMAL, 5);
        return Files.write(directory.resolve("demo.ko"), exporting.build()).toString();
    }
}
