package dev.weaklink.module.signature;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

/** Certificates as people keep them: one as DER, or any number as PEM (RFC 7468). */
public final class CertificateFile {
    private static final String BEGIN = "-----BEGIN CERTIFICATE-----";
    private static final String END = "-----END CERTIFICATE-----";
    private static final int SEQUENCE = 0x30;
    private static final int MAX_CERTIFICATES = 1024;

    private CertificateFile() {}

    /**
     * The certificates in a file.
     *
     * @param where what to call the file
     * @return empty if there is none in it
     */
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
            // Damaged; the others in the file may be in order.
            return new byte[0];
        }
    }

    /**
     * An X.509 certificate as it was found; not looked into yet.
     *
     * @param der its bytes, not to be changed
     * @param where what it was found in, for people
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    public record EncodedCertificate(byte[] der, String where) {}
}
