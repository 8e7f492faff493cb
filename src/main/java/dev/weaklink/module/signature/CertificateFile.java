package dev.weaklink.module.signature;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

/** Reads certificate files: one certificate as DER, or several as PEM (RFC 7468). */
public final class CertificateFile {
    private static final String BEGIN = "-----BEGIN CERTIFICATE-----";
    private static final String END = "-----END CERTIFICATE-----";
    private static final int SEQUENCE = 0x30;
    private static final int MAX_CERTIFICATES = 1024;

    private CertificateFile() {}

    public static List<EncodedCertificate> read(byte[] contents, String where) {
        if (contents.length > 0 && contents[0] == SEQUENCE) {
            return List.of(new EncodedCertificate(contents, where));
        }
        List<EncodedCertificate> found = new ArrayList<>();
        String text = new String(contents, StandardCharsets.ISO_8859_1);
        int begin = text.indexOf(BEGIN);
        while (begin >= 0 && found.size() < MAX_CERTIFICATES) {
            int end = text.indexOf(END, begin + BEGIN.length());
            if (end < 0) {
                break;
            }
            byte[] der = decoded(text.substring(begin + BEGIN.length(), end));
            if (der.length > 0) {
                found.add(new EncodedCertificate(der, where));
            }
            begin = text.indexOf(BEGIN, end);
        }
        return found;
    }

    private static byte[] decoded(String base64) {
        try {
            return Base64.getMimeDecoder().decode(base64);
        } catch (IllegalArgumentException e) {
            // A damaged certificate is skipped, because the other certificates in the file may be valid.
            return new byte[0];
        }
    }

    /**
     * An X.509 certificate that has not been parsed.
     *
     * @param der the certificate's bytes, which must not be changed
     * @param where the certificate's source for messages
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    public record EncodedCertificate(byte[] der, String where) {}
}
