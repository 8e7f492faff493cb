package dev.weaklink.check;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.check.result.ExitCode;
import dev.weaklink.check.result.GateAnswer;
import dev.weaklink.check.result.GateReport;
import dev.weaklink.sys.InputProblem;
import dev.weaklink.sys.Root;
import dev.weaklink.testing.Machine;
import dev.weaklink.testing.ModuleBuilder;
import dev.weaklink.testing.ModuleSpec;
import dev.weaklink.testing.SymversBuilder;
import dev.weaklink.testing.TreeBuilder;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The answers of the gate if out-of-tree modules are loaded. */
class GateTest {
    private static final String OLD = "6.1.0-8-test";
    private static final String NEW = "6.1.0-9-test";

    @TempDir
    Path directory;

    private TreeBuilder tree;

    @BeforeEach
    void install() throws IOException {
        tree = TreeBuilder.in(directory.toRealPath());
        install(OLD);
        install(NEW);
    }

    private void install(String release) {
        tree.modulesOrder(release, List.of())
                .symvers(
                        TreeBuilder.SymversPlace.MODULES_GZIP,
                        release,
                        new SymversBuilder(SymversBuilder.Layout.NAMESPACE_LAST)
                                .kernel("module_layout", SymversBuilder.Kind.EXPORT_SYMBOL, 0x11223344));
    }

    private void module(String release, String place, String name) {
        tree.module(
                release,
                place,
                ModuleBuilder.typical(Machine.X86_64, name)
                        .withoutModInfo("vermagic")
                        .modInfo("vermagic=" + release + " SMP mod_unload modversions "));
    }

    private GateReport gate(String... kernels) throws IOException {
        return gateWith("zfs 1 0 - Live 0x0 (PO)\n", kernels);
    }

    private GateReport gateWith(String loaded, String... kernels) throws IOException {
        tree.file("proc/modules", loaded.getBytes(StandardCharsets.US_ASCII));
        CheckRequest request = new CheckRequest(
                tree.root(),
                List.of(),
                List.of(kernels),
                null,
                false,
                Map.of(),
                List.of(),
                ReadOptions.uncached(1),
                InputStream.nullInputStream());
        return Gate.judge(request, Root.of(tree.root()), true, List.of());
    }

    private static GateAnswer.Word word(GateReport report) {
        return report.answers().get(0).word();
    }

    @Test
    void answersUnknownIfALoadedModuleHasNoFile() throws IOException {
        GateReport report = gate();
        assertThat(word(report)).isEqualTo(GateAnswer.Word.UNKNOWN);
        assertThat(report.exitCode().number()).isEqualTo(3);
        assertThat(report.problems())
                .containsExactly(
                        new InputProblem("zfs", "out-of-tree module is loaded, but its file is not installed"));
    }

    @Test
    void saysNothingOfTheNewestKernelIfItCannotBeRead() throws IOException {
        module(OLD, "extra/zfs.ko", "zfs");
        Files.writeString(tree.root().resolve("lib/modules/" + NEW + "/symvers.gz"), "damaged");

        GateReport report = gate();

        assertThat(report.newestSafe()).isNotNull();
        assertThat(report.asked()).isEmpty();
        assertThat(report.word()).isEqualTo(GateAnswer.Word.UNKNOWN);
        assertThat(report.exitCode()).isEqualTo(ExitCode.UNDETERMINED);
    }

    @Test
    void missesAModuleThatOnlySomeKernelsPackagesContain() throws IOException {
        module(OLD, "kernel/zfs/zfs.ko", "zfs");
        assertThat(word(gate(OLD))).isEqualTo(GateAnswer.Word.YES);
        GateReport lacking = gate();
        assertThat(word(lacking)).isEqualTo(GateAnswer.Word.NO);
        assertThat(lacking.answers().get(0).missing().get(0).judged()).isEqualTo(OLD);
        module(NEW, "kernel/zfs/zfs.ko", "zfs");
        assertThat(word(gate())).isEqualTo(GateAnswer.Word.YES);
    }

    @Test
    void doesNotKnowWhetherAnOfferedKernelContainsAModule() throws IOException {
        module(OLD, "kernel/zfs/zfs.ko", "zfs");
        tree.file(
                "symvers", "0x11223344\tmodule_layout\tvmlinux\tEXPORT_SYMBOL\t\n".getBytes(StandardCharsets.US_ASCII));
        GateReport report = gate(tree.root().resolve("symvers").toString());
        assertThat(word(report)).isEqualTo(GateAnswer.Word.UNKNOWN);
        assertThat(report.problems()).extracting(InputProblem::subject).containsExactly("zfs");
    }

    @Test
    void ignoresDuplicateExportsUnlessTheMachineLoadsBoth() throws IOException {
        for (String name : List.of("acme", "zeta")) {
            ModuleBuilder builder = ModuleBuilder.typical(Machine.X86_64, name)
                    .exporting("compat_call", ModuleSpec.Export.Table.NORMAL, 10);
            tree.module(
                    NEW,
                    "extra/" + name + ".ko",
                    builder.withoutModInfo("vermagic").modInfo("vermagic=" + NEW + " SMP mod_unload modversions "));
        }
        module(NEW, "extra/net.ko", "net");
        String list = "extra/acme.ko:\nextra/zeta.ko:\nextra/net.ko: extra/acme.ko\n";
        tree.file("lib/modules/" + NEW + "/modules.dep", list.getBytes(StandardCharsets.US_ASCII));

        GateReport one = gateWith("zeta 1 0 - Live 0x0 (O)\n");
        assertThat(word(one)).isEqualTo(GateAnswer.Word.YES);
        assertThat(one.answers().get(0).target().causes())
                .containsExactly("acme and zeta both export compat_call, so the kernel loads only one of them; this"
                        + " machine does not use both");
        assertThat(word(gateWith("zeta 1 0 - Live 0x0 (O)\nacme 1 0 - Live 0x0 (O)\n")))
                .isEqualTo(GateAnswer.Word.NO);
        assertThat(word(gateWith("zeta 1 0 - Live 0x0 (O)\nnet 1 0 - Live 0x0 (O)\n")))
                .as("what is loaded needs the other one")
                .isEqualTo(GateAnswer.Word.NO);
        for (String line : List.of("acme", "acme debug=1")) {
            tree.file("etc/modules", ("# at boot\n" + line + "\n").getBytes(StandardCharsets.US_ASCII));
            assertThat(word(gateWith("zeta 1 0 - Live 0x0 (O)\n"))).as(line).isEqualTo(GateAnswer.Word.NO);
        }
        tree.file("etc/modules", new byte[0]);
        tree.file(
                "etc/modules-load.d/acme.conf",
                ("# at boot\n".repeat(1000) + "acme\n").getBytes(StandardCharsets.US_ASCII));
        assertThat(word(gateWith("zeta 1 0 - Live 0x0 (O)\n"))).isEqualTo(GateAnswer.Word.NO);
    }
}
