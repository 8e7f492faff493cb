package dev.weaklink.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.check.result.Samples;
import dev.weaklink.format.archive.TarWriter;
import dev.weaklink.report.FullModule;
import dev.weaklink.testing.Machine;
import dev.weaklink.testing.ModuleBuilder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class InspectCommandTest {
    private final Run run = new Run(Samples.report())
            .withModule("mlx5_core.ko", FullModule.create())
            .withModule("a.ko", Samples.module("a"));

    @Test
    void showsEveryModuleAndGoesOnAfterOneThatCannotBeRead() {
        int status = run.with("inspect", "mlx5_core.ko", "none.ko", "a.ko", "--format", "json");

        assertThat(status).isEqualTo(2);
        assertThat(run.err()).isEqualTo("weaklink: none.ko: no such module\n");
        assertThat(run.out().lines()).hasSize(2).allMatch(line -> line.startsWith("{\"schema\":\"weaklink.module/1\""));
    }

    @Test
    void reportsAFileThatIsNotElf(@TempDir Path directory) throws IOException {
        Path empty = Files.write(directory.resolve("empty.ko"), new byte[0]);
        Path text = Files.writeString(directory.resolve("text.ko"), "this is a text and no module");
        WholeRun whole = WholeRun.of("inspect", empty.toString(), text.toString());

        String advice = "; name a kernel module (.ko), or copy this file again if it is damaged";
        assertThat(whole.status()).isEqualTo(2);
        assertThat(whole.out()).isEmpty();
        assertThat(whole.messages())
                .containsExactly(empty + ": the file is empty" + advice, text + ": not an ELF file" + advice);
    }

    @Test
    void showsEachModuleOfAPackageOnce(@TempDir Path directory) throws IOException {
        TarWriter tar = new TarWriter();
        for (String name : List.of("m", "n")) {
            byte[] module = ModuleBuilder.typical(Machine.X86_64, name).build();
            tar.file("./lib/modules/6.1/extra/" + name + ".ko", module);
        }
        Path one = Files.write(directory.resolve("one.tar"), tar.bytes());

        WholeRun whole = WholeRun.of("inspect", one.toString());

        assertThat(whole.err()).isEmpty();
        assertThat(whole.status()).isZero();
        assertThat(whole.out().lines().filter(line -> !line.startsWith(" ") && line.contains(".ko")))
                .containsExactly(
                        "m  " + one + "!/lib/modules/6.1/extra/m.ko", "n  " + one + "!/lib/modules/6.1/extra/n.ko");
    }

    @Test
    void writesTheObjectOfAnEmptyFile(@TempDir Path directory) throws IOException {
        Path empty = Files.write(directory.resolve("empty.ko"), new byte[0]);
        WholeRun whole = WholeRun.of("inspect", empty.toString(), "--format", "json");

        assertThat(whole.status()).isEqualTo(2);
        assertThat(whole.out()).contains("\"kind\":\"empty-file\"");
    }

    @Test
    void printsATableByDefault() {
        assertThat(run.with("inspect", "a.ko")).isZero();

        assertThat(run.out().lines().findFirst()).hasValue("a  extra/a.ko");
        assertThat(run.err()).isEmpty();
    }
}
