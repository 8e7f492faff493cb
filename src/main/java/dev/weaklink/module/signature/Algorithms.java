package dev.weaklink.module.signature;

import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Digests and signatures by object identifier, as kernels take them in PKCS#7 messages. */
final class Algorithms {
  static final String RSA = "1.2.840.113549.1.1.1";

  private static final Map<String, String> DIGESTS =
      Map.of(
          "1.2.840.113549.2.5", "MD5",
          "1.3.14.3.2.26", "SHA1",
          "2.16.840.1.101.3.4.2.4", "SHA224",
          "2.16.840.1.101.3.4.2.1", "SHA256",
          "2.16.840.1.101.3.4.2.2", "SHA384",
          "2.16.840.1.101.3.4.2.3", "SHA512",
          "2.16.840.1.101.3.4.2.8", "SHA3-256",
          "2.16.840.1.101.3.4.2.9", "SHA3-384",
          "2.16.840.1.101.3.4.2.10", "SHA3-512");

  private Algorithms() {}

  /** A digest's name as OpenSSL has it; null if kernels do not know it. */
  static @Nullable String digest(String identifier) {
    return DIGESTS.get(identifier);
  }

  /** The identifier of a digest by its name in any case; null if there is none. */
  static @Nullable String identifier(String digest) {
    for (Map.Entry<String, String> one : DIGESTS.entrySet()) {
      if (one.getValue().equals(digest.toUpperCase(Locale.ROOT))) {
        return one.getKey();
      }
    }
    return null;
  }

  /** ecdsa-with-SHA1 and so on; which digest is the message's to say. */
  static boolean isEcdsa(String identifier) {
    return identifier.startsWith("1.2.840.10045.4.")
        || identifier.equals("2.16.840.1.101.3.4.3.10")
        || identifier.equals("2.16.840.1.101.3.4.3.11")
        || identifier.equals("2.16.840.1.101.3.4.3.12");
  }

  /** ML-DSA-44, 65 or 87 (FIPS 204). */
  static boolean isMlDsa(String identifier) {
    return identifier.equals("2.16.840.1.101.3.4.3.17")
        || identifier.equals("2.16.840.1.101.3.4.3.18")
        || identifier.equals("2.16.840.1.101.3.4.3.19");
  }
}
