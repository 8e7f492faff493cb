package dev.weaklink.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class SignatureTrailerTest {
    private static final byte[] BLOB = {0x30, 0x03, 0x02, 0x01, 0x01};

    @Test
    void readsBlobDescriptorAndMarkerOfAPkcs7Signature() {
        byte[] trailer = SignatureTrailer.pkcs7(BLOB).toBytes();

        assertThat(trailer).hasSize(5 + 12 + 28).startsWith(BLOB);
        assertThat(Arrays.copyOfRange(trailer, 5, 17)).containsExactly(0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 5);
        assertThat(new String(trailer, 17, 28, StandardCharsets.US_ASCII)).isEqualTo("~Module signature appended~\n");
    }

    @Test
    void makesATrailerThatAnnouncesMoreThanItContains() {
        byte[] trailer = SignatureTrailer.pkcs7(BLOB).announcing(0xfffffff0L).toBytes();

        assertThat(Arrays.copyOfRange(trailer, 5, 17)).containsExactly(0, 0, 2, 0, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xf0);
    }

    @Test
    void writesEveryFieldOfTheDescriptor() {
        SignatureTrailer trailer =
                SignatureTrailer.pkcs7(new byte[0]).with(new SignatureTrailer.Descriptor(1, 2, 3, 4, 5, 0x060708, 9));

        assertThat(Arrays.copyOf(trailer.toBytes(), 12)).containsExactly(1, 2, 3, 4, 5, 6, 7, 8, 0, 0, 0, 9);
    }

    @Test
    void writesNoByteWithoutATrailer() {
        assertThat(SignatureTrailer.NONE.toBytes()).isEmpty();
        assertThat(SignatureTrailer.MARKER_ONLY.toBytes()).hasSize(28);
    }
}
