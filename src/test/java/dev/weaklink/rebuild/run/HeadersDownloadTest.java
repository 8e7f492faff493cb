package dev.weaklink.rebuild.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weaklink.rebuild.run.HeadersDownload.PackageContents;
import dev.weaklink.sys.IoReason;
import dev.weaklink.system.offers.OfferedKernel.OfferedPackage;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HeadersDownloadTest {
    @TempDir
    Path directory;

    @Test
    void acceptsLargerPackagesWithTheSourceOfADriver() throws IOException {
        Path file = directory.resolve("acme-dkms_2_all.deb");
        List<OfferedPackage> packages = List.of(new OfferedPackage("acme-dkms", "2", "all"));
        try (RandomAccessFile sparse = new RandomAccessFile(file.toFile(), "rw")) {
            sparse.setLength(65L << 20);
        }
        assertThat(HeadersDownload.files(packages, PackageContents.SOURCE, directory))
                .containsExactly(file);
        assertThatThrownBy(() -> HeadersDownload.files(packages, PackageContents.HEADERS, directory))
                .isInstanceOfSatisfying(
                        IOException.class,
                        e -> assertThat(IoReason.of(e)).contains("the package is larger than the limit of 64 MiB"));
    }
}
