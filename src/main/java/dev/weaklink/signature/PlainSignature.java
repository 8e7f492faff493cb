package dev.weaklink.signature;

import dev.weaklink.module.ModuleSignature.Result;
import java.security.GeneralSecurityException;
import java.security.PublicKey;
import java.security.Signature;
import java.util.Map;
import org.bouncycastle.asn1.nist.NISTObjectIdentifiers;
import org.bouncycastle.asn1.pkcs.PKCSObjectIdentifiers;
import org.bouncycastle.asn1.x9.X9ObjectIdentifiers;
import org.bouncycastle.cert.X509CertificateHolder;
import org.bouncycastle.cms.SignerInformation;
import org.bouncycastle.openssl.PEMException;
import org.bouncycastle.openssl.jcajce.JcaPEMKeyConverter;
import org.jspecify.annotations.Nullable;

/**
 * A signature made of the contents themselves, without attributes, as sign-file makes them (RFC
 * 5652, 5.4): with RSA as of PKCS #1, or with ECDSA.
 */
final class PlainSignature {
  /** Digests by their object identifiers, in Java's words. */
  private static final Map<String, String> DIGESTS =
      Map.of(
          NISTObjectIdentifiers.id_sha224.getId(), "SHA224",
          NISTObjectIdentifiers.id_sha256.getId(), "SHA256",
          NISTObjectIdentifiers.id_sha384.getId(), "SHA384",
          NISTObjectIdentifiers.id_sha512.getId(), "SHA512");

  /** Algorithms of signatures that say nothing of a digest, or the one that they are for. */
  private static final Map<String, String> ALGORITHMS =
      Map.of(
          PKCSObjectIdentifiers.rsaEncryption.getId(), "withRSA",
          X9ObjectIdentifiers.ecdsa_with_SHA224.getId(), "SHA224withECDSA",
          X9ObjectIdentifiers.ecdsa_with_SHA256.getId(), "SHA256withECDSA",
          X9ObjectIdentifiers.ecdsa_with_SHA384.getId(), "SHA384withECDSA",
          X9ObjectIdentifiers.ecdsa_with_SHA512.getId(), "SHA512withECDSA");

  private final Signature verifier;
  private final byte[] signature;

  private PlainSignature(Signature verifier, byte[] signature) {
    this.verifier = verifier;
    this.signature = signature;
  }

  /** Null if it is of another kind, or not by a key of this certificate's kind. */
  static @Nullable PlainSignature of(SignerInformation signer, X509CertificateHolder certificate) {
    String digest = DIGESTS.get(signer.getDigestAlgOID());
    String algorithm = ALGORITHMS.get(signer.getEncryptionAlgOID());
    if (digest == null || algorithm == null || signer.getSignedAttributes() != null) {
      return null;
    }
    String name = algorithm.startsWith("with") ? digest + algorithm : algorithm;
    if (!name.startsWith(digest)) {
      return null;
    }
    try {
      PublicKey key = new JcaPEMKeyConverter().getPublicKey(certificate.getSubjectPublicKeyInfo());
      Signature verifier = Signature.getInstance(name);
      verifier.initVerify(key);
      return new PlainSignature(verifier, signer.getSignature());
    } catch (GeneralSecurityException | PEMException e) {
      return null;
    }
  }

  /** Whether it is of these bytes: verified or wrong. */
  Result isOf(byte[] data, int length) {
    try {
      verifier.update(data, 0, length);
      return verifier.verify(signature) ? Result.VERIFIED : Result.WRONG;
    } catch (GeneralSecurityException e) {
      // Not even of the form the key makes.
      return Result.WRONG;
    }
  }
}
