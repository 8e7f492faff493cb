package dev.weaklink.system.offers;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.sys.Root;
import dev.weaklink.system.offers.OfferedKernel.OfferedPackage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AptOffersTest {
    @TempDir
    Path directory;

    private List<String> sharedHeaders(String list) throws IOException {
        Path lists = Files.createDirectories(directory.resolve("var/lib/apt/lists"));
        Files.writeString(lists.resolve("x_Packages"), list);
        Offers offers = Offers.read(Root.of(directory), Set.of(), Set.of(), List.of());
        return Objects.requireNonNull(offers).kernels().get(0).sharedHeaders().stream()
                .map(AptOffersTest::words)
                .toList();
    }

    private static String words(OfferedPackage one) {
        return one.name() + "=" + one.version();
    }

    private static String stanza(String name, String version, String depends) {
        return "Package: " + name + "\nVersion: " + version + "\nArchitecture: amd64\n"
                + (depends.isEmpty() ? "" : "Depends: " + depends + "\n") + "\n";
    }

    @Test
    void namesThePackagesThatCompleteDebiansHeaders() throws IOException {
        String depends = "linux-headers-6.1.0-9-common (= 6.1.9-1), linux-image-6.1.0-9-amd64 (= 6.1.9-1),"
                + " linux-kbuild-6.1 (>= 6.1.9-1), linux-compiler-gcc-12-x86, linux-headers-missing";
        assertThat(sharedHeaders(stanza("linux-image-6.1.0-9-amd64", "6.1.9-1", "")
                        + stanza("linux-headers-6.1.0-9-amd64", "6.1.9-1", depends)
                        + stanza("linux-headers-6.1.0-9-common", "6.1.9-1", "")
                        + stanza("linux-headers-6.1.0-9-common", "6.1.9-2", "")
                        + stanza("linux-compiler-gcc-12-x86", "6.1.9-1", "")
                        + stanza("linux-kbuild-6.1", "6.1.10-1", "")
                        + stanza("linux-kbuild-6.1", "6.1.9-1", "")))
                .containsExactly("linux-headers-6.1.0-9-common=6.1.9-1", "linux-kbuild-6.1=6.1.10-1");
    }

    @Test
    void sortsVersionsOfOneReleaseFromOldToNew() throws IOException {
        Path lists = Files.createDirectories(directory.resolve("var/lib/apt/lists"));
        Files.writeString(
                lists.resolve("x_Packages"),
                stanza("linux-image-6.1.0-9-amd64", "6.1.100-1", "")
                        + stanza("linux-image-6.1.0-9-amd64", "6.1.99-1", ""));
        Offers offers = Objects.requireNonNull(Offers.read(Root.of(directory), Set.of(), Set.of(), List.of()));
        assertThat(offers.kernels())
                .extracting(kernel -> kernel.packages().get(0).version())
                .containsExactly("6.1.99-1", "6.1.100-1");
    }

    @Test
    void namesThePackagesThatCompleteUbuntusHeaders() throws IOException {
        assertThat(sharedHeaders(stanza("linux-image-6.8.0-9-generic", "6.8.0-9.9", "")
                        + stanza("linux-headers-6.8.0-9-generic", "6.8.0-9.9", "linux-hwe-6.8-headers-6.8.0-9, libc6")
                        + stanza("linux-hwe-6.8-headers-6.8.0-9", "6.8.0-9.9", "")))
                .containsExactly("linux-hwe-6.8-headers-6.8.0-9=6.8.0-9.9");
    }
}
