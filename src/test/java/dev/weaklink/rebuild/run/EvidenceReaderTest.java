package dev.weaklink.rebuild.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.rebuild.Evidence;
import dev.weaklink.rebuild.Evidence.RebuildProduct;
import dev.weaklink.rebuild.SourceChooser;
import dev.weaklink.sys.Root;
import dev.weaklink.sys.RootText;
import dev.weaklink.testing.RpmImage;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EvidenceReaderTest {
    @TempDir
    Path directory;

    /** rpm writes into the directory of the database that it reads, and follows links in it. */
    @Test
    void queriesPackagesOfAnImageWithoutWritingIntoIt() throws IOException {
        Path image = Files.createDirectory(directory.resolve("image")).toRealPath();
        RpmImage.orSkip(directory, image).install("mlnx-ofa_kernel-24.10-OFED.24.10.1", "/usr/bin/wl");
        Path database = image.resolve("usr/lib/sysimage/rpm");
        for (String name : RootText.names(database)) {
            if (name.endsWith(".lock") || name.endsWith("-shm") || name.endsWith("-wal")) {
                Files.delete(database.resolve(name));
            }
        }
        List<String> before = RootText.names(database);

        assertThat(EvidenceReader.read(Root.of(image), null).products())
                .extracting(RebuildProduct::evidence)
                .containsExactly("package mlnx-ofa_kernel 24.10-OFED.24.10.1");
        assertThat(RootText.names(database)).isEqualTo(before);
    }

    @Test
    void saysThatProductsAreUnknownIfTheDatabaseOfAnImageCannotBeCopied() throws IOException {
        Path image = Files.createDirectory(directory.resolve("image")).toRealPath();
        Path database = Files.createDirectories(image.resolve("var/lib/rpm")).resolve("rpmdb.sqlite");
        try (RandomAccessFile sparse = new RandomAccessFile(database.toFile(), "rw")) {
            sparse.setLength(5L << 30);
        }

        Evidence evidence = EvidenceReader.read(Root.of(image), null);
        assertThat(evidence.products()).isEmpty();
        assertThat(evidence.unread())
                .isEqualTo("the RPM database cannot be read (the database's files are larger than 4 GiB in total), so"
                        + " it is unknown which product of Mellanox is installed");
        assertThat(new SourceChooser(evidence).of(null).reason())
                .isEqualTo(evidence.unread() + "; choose a backend with --backend");
        assertThat(new SourceChooser(evidence)
                        .ofUnit(
                                "extra/mlnx-ofa_kernel",
                                null,
                                List.of("/lib/modules/1/extra/mlnx-ofa_kernel/mlx5_core.ko"))
                        .backend())
                .isEmpty();
    }
}
