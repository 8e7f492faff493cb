package dev.weaklink.system.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weaklink.sys.FileIdentity;
import dev.weaklink.sys.UnreadableException;
import dev.weaklink.system.cache.FactsCache.ImageCertificates;
import dev.weaklink.system.cache.PackageSegment.FileSegment;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The certificates of a kernel image are cached for root only, and only for the image that contains them. */
class KeptCertificatesTest {
    private static final Path IMAGE = Path.of("/boot/vmlinuz-1");
    private static final FileIdentity FILE = new FileIdentity(1, 2, 3, 4_000_000_001L, 4_000_000_001L);
    private static final FileIdentity CHANGED = new FileIdentity(1, 2, 3, 4_000_000_001L, 4_000_000_002L);
    private static final long LATER = 9_000_000_000L;
    private static final ImageCertificates FOUND = new ImageCertificates("6.1.0", List.of("0\u0082\u0001", "0\u00ff"));

    @TempDir
    Path directory;

    private int user;

    @BeforeEach
    void whoAmI() throws IOException {
        user = (int) Files.getAttribute(directory, "unix:uid");
    }

    private FactsCache cache(long program) {
        return FactsCache.in(directory.resolve("facts"), user, program, () -> LATER);
    }

    @Test
    void findsCachedCertificatesOfTheSameImageAsRoot() {
        cache(1).keep(IMAGE, FILE, LATER, FOUND);

        assertThat(cache(1).certificates(IMAGE, FILE)).isEqualTo(user == 0 ? FOUND : null);
        assertThat(cache(1).certificates(IMAGE, CHANGED)).isNull();
        assertThat(cache(1).certificates(Path.of("/boot/vmlinuz-2"), FILE)).isNull();
        assertThat(cache(2).certificates(IMAGE, FILE)).isNull();
    }

    @Test
    void doesNotCacheAFileThatJustChanged() {
        cache(1).keep(IMAGE, FILE, 5_000_000_000L, FOUND);

        assertThat(cache(1).certificates(IMAGE, FILE)).isNull();
    }

    @Test
    void ignoresDamagedBytes() {
        byte[] bytes = FileSegment.write(ImageCertificates.MAGIC, 1, FILE, List.of(FOUND.bytes()));
        for (int i = 0; i < bytes.length; i++) {
            byte[] damaged = bytes.clone();
            damaged[i] ^= 1;
            assertThatThrownBy(
                            () -> FileSegment.read(damaged, ImageCertificates.MAGIC, 1, FILE, ImageCertificates::read))
                    .isInstanceOf(UnreadableException.class);
        }
    }
}
