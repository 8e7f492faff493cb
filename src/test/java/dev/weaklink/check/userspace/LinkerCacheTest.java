package dev.weaklink.check.userspace;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.sys.Root;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LinkerCacheTest {
    private static final String NAME = "libx.so.1";

    @TempDir
    Path directory;

    /**
     * Returns a cache with these entries of name, path and hwcap.
     *
     * @param old true to put the older format in front
     */
    private static byte[] cache(ByteOrder order, boolean old, Object... entries) {
        int count = entries.length / 3;
        ByteBuffer out = ByteBuffer.allocate(48 + 24 * count).order(order);
        out.put("glibc-ld.so.cache1.1".getBytes(StandardCharsets.US_ASCII)).putInt(count);
        out.put(28, (byte) (order == ByteOrder.BIG_ENDIAN ? 3 : 2));
        ByteArrayOutputStream strings = new ByteArrayOutputStream();
        for (int i = 0; i < count; i++) {
            int at = 48 + 24 * i;
            for (int part = 0; part < 2; part++) {
                out.putInt(at + 4 + 4 * part, out.limit() + strings.size());
                strings.writeBytes((entries[3 * i + part] + "\0").getBytes(StandardCharsets.UTF_8));
            }
            out.putLong(at + 16, (Integer) entries[3 * i + 2]);
        }
        ByteArrayOutputStream file = new ByteArrayOutputStream();
        if (old) {
            ByteBuffer before = ByteBuffer.allocate(32).order(ByteOrder.nativeOrder());
            before.put("ld.so-1.7.0\0".getBytes(StandardCharsets.US_ASCII)).putInt(1);
            file.writeBytes(before.array());
        }
        file.writeBytes(out.array());
        file.writeBytes(strings.toByteArray());
        return file.toByteArray();
    }

    private void file(String path, byte[] content) throws IOException {
        Path file = directory.resolve(path);
        Files.createDirectories(Objects.requireNonNull(file.getParent()));
        Files.write(file, content);
    }

    private String find() throws IOException {
        var found = new Libraries(Root.of(directory)).find(NAME, List.of(), null);
        return found == null ? "" : found.inside();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void readsTheCacheFirst(boolean old) throws IOException {
        file("opt/new/" + NAME, new byte[1]);
        file("usr/lib/" + NAME, new byte[1]);
        file("etc/ld.so.conf", "/opt/new\n".getBytes(StandardCharsets.UTF_8));
        assertThat(find()).as("without a cache").isEqualTo("/opt/new/" + NAME);

        file("etc/ld.so.cache", cache(ByteOrder.LITTLE_ENDIAN, old));
        assertThat(find()).as("ldconfig has not run").isEqualTo("/usr/lib/" + NAME);

        file("etc/ld.so.cache", cache(ByteOrder.BIG_ENDIAN, old, NAME, "/v3/x", 9, NAME, "/opt/new/" + NAME, 0));
        assertThat(find()).isEqualTo("/opt/new/" + NAME);

        file("etc/ld.so.cache", cache(ByteOrder.LITTLE_ENDIAN, old, NAME, "/gone/" + NAME, 0));
        assertThat(find()).as("a file that is gone").isEqualTo("/usr/lib/" + NAME);

        file("etc/ld.so.cache", new byte[60]);
        assertThat(find()).as("no cache at all").isEqualTo("/opt/new/" + NAME);
    }

    @Test
    void readsAnyBytes() throws IOException {
        Random random = new Random(1);
        for (int i = 0; i < 2000; i++) {
            byte[] bytes = cache(ByteOrder.LITTLE_ENDIAN, i % 2 == 0, NAME, "/usr/lib/" + NAME, 0);
            bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
            file("etc/ld.so.cache", bytes);

            assertThat(find()).isEmpty();
        }
    }
}
