package dev.weaklink.module.signature;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.security.NoSuchAlgorithmException;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Compares the digests of libcrypto and Java. */
class LibCryptoTest {
    private final LibCrypto library = LibCrypto.find();

    @BeforeEach
    void needsTheLibrary() {
        assumeTrue(library != null, "needs Java 22 or newer, and libcrypto.so.3 or .1.1");
    }

    @Test
    void digestsOfEveryLength() throws NoSuchAlgorithmException {
        byte[] data = new byte[200_000];
        new Random(1).nextBytes(data);
        for (String algorithm : new String[] {"SHA224", "SHA256", "SHA384", "SHA512"}) {
            for (int length : new int[] {0, 1, 63, 64, 65_535, 65_536, 65_537, 131_072, 200_000}) {
                assertThat(library.digest(algorithm, data, length))
                        .as("%s of %d", algorithm, length)
                        .isEqualTo(ContentsDigest.inJava(algorithm, data, length));
            }
        }
    }

    @Test
    void digestsOnSeveralThreads() {
        byte[] data = new byte[1 << 20];
        byte[] alone = library.digest("SHA256", data, data.length);

        assertThat(IntStream.range(0, 64).parallel().mapToObj(i -> library.digest("SHA256", data, data.length)))
                .allSatisfy(digest -> assertThat(digest).isEqualTo(alone));
    }

    @Test
    void returnsNullForAnUnknownDigest() {
        assertThat(library.digest("SHA0815", new byte[1], 1)).isNull();
    }
}
