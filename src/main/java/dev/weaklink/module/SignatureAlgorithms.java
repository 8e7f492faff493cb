package dev.weaklink.module;

import org.jspecify.annotations.Nullable;

/**
 * The algorithms that the kernel's PKCS#7 parser knows (crypto/asymmetric_keys/pkcs7_parser.c:
 * pkcs7_sig_note_digest_algo, pkcs7_sig_note_pkey_algo), by object identifier.
 */
final class SignatureAlgorithms {
  private SignatureAlgorithms() {}

  /** The name of a digest that module signatures can have in some version; null for others. */
  static @Nullable String digest(String identifier) {
    return switch (identifier) {
      case "1.2.840.113549.2.4" -> "md4";
      case "1.2.840.113549.2.5" -> "md5";
      case "1.3.14.3.2.26" -> "sha1";
      case "2.16.840.1.101.3.4.2.4" -> "sha224";
      case "2.16.840.1.101.3.4.2.1" -> "sha256";
      case "2.16.840.1.101.3.4.2.2" -> "sha384";
      case "2.16.840.1.101.3.4.2.3" -> "sha512";
      case "2.16.840.1.101.3.4.2.8" -> "sha3-256";
      case "2.16.840.1.101.3.4.2.9" -> "sha3-384";
      case "2.16.840.1.101.3.4.2.10" -> "sha3-512";
      default -> null;
    };
  }

  /**
   * The name of a public key algorithm that module signatures can have; null for others, among them
   * sha256WithRSAEncryption and its like, which the kernel refuses here.
   */
  static @Nullable String publicKey(String identifier) {
    return switch (identifier) {
      case "1.2.840.113549.1.1.1" -> "rsa";
      case "1.2.840.10045.4.1",
          "1.2.840.10045.4.3.1",
          "1.2.840.10045.4.3.2",
          "1.2.840.10045.4.3.3",
          "1.2.840.10045.4.3.4",
          "2.16.840.1.101.3.4.3.10",
          "2.16.840.1.101.3.4.3.11",
          "2.16.840.1.101.3.4.3.12" ->
          "ecdsa";
      case "2.16.840.1.101.3.4.3.17" -> "mldsa44";
      case "2.16.840.1.101.3.4.3.18" -> "mldsa65";
      case "2.16.840.1.101.3.4.3.19" -> "mldsa87";
      default -> null;
    };
  }

  /**
   * The name of a digest in a trailer of RHEL 7 and kernels up to 4.2 (include/crypto/public_key.h:
   * enum pkey_hash_algo); null for those its kernel cannot compute.
   */
  static @Nullable String digestOfTrailer(int number) {
    return switch (number) {
      case 1 -> "md5";
      case 2 -> "sha1";
      case 4 -> "sha256";
      case 5 -> "sha384";
      case 6 -> "sha512";
      case 7 -> "sha224";
      default -> null;
    };
  }
}
