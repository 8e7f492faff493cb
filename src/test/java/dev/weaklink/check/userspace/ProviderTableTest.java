package dev.weaklink.check.userspace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.weaklink.testing.ExternalTool;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ProviderTableTest {
    @TempDir
    Path directory;

    /** An entry of the table has another size on i386, which aligns a 64-bit number to 4 bytes. */
    @ParameterizedTest
    @ValueSource(strings = {"-m64", "-m32"})
    void readsTheDevicesOfAProvider(String machine) throws IOException {
        assumeTrue(System.getProperty("os.arch").equals("amd64"), "needs gcc for x86-64");
        Path library = directory.resolve("wl.so");
        ExternalTool.orSkip("gcc")
                .run(
                        machine,
                        "-shared",
                        "-fPIC",
                        "-nostdlib",
                        "-DNAME(x)=x##34",
                        "-o",
                        library.toString(),
                        "test-fixtures/userspace/provider.c");

        ProviderTable table = ProviderTable.read(Files.readAllBytes(library), "wl");

        assertThat(table).isNotNull();
        assertThat(table.matches("pci:v000015B3d00001017sv000015B3sd00000007bc02sc00i00"))
                .isTrue();
        assertThat(table.matches("rdma_device:Nxwly")).isTrue();
        assertThat(table.matches("pci:v000015B3d00001018sv000015B3sd00000007bc02sc00i00"))
                .isFalse();
    }
}
