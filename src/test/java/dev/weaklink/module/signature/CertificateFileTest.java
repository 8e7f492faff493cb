package dev.weaklink.module.signature;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.module.signature.CertificateFile.EncodedCertificate;
import dev.weaklink.testing.SigningKey;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.Test;

class CertificateFileTest {
    private static final String BEGIN = "-----BEGIN CERTIFICATE-----";
    private static final String END = "-----END CERTIFICATE-----";

    private static List<EncodedCertificate> read(String text) {
        return CertificateFile.read(text.getBytes(StandardCharsets.US_ASCII), "file");
    }

    @Test
    void readsEveryCertificateOfAPemFile() {
        byte[] one = SigningKey.ec("one").certificate();
        byte[] two = SigningKey.ec("two").certificate();
        String text = "a text\n";
        for (byte[] certificate : List.of(one, two)) {
            text += BEGIN + "\n" + Base64.getMimeEncoder().encodeToString(certificate) + "\n" + END + "\n";
        }

        assertThat(read(text)).extracting(EncodedCertificate::der).containsExactly(one, two);
    }

    @Test
    void refusesAnEndInsideTheBeginning() {
        assertThat(read("-----BEGIN CERTIFICATE-----END CERTIFICATE-----")).isEmpty();
        assertThat(read(BEGIN + END)).isEmpty();
        assertThat(read(BEGIN)).isEmpty();
    }
}
