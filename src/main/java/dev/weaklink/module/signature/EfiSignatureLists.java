package dev.weaklink.module.signature;

import dev.weaklink.module.signature.CertificateFile.EncodedCertificate;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads the certificates in a UEFI variable such as db or MokListRT, a sequence of EFI_SIGNATURE_LIST structures (UEFI
 * specification, 32.4.1). A list consists of a type (GUID), three sizes, a header and signatures. The sizes are 32-bit
 * little-endian numbers of bytes: of the list, of the header, and of one signature. Each signature begins with its
 * owner's GUID.
 */
public final class EfiSignatureLists {
    private static final int HEADER = 28;
    private static final int OWNER = 16;
    private static final int MAX_CERTIFICATES = 1024;

    /**
     * The first eight bytes of EFI_CERT_X509_GUID (a5c059a1-94e4-4aa7-87b5-ab155c2bf072) in memory, as a little-endian
     * number.
     */
    private static final long X509_FIRST = 0x4aa794e4a5c059a1L;

    private static final long X509_SECOND = 0x72f02b5c15abb587L;

    private EfiSignatureLists() {}

    /**
     * Returns the X.509 certificates in the lists before the first invalid list.
     *
     * @param variable the variable's contents, without the attributes that efivarfs puts in front
     * @param where the variable's name for messages
     */
    public static List<EncodedCertificate> certificates(byte[] variable, String where) {
        List<EncodedCertificate> found = new ArrayList<>();
        ByteBuffer lists = ByteBuffer.wrap(variable).order(ByteOrder.LITTLE_ENDIAN);
        while (lists.remaining() >= HEADER) {
            int start = lists.position();
            boolean x509 = lists.getLong() == X509_FIRST & lists.getLong() == X509_SECOND;
            long size = Integer.toUnsignedLong(lists.getInt());
            long header = Integer.toUnsignedLong(lists.getInt());
            long each = Integer.toUnsignedLong(lists.getInt());
            if (size < HEADER + header || size > variable.length - start || each <= OWNER) {
                return found;
            }
            long end = start + size;
            for (long at = start + HEADER + header; x509 && at + each <= end; at += each) {
                if (found.size() == MAX_CERTIFICATES) {
                    return found;
                }
                byte[] der = new byte[(int) each - OWNER];
                lists.get((int) at + OWNER, der);
                found.add(new EncodedCertificate(der, where));
            }
            lists.position((int) end);
        }
        return found;
    }
}
