package dev.weaklink.testing;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * A PKCS#7 message with the structure of a module's signature (RFC 2315); nothing is signed.
 *
 * @param version the version of message and signer: 1 identifies the signer by issuer and serial number, 3 by key
 * @param digest the object identifier of the digest, an element in hexadecimal
 * @param algorithm the object identifier of the public key algorithm, an element in hexadecimal
 * @param attributes true if the message has signed attributes
 * @param attached true if the message contains the signed data
 */
public record Pkcs7(int version, String digest, String algorithm, boolean attributes, boolean attached) {
    public static final String SHA256 = "0609608648016503040201";
    public static final String MD2 = "06082a864886f70d0202";
    public static final String SHA3_256 = "0609608648016503040208";
    public static final String ECDSA_WITH_SHA256 = "06082a8648ce3d040302";
    public static final String MD4 = "06082a864886f70d0204";
    public static final String RSA = "06092a864886f70d010101";
    public static final String ML_DSA_65 = "0609608648016503040312";
    public static final String SHA256_WITH_RSA = "06092a864886f70d01010b";

    /** A message as sign-file writes it. */
    public static final Pkcs7 TYPICAL = new Pkcs7(1, SHA256, RSA, false, false);

    private static final String SIGNED_DATA = "06092a864886f70d010702";
    private static final String DATA = "06092a864886f70d010701";
    private static final String CONTENT_TYPE = "06092a864886f70d010903";
    private static final String MESSAGE_DIGEST = "06092a864886f70d010904";
    private static final String COMMON_NAME = "0603550403";
    private static final byte[] NULL = {5, 0};

    public Pkcs7 version(int newVersion) {
        return new Pkcs7(newVersion, digest, algorithm, attributes, attached);
    }

    public Pkcs7 algorithms(String newDigest, String newAlgorithm) {
        return new Pkcs7(version, newDigest, newAlgorithm, attributes, attached);
    }

    public Pkcs7 withAttributes() {
        return new Pkcs7(version, digest, algorithm, true, attached);
    }

    public Pkcs7 withContent() {
        return new Pkcs7(version, digest, algorithm, attributes, true);
    }

    public byte[] toBytes() {
        byte[] content = attached
                ? Der.sequence(Der.hex(DATA), Der.element(0xa0, Der.element(0x04, new byte[3])))
                : Der.sequence(Der.hex(DATA));
        byte[] signed = Der.sequence(
                Der.number(version), Der.element(0x31, algorithm(digest)), content, Der.element(0x31, signer()));
        return Der.sequence(Der.hex(SIGNED_DATA), Der.element(0xa0, signed));
    }

    private byte[] signer() {
        return Der.sequence(
                Der.number(version),
                version == 3 ? Der.element(0x80, new byte[] {0x0a, 0x0b}) : issuerAndSerial(),
                algorithm(digest),
                attributes ? Der.element(0xa0, typeAndDigest()) : new byte[0],
                algorithm(algorithm),
                Der.element(0x04, new byte[16]));
    }

    private static byte[] typeAndDigest() {
        byte[] type = Der.sequence(Der.hex(CONTENT_TYPE), Der.element(0x31, Der.hex(DATA)));
        byte[] empty = Der.element(0x04, new byte[32]);
        byte[] digest = Der.sequence(Der.hex(MESSAGE_DIGEST), Der.element(0x31, empty));
        byte[] both = Arrays.copyOf(type, type.length + digest.length);
        System.arraycopy(digest, 0, both, type.length, digest.length);
        return both;
    }

    private static byte[] issuerAndSerial() {
        byte[] name = Der.element(0x0c, "Test key".getBytes(StandardCharsets.US_ASCII));
        byte[] issuer = Der.sequence(Der.element(0x31, Der.sequence(Der.hex(COMMON_NAME), name)));
        return Der.sequence(issuer, Der.element(0x02, new byte[] {0x7a, 0x7d}));
    }

    private static byte[] algorithm(String identifier) {
        return Der.sequence(Der.hex(identifier), NULL);
    }
}
