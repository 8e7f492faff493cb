package dev.weaklink.rebuild.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.rebuild.Trial;
import dev.weaklink.rebuild.Trial.TrialResult;
import dev.weaklink.report.Schemas;
import dev.weaklink.sys.Root;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KeptTrialsTest {
    private static final String KERNEL = "6.12.1-amd64";

    @TempDir
    Path directory;

    private Root root;
    private KeptTrials kept;

    @BeforeEach
    void makeSourceAndHeaders() throws IOException {
        write("usr/src/acme-1.0/dkms.conf", "PACKAGE_NAME=acme\n");
        write("usr/src/acme-1.0/acme.c", "int acme;\n");
        write("usr/src/common/Makefile", "# common\n");
        write("lib/modules/" + KERNEL + "/build/Makefile", "include /usr/src/common/Makefile\n");
        write("lib/modules/" + KERNEL + "/build/Module.symvers", "");
        root = Root.of(directory);
        kept = new KeptTrials(root);
    }

    @Test
    void returnsAKeptResultWhileItsInputsStayTheSame() throws IOException {
        Trial trial = keep();

        assertThat(kept.current("acme/1.0", KERNEL)).isEqualTo(trial);
        assertThat(kept.current("acme/1.0", "6.12.2-amd64")).isNull();
        assertThat(kept.current("other/1.0", KERNEL)).isNull();
    }

    @Test
    void forgetsAResultWhenTheSourceChanges() throws IOException {
        keep();
        write("usr/src/acme-1.0/acme.c", "int acme2;\n");

        assertThat(kept.current("acme/1.0", KERNEL)).isNull();
    }

    @Test
    void forgetsAResultWhenTheHeadersChange() throws IOException {
        keep();
        write("lib/modules/" + KERNEL + "/build/Module.symvers", "0x00000001\tkfree\tvmlinux\tEXPORT_SYMBOL\t\n");

        assertThat(kept.current("acme/1.0", KERNEL)).isNull();
    }

    @Test
    void forgetsAResultWhenHeadersSharedByFlavoursChange() throws IOException {
        keep();
        write("usr/src/common/Makefile", "# common, next version\n");

        assertThat(kept.current("acme/1.0", KERNEL)).isNull();
    }

    @Test
    void tellsWhetherAResultIsStillValid() throws IOException {
        Trial trial = keep();
        assertThat(kept.isValid(trial)).isTrue();
        write("lib/modules/" + KERNEL + "/build/Module.symvers", "0x00000001\tkfree\tvmlinux\tEXPORT_SYMBOL\t\n");
        assertThat(kept.isValid(trial)).isFalse();
        Files.delete(directory.resolve("lib/modules/" + KERNEL + "/build/Module.symvers"));
        Files.delete(directory.resolve("lib/modules/" + KERNEL + "/build/Makefile"));
        Files.delete(directory.resolve("lib/modules/" + KERNEL + "/build"));
        assertThat(kept.isValid(trial)).as("headers that are not installed").isTrue();
        write("usr/src/acme-1.0/acme.c", "int acme2;\n");
        assertThat(kept.isValid(trial)).isFalse();
    }

    @Test
    void ignoresDamagedFilesAndLinks() throws IOException {
        keep();
        write("var/lib/weaklink/trials/damaged.json", "{\"schema\":");
        Files.createSymbolicLink(directory.resolve("var/lib/weaklink/trials/link.json"), Path.of("/etc/passwd"));

        assertThat(kept.all()).hasSize(1);
    }

    @Test
    void writesPrivateFilesThatMatchTheSchema() throws IOException {
        Trial trial = keep();
        Path file = directory.resolve("var/lib/weaklink/trials/" + trial.inputs() + ".json");

        assertThat(Schemas.problems(Files.readString(file))).isEmpty();
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");
    }

    private Trial keep() throws IOException {
        Path headers = directory.resolve("lib/modules/" + KERNEL + "/build");
        String inputs =
                TrialInputs.digest("acme/1.0", KERNEL, directory.resolve("usr/src/acme-1.0"), headers, directory);
        Trial trial = new Trial(
                "acme/1.0",
                KERNEL,
                TrialResult.DOES_NOT_COMPILE,
                "acme.c:1: unknown type name 'foo'",
                "",
                List.of(),
                "2026-11-26T03:14:15Z",
                inputs,
                "",
                TrialInputs.source("acme/1.0", directory.resolve("usr/src/acme-1.0")));
        kept.keep(trial);
        return trial;
    }

    private void write(String inside, String content) throws IOException {
        Path file = directory.resolve(inside);
        Files.createDirectories(file.resolveSibling("."));
        Files.writeString(file, content);
    }
}
