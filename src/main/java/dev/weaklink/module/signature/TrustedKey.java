package dev.weaklink.module.signature;

import dev.weaklink.module.DistinguishedName;
import dev.weaklink.module.Signer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.NoSuchAlgorithmException;
import org.bouncycastle.asn1.ASN1OctetString;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.SubjectKeyIdentifier;
import org.bouncycastle.cert.X509CertificateHolder;
import org.jspecify.annotations.Nullable;

/**
 * A certificate that was read. The kernel finds keys by the very bytes of issuer and serial number,
 * or of the subject's key identifier
 * (crypto/asymmetric_keys/asymmetric_type.c:find_asymmetric_key).
 *
 * @param der the certificate's bytes, one character a byte
 * @param words what to call it: its subject, and where it was found
 * @param key what it certifies
 * @param fingerprint the certificate's SHA-256, one character a byte
 */
record TrustedKey(
    String der,
    String issuer,
    String serial,
    @Nullable String keyId,
    String words,
    VerifyingKey key,
    String fingerprint) {
  private static final int LONGEST = 65_535;

  /** Reads a certificate; null if it is not one. */
  static @Nullable TrustedKey read(EncodedCertificate encoded) {
    byte[] der = encoded.der();
    if (der.length > LONGEST || !NestingLimit.isWithin(der, 0, der.length)) {
      return null;
    }
    try {
      X509CertificateHolder certificate = new X509CertificateHolder(der);
      String subject = DistinguishedName.text(text(certificate.getSubject().getEncoded()));
      return new TrustedKey(
          text(der),
          text(certificate.getIssuer().getEncoded()),
          text(certificate.getSerialNumber().toByteArray()),
          keyId(certificate),
          subject + " (" + encoded.where() + ")",
          new VerifyingKey(certificate.getSubjectPublicKeyInfo()),
          text(ContentsDigest.inJava("SHA256", der, der.length)));
    } catch (IOException | NoSuchAlgorithmException | RuntimeException e) {
      // Bouncy Castle meets some malformed certificates with exceptions of its own.
      return null;
    }
  }

  private static @Nullable String keyId(X509CertificateHolder certificate) {
    Extension extension = certificate.getExtension(Extension.subjectKeyIdentifier);
    if (extension == null) {
      return null;
    }
    ASN1OctetString id = ASN1OctetString.getInstance(extension.getParsedValue());
    return text(SubjectKeyIdentifier.getInstance(id).getKeyIdentifier());
  }

  private static String text(byte[] bytes) {
    return new String(bytes, StandardCharsets.ISO_8859_1);
  }

  /** The same of a signature of which only this is reported; a number's leading zeros are not. */
  boolean matches(Signer signer) {
    String reported = signer.serial();
    String name = signer.text();
    boolean isNumber = reported != null && withoutZeros(serial).equals(withoutZeros(reported));
    boolean isKey = signer.keyId() != null && signer.keyId().equals(keyId);
    return isKey || isNumber && (name == null || name.equals(DistinguishedName.commonName(issuer)));
  }

  private static String withoutZeros(String bytes) {
    int start = 0;
    while (start < bytes.length() - 1 && bytes.charAt(start) == 0) {
      start++;
    }
    return bytes.substring(start);
  }

  /** Whether a signature says that it is by this key. */
  boolean isOf(Signer signer) {
    String id = signer.keyId();
    return id == null
        ? issuer.equals(signer.issuer()) && serial.equals(signer.serial())
        : id.equals(keyId);
  }
}
