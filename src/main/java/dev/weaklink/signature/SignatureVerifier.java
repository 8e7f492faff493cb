package dev.weaklink.signature;

import dev.weaklink.module.ModuleSignature.Kind;
import dev.weaklink.module.ModuleSignature.Proof;
import dev.weaklink.module.ModuleSignature.Result;
import dev.weaklink.module.SignedContents;
import dev.weaklink.module.Signer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Verifies modules' signatures with the keys a kernel trusts, as it would
 * (kernel/module/signing.c:mod_verify_sig, certs/system_keyring.c:verify_pkcs7_message_sig). Like
 * the kernel it does not look at the time certificates are valid. May be used by several threads.
 */
public final class SignatureVerifier {
  private final List<TrustedKey> keys = new ArrayList<>();
  private final boolean complete;

  /** Reads the certificates; what is none is left out. */
  public SignatureVerifier(KeyRing ring) {
    for (EncodedCertificate encoded : ring.certificates()) {
      TrustedKey key = TrustedKey.read(encoded);
      if (key != null) {
        keys.add(key);
      }
    }
    complete = ring.complete();
  }

  /** The certificates in words. */
  public List<String> keys() {
    List<String> words = new ArrayList<>();
    for (TrustedKey key : keys) {
      words.add(key.words());
    }
    return words;
  }

  /**
   * What there is to say about a module's signature.
   *
   * @param data the whole module, uncompressed
   * @param place where its signature is
   */
  public Proof verify(byte[] data, SignedContents place) {
    if (place.signature().kind() != Kind.X509) {
      return DetachedMessage.verify(data, place, this::find, unknown());
    }
    Signer signer = place.signature().signer();
    TrustedKey key = signer == null ? null : find(signer);
    return key == null ? unknown() : RawSignature.verify(data, place, key);
  }

  private @Nullable TrustedKey find(Signer signer) {
    for (TrustedKey key : keys) {
      if (key.isOf(signer)) {
        return key;
      }
    }
    return null;
  }

  private Proof unknown() {
    return new Proof(complete ? Result.UNKNOWN_KEY : Result.NO_CERTIFICATE, null);
  }
}
