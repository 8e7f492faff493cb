package dev.weaklink.module.signature;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.module.signature.CertificateFile.EncodedCertificate;
import dev.weaklink.testing.Der;
import dev.weaklink.testing.SigningKey;
import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class CertificateScanTest {
    private static final SigningKey RSA = SigningKey.rsa("one");
    private static final SigningKey CURVE = SigningKey.ec("two");

    @Test
    void findsNeighbouringCertificatesOnce() {
        byte[] kernel = joined(new byte[4099], RSA.certificate(), CURVE.certificate(), new byte[7], RSA.certificate());

        assertThat(found(kernel)).containsExactly(RSA.certificate(), CURVE.certificate());
    }

    @Test
    void ignoresBytesBehindTheLength() {
        byte[] kernel = joined(new byte[16], RSA.certificate());

        assertThat(CertificateScan.of(kernel, kernel.length - 1, "x")).isEmpty();
    }

    @Test
    void findsCertificatesAcrossPieces() {
        byte[] certificate = RSA.certificate();
        byte[] piece = new byte[100 << 10];
        for (int before = 0; before <= certificate.length + 8; before += 13) {
            byte[] first = new byte[piece.length - before];
            byte[] kernel = joined(first, certificate, CURVE.certificate(), new byte[200 << 10]);
            CertificateScan scan = new CertificateScan("x");
            int start = 0;
            int from = 0;
            for (int filled = piece.length; filled == piece.length; ) {
                start += from;
                filled = Math.min(piece.length, kernel.length - start);
                System.arraycopy(kernel, start, piece, 0, filled);
                from = scan.add(piece, filled);
            }

            assertThat(scan.found().stream().map(EncodedCertificate::der))
                    .as("%d bytes before the end", before)
                    .containsExactly(certificate, CURVE.certificate());
        }
    }

    @Test
    void skipsBytesThatOnlyStartLikeACertificate() {
        byte[] sequence = Der.sequence(Der.sequence(new byte[300]));
        byte[] version1 = Der.sequence(Der.sequence(Der.number(1), new byte[300]));

        assertThat(found(joined(sequence, version1))).isEmpty();
        assertThat(found(new byte[] {0x30, (byte) 0x82, 1, 0, 0x30})).isEmpty();
        assertThat(found(new byte[0])).isEmpty();
    }

    @Test
    void limitsTheNumberOfCertificates() {
        ByteArrayOutputStream kernel = new ByteArrayOutputStream();
        Random random = new Random(1);
        for (int i = 0; i < 300; i++) {
            byte[] filling = new byte[260];
            random.nextBytes(filling);
            kernel.writeBytes(Der.sequence(Der.sequence(Der.element(0xa0, Der.number(2)), Der.number(i), filling)));
        }

        assertThat(found(kernel.toByteArray())).hasSize(256);
    }

    @Test
    void readsSeveralCertificatesOfAPemFile() {
        String text = "some words\n" + pem(RSA.certificate()) + "between\n" + pem(CURVE.certificate());

        assertThat(CertificateFile.read(bytes(text), "f").stream().map(EncodedCertificate::der))
                .containsExactly(RSA.certificate(), CURVE.certificate());
    }

    @Test
    void skipsADamagedPartOfAPemFile() {
        String text = pem(RSA.certificate()).replace("BEGIN CERTIFICATE-----\n", "BEGIN CERTIFICATE-----\n=")
                + pem(CURVE.certificate())
                + "-----BEGIN CERTIFICATE-----\nMII";

        assertThat(CertificateFile.read(bytes(text), "f").stream().map(EncodedCertificate::der))
                .contains(CURVE.certificate());
        assertThat(CertificateFile.read(bytes("nothing"), "f")).isEmpty();
        assertThat(CertificateFile.read(new byte[0], "f")).isEmpty();
    }

    @Test
    void readsOneCertificateOfADerFile() {
        assertThat(CertificateFile.read(RSA.certificate(), "f").get(0).der()).isEqualTo(RSA.certificate());
    }

    private static List<byte[]> found(byte[] kernel) {
        return CertificateScan.of(kernel, kernel.length, "x").stream()
                .map(EncodedCertificate::der)
                .toList();
    }

    private static String pem(byte[] der) {
        return "-----BEGIN CERTIFICATE-----\n"
                + java.util.Base64.getMimeEncoder().encodeToString(der)
                + "\n-----END CERTIFICATE-----\n";
    }

    private static byte[] bytes(String text) {
        return text.getBytes(java.nio.charset.StandardCharsets.US_ASCII);
    }

    private static byte[] joined(byte[]... parts) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        Arrays.stream(parts).forEach(all::writeBytes);
        return all.toByteArray();
    }
}
