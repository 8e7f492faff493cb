package dev.weaklink.check;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.sys.FileIdentity;
import dev.weaklink.system.FoundFile;
import dev.weaklink.system.cache.FactsCache;
import dev.weaklink.testing.BtfBuilder;
import dev.weaklink.testing.KernelSpec;
import dev.weaklink.testing.KernelWriter;
import dev.weaklink.testing.Machine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The cached types of a kernel image. */
class KeptTypesTest {
    private static final KernelSpec KERNEL = KernelSpec.of(Machine.X86_64);

    @TempDir
    Path directory;

    private FactsCache cache() throws IOException {
        int user = (int) Files.getAttribute(directory, "unix:uid");
        long later = (System.currentTimeMillis() + 3_600_000) * 1_000_000;
        return FactsCache.in(directory.resolve("cache"), user, 1, () -> later);
    }

    /** The bytes for a store must be the types only, without the neighbouring bytes of the cache. */
    @Test
    void storesTypesFromTheCache() throws IOException {
        BtfBuilder types = new BtfBuilder();
        types.integer("int", 4);
        Path image = Files.write(directory.resolve("vmlinuz"), KernelWriter.elf(KERNEL, types));
        List<FoundFile> images = List.of(new FoundFile("/boot/vmlinuz", image));

        byte[] read = ImageTypesReader.section(images, KERNEL.release(), cache(), new ArrayList<>());
        FileIdentity identity = FileIdentity.of(image);

        assertThat(read).isEqualTo(types.build(KERNEL.machine().order()));
        assertThat(cache().types(image, identity)).isNotNull();
        assertThat(ImageTypesReader.section(images, KERNEL.release(), cache(), new ArrayList<>()))
                .isEqualTo(read);
    }
}
