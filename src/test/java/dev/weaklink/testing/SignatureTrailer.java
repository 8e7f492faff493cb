package dev.weaklink.testing;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * The trailer after the ELF data of a signed module (include/linux/module_signature.h): the blob, a descriptor of 12
 * bytes whose last four are the blob's length in big-endian order, and a marker.
 *
 * @param blob the signature data in hexadecimal
 * @param descriptor the descriptor, null for none
 * @param marker true if the marker line ends the file
 */
public record SignatureTrailer(String blob, @Nullable Descriptor descriptor, boolean marker) {
    /** The absence of a trailer. */
    public static final SignatureTrailer NONE = new SignatureTrailer("", null, false);

    /** A trailer of the marker alone. */
    public static final SignatureTrailer MARKER_ONLY = new SignatureTrailer("", null, true);

    public static final int PGP = 0;
    public static final int X509 = 1;
    public static final int PKCS7 = 2;

    private static final String MARKER = "~Module signature appended~\n";

    /**
     * The struct module_signature.
     *
     * @param pad the three pad bytes, as a number of 24 bits
     * @param signatureLength the announced length, as an unsigned 32-bit number
     */
    public record Descriptor(
            int algorithm, int hash, int idType, int signerLength, int keyIdLength, int pad, long signatureLength) {}

    /** Returns a well-formed trailer of type PKCS#7, with any blob. */
    public static SignatureTrailer pkcs7(byte[] blob) {
        return of(PKCS7, blob);
    }

    /** Returns a trailer of any id_type, with 0 in all other fields. */
    public static SignatureTrailer of(int idType, byte[] blob) {
        Descriptor descriptor = new Descriptor(0, 0, idType, 0, 0, 0, blob.length);
        return new SignatureTrailer(HexFormat.of().formatHex(blob), descriptor, true);
    }

    /** Returns a trailer for kernels up to 4.2: signer's name, key id and signature, with RSA (1) and SHA-256. */
    public static SignatureTrailer x509(byte[] signer, byte[] keyId, byte[] signature) {
        HexFormat hex = HexFormat.of();
        String blob = hex.formatHex(signer) + hex.formatHex(keyId) + hex.formatHex(signature);
        Descriptor descriptor = new Descriptor(1, 4, X509, signer.length, keyId.length, 0, signature.length);
        return new SignatureTrailer(blob, descriptor, true);
    }

    /** Returns this trailer with another announced length of the signature. */
    public SignatureTrailer announcing(long signatureLength) {
        Descriptor d = required();
        return with(
                new Descriptor(d.algorithm, d.hash, d.idType, d.signerLength, d.keyIdLength, d.pad, signatureLength));
    }

    public SignatureTrailer with(Descriptor newDescriptor) {
        return new SignatureTrailer(blob, newDescriptor, marker);
    }

    public byte[] toBytes() {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.writeBytes(HexFormat.of().parseHex(blob));
        if (descriptor != null) {
            out.write(descriptor.algorithm);
            out.write(descriptor.hash);
            out.write(descriptor.idType);
            out.write(descriptor.signerLength);
            out.write(descriptor.keyIdLength);
            writeBigEndian(out, descriptor.pad, 3);
            writeBigEndian(out, descriptor.signatureLength, 4);
        }
        if (marker) {
            out.writeBytes(MARKER.getBytes(StandardCharsets.US_ASCII));
        }
        return out.toByteArray();
    }

    private Descriptor required() {
        if (descriptor == null) {
            throw new IllegalStateException("this trailer has no descriptor");
        }
        return descriptor;
    }

    private static void writeBigEndian(ByteArrayOutputStream out, long value, int width) {
        for (int shift = 8 * (width - 1); shift >= 0; shift -= 8) {
            out.write((int) (value >>> shift) & 0xff);
        }
    }
}
