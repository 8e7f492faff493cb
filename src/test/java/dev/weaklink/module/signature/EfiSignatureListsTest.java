package dev.weaklink.module.signature;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.module.signature.CertificateFile.EncodedCertificate;
import dev.weaklink.testing.EfiVariable;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class EfiSignatureListsTest {
    private static final byte[] ONE = {1, 2, 3};
    private static final byte[] TWO = {4, 5, 6};
    private static final byte[] LONG = new byte[900];

    @Test
    void readsTheCertificatesOfAllListsInOrder() {
        byte[] variable = new EfiVariable().x509(ONE, TWO).hashes(2).x509(LONG).toBytes();

        assertThat(read(variable)).containsExactly(ONE, TWO, LONG);
    }

    @Test
    void skipsTruncatedLists() {
        byte[] variable = new EfiVariable().x509(ONE).x509(LONG).toBytes();

        for (int length = 0; length < variable.length; length++) {
            assertThat(read(Arrays.copyOf(variable, length)).size()).isLessThanOrEqualTo(1);
        }
        assertThat(read(Arrays.copyOf(variable, variable.length - 1))).containsExactly(ONE);
    }

    @Test
    void stopsAtInvalidSizes() {
        for (int size : new int[] {0, 1, 27, -1, Integer.MAX_VALUE, Integer.MIN_VALUE}) {
            for (int field = 16; field < 28; field += 4) {
                byte[] variable = new EfiVariable().x509(ONE).toBytes();
                java.nio.ByteBuffer.wrap(variable)
                        .order(java.nio.ByteOrder.LITTLE_ENDIAN)
                        .putInt(field, size);

                assertThat(read(variable).size()).isLessThanOrEqualTo(2);
            }
        }
    }

    private static List<byte[]> read(byte[] variable) {
        return EfiSignatureLists.certificates(variable, "db").stream()
                .map(EncodedCertificate::der)
                .toList();
    }
}
