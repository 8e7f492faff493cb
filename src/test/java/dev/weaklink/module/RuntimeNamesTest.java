package dev.weaklink.module;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Reads names passed to symbol_get from an object file that gcc wrote. */
class RuntimeNamesTest {
    private static byte[] object() throws IOException {
        return Files.readAllBytes(Path.of("test-fixtures/runtime-names/names.o"));
    }

    private static RuntimeNames read(byte[] object) {
        return ModuleReader.readRuntimeNames(object, object.length);
    }

    @Test
    void findsConstantsButNoVariables() throws IOException {
        assertThat(read(object()))
                .isEqualTo(
                        new RuntimeNames(List.of("ib_register_peer_memory_client", "nvme_v1_register_nvfs_dma_ops")));
    }

    @Test
    void skipsStringsThatAreNotSymbolNames() throws IOException {
        String text = new String(object(), StandardCharsets.ISO_8859_1);
        byte[] changed = text.replace("nvme_v1_register", "nvme v1 register").getBytes(StandardCharsets.ISO_8859_1);

        assertThat(read(changed).symbols()).containsExactly("ib_register_peer_memory_client");
    }

    @Test
    void readsAnyBytes() throws IOException {
        byte[] object = object();
        for (int length = 0; length < object.length; length++) {
            ModuleReader.readRuntimeNames(object, length);
        }
        for (int at = 0; at < object.length; at++) {
            byte[] changed = object.clone();
            changed[at] ^= (byte) 0xff;
            assertThat(read(changed).symbols().size()).isLessThan(100);
        }
    }
}
