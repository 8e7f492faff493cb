package dev.weaklink.inventory;

import dev.weaklink.module.DistinguishedName;
import dev.weaklink.module.ModuleSignature;
import dev.weaklink.module.ModuleSignature.Problem;
import dev.weaklink.module.Signer;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A module's signature in kmod's words (libkmod/libkmod-signature.c). Texts are bytes.
 *
 * @param kind such as PKCS#7; none if there is no signature
 * @param signer a common name, null if it is not said
 * @param key such as 66:F5:4E, null if it is not said
 */
record ToldSignature(String kind, @Nullable String signer, @Nullable String key) {
  private static final ToldSignature NONE = new ToldSignature("none", null, null);

  static ToldSignature of(ModuleSignature signature) {
    if (signature.problem() == Problem.LENGTH) {
      return NONE;
    }
    return switch (signature.kind()) {
      case UNSIGNED -> NONE;
      case PGP -> named("PGP", signature.signer());
      case X509 -> named("X509", signature.signer());
      case PKCS7 -> named("PKCS#7", signature.signer());
      case UNKNOWN -> named("unknown", null);
    };
  }

  private static ToldSignature named(String kind, @Nullable Signer signer) {
    return signer == null
        ? new ToldSignature(kind, null, null)
        : new ToldSignature(kind, name(signer), key(signer));
  }

  private static @Nullable String name(Signer signer) {
    String text = signer.text();
    String issuer = signer.issuer();
    return text != null || issuer == null ? text : DistinguishedName.commonName(issuer);
  }

  /** A number's leading zeros are no part of it. */
  private static @Nullable String key(Signer signer) {
    String id = signer.id();
    if (id == null) {
      return null;
    }
    String key = id;
    while (signer.keyId() == null && key.startsWith("00:")) {
      key = key.substring("00:".length());
    }
    return key.toUpperCase(Locale.ROOT);
  }
}
