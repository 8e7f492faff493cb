package dev.weaklink.module.signature;

import dev.weaklink.module.signature.CertificateFile.EncodedCertificate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Finds certificates in a kernel image by their form, without a symbol table. A certificate is a DER SEQUENCE of at
 * least 256 bytes that begins with another SEQUENCE. The inner SEQUENCE begins with version 3 and a serial number (RFC
 * 5280, 4.1). The certificates are stored one after the other (certs/system_certificates.S: system_certificate_list).
 */
public final class CertificateScan {
    private static final int MAX_CERTIFICATES = 256;
    private static final int SEQUENCE = 0x30;
    private static final int LONG_1 = 0x81;
    private static final int LONG_2 = 0x82;
    private static final int OUTER_HEADER = 4;
    private static final byte[] VERSION_AND_SERIAL = {(byte) 0xa0, 3, 2, 1, 2, 2};

    /** A number of bytes that no certificate exceeds, because its length field has two bytes. */
    private static final int LONGEST = 66 << 10;

    private final String where;
    private final List<EncodedCertificate> found = new ArrayList<>();
    private byte[] data = {};
    private int length;

    public CertificateScan(String where) {
        this.where = where;
    }

    /**
     * Returns the probable certificates in a kernel image, without duplicates.
     *
     * @param kernel the unpacked kernel
     * @param count the number of valid bytes in the array
     * @param where the image's name for messages
     */
    public static List<EncodedCertificate> of(byte[] kernel, int count, String where) {
        CertificateScan scan = new CertificateScan(where);
        scan.add(kernel, count);
        return scan.found();
    }

    public List<EncodedCertificate> found() {
        return found;
    }

    /**
     * Scans a part of a kernel image.
     *
     * @param piece the part; it must start at the position that the call for the previous part returned
     * @param count the number of valid bytes in the array
     * @return the position in this part where the next part must start, so that no certificate is split between parts
     */
    public int add(byte[] piece, int count) {
        data = piece;
        length = count;
        int free = 0;
        int at = versionFrom(0);
        while (at < length && found.size() < MAX_CERTIFICATES) {
            int end = -1;
            for (int header = 8; header >= 7 && end < 0; header--) {
                end = at - header >= free ? take(at - header) : -1;
            }
            free = Math.max(free, end);
            at = versionFrom(Math.max(at + 1, end));
        }
        return Math.max(free, length - LONGEST);
    }

    private int versionFrom(int start) {
        int last = VERSION_AND_SERIAL.length - 1;
        int at = start;
        while (at + last < length) {
            int value = data[at + last] & 0xff;
            if (value == 0 || value > 3 && value != 0xa0) {
                at += VERSION_AND_SERIAL.length; // no match can start within these bytes
            } else if (Arrays.equals(data, at, at + last + 1, VERSION_AND_SERIAL, 0, VERSION_AND_SERIAL.length)) {
                return at;
            } else {
                at++;
            }
        }
        return length;
    }

    /** Adds the certificate that starts at a position, if there is one; returns its end, or -1. */
    private int take(int at) {
        if (data[at] != SEQUENCE || (data[at + 1] & 0xff) != LONG_2) {
            return -1;
        }
        int size = (data[at + 2] & 0xff) << 8 | (data[at + 3] & 0xff);
        int end = at + OUTER_HEADER + size;
        if (end > length || !isSigned(at + OUTER_HEADER, end)) {
            return -1;
        }
        byte[] der = Arrays.copyOfRange(data, at, end);
        for (EncodedCertificate other : found) {
            if (Arrays.equals(other.der(), der)) {
                return end;
            }
        }
        found.add(new EncodedCertificate(der, where));
        return end;
    }

    private boolean isSigned(int at, int end) {
        if (end - at < OUTER_HEADER + VERSION_AND_SERIAL.length || data[at] != SEQUENCE) {
            return false;
        }
        int form = data[at + 1] & 0xff;
        int header = form == LONG_2 ? 4 : form == LONG_1 ? 3 : 0;
        return header > 0
                && Arrays.equals(
                        data,
                        at + header,
                        at + header + VERSION_AND_SERIAL.length,
                        VERSION_AND_SERIAL,
                        0,
                        VERSION_AND_SERIAL.length);
    }
}
