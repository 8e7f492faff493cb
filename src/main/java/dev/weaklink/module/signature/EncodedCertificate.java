package dev.weaklink.module.signature;

/**
 * An X.509 certificate as it was found; not looked into yet.
 *
 * @param der its bytes, not to be changed
 * @param where what it was found in, for people
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record EncodedCertificate(byte[] der, String where) {}
