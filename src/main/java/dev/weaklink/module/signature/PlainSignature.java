package dev.weaklink.module.signature;

import dev.weaklink.module.ModuleSignature.Result;
import java.util.Map;
import org.bouncycastle.asn1.pkcs.PKCSObjectIdentifiers;
import org.bouncycastle.asn1.x9.X9ObjectIdentifiers;
import org.bouncycastle.cms.SignerInformation;
import org.jspecify.annotations.Nullable;

/**
 * A signature made of the contents themselves, without attributes, as sign-file makes them (RFC
 * 5652, 5.4): with RSA as of PKCS #1, or with ECDSA.
 */
final class PlainSignature {
  /** Algorithms of signatures that say nothing of a digest, or the one that they are for. */
  private static final Map<String, String> ALGORITHMS =
      Map.of(
          PKCSObjectIdentifiers.rsaEncryption.getId(), "withRSA",
          X9ObjectIdentifiers.ecdsa_with_SHA224.getId(), "SHA224withECDSA",
          X9ObjectIdentifiers.ecdsa_with_SHA256.getId(), "SHA256withECDSA",
          X9ObjectIdentifiers.ecdsa_with_SHA384.getId(), "SHA384withECDSA",
          X9ObjectIdentifiers.ecdsa_with_SHA512.getId(), "SHA512withECDSA");

  private final String digest;
  private final byte[] signature;
  private final VerifyingKey key;

  private PlainSignature(String digest, byte[] signature, VerifyingKey key) {
    this.digest = digest;
    this.signature = signature;
    this.key = key;
  }

  /** Null if it is of another kind, or not by a key of this kind. */
  static @Nullable PlainSignature of(SignerInformation signer, VerifyingKey key) {
    String digest = VerifyingKey.digest(signer.getDigestAlgOID());
    String algorithm = ALGORITHMS.get(signer.getEncryptionAlgOID());
    if (digest == null || algorithm == null || signer.getSignedAttributes() != null) {
      return null;
    }
    String name = algorithm.startsWith("with") ? digest + algorithm : algorithm;
    boolean isKnown = name.startsWith(digest) && key.makes(name.substring(digest.length()));
    return isKnown ? new PlainSignature(digest, signer.getSignature(), key) : null;
  }

  /** What is signed: the digest of this name, such as SHA256. */
  String digest() {
    return digest;
  }

  /** Whether it is of contents with this digest: verified or wrong. */
  Result isOf(byte[] contents) {
    return key.verifies(digest, contents, signature) ? Result.VERIFIED : Result.WRONG;
  }
}
