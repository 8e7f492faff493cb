package dev.weaklink.module.signature;

import dev.weaklink.module.ModuleSignature.Proof;
import dev.weaklink.module.ModuleSignature.Result;
import dev.weaklink.module.SignedContents;
import dev.weaklink.module.Signer;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.PublicKey;
import java.security.Signature;
import java.security.interfaces.RSAPublicKey;
import java.util.Locale;
import org.bouncycastle.openssl.jcajce.JcaPEMKeyConverter;

/**
 * The signature of an X.509 trailer: an RSA number over the digest of the module, with its length
 * in two bytes of big-endian order before it (kernel/module_signing.c:mod_extract_mpi_array, 3.7 to
 * 4.2).
 */
final class RawSignature {
  private static final int LENGTH = 2;

  private RawSignature() {}

  static Proof verify(byte[] data, SignedContents place, TrustedKey key) {
    Signer signer = place.signature().signer();
    String digest = signer == null ? null : signer.digest();
    int size = place.end() - place.start() - LENGTH;
    if (digest == null || size <= 0 || number(data, place.start()) != size) {
      return new Proof(Result.WRONG, key.words());
    }
    try {
      PublicKey spoken =
          new JcaPEMKeyConverter().getPublicKey(key.certificate().getSubjectPublicKeyInfo());
      if (!(spoken instanceof RSAPublicKey rsa)) {
        return new Proof(Result.UNREADABLE, key.words());
      }
      Signature check = Signature.getInstance(digest.toUpperCase(Locale.ROOT) + "withRSA");
      check.initVerify(rsa);
      check.update(data, 0, place.length());
      boolean genuine = check.verify(padded(data, place.end() - size, size, rsa));
      return new Proof(genuine ? Result.VERIFIED : Result.WRONG, key.words());
    } catch (GeneralSecurityException e) {
      return new Proof(Result.WRONG, key.words());
    } catch (IOException e) {
      return new Proof(Result.UNREADABLE, key.words());
    }
  }

  /** The number may have been written without the zeros in front that the key's length asks for. */
  private static byte[] padded(byte[] data, int at, int size, RSAPublicKey key) {
    int length = Math.max(size, (key.getModulus().bitLength() + 7) / 8);
    byte[] number = new byte[length];
    System.arraycopy(data, at, number, length - size, size);
    return number;
  }

  private static int number(byte[] data, int at) {
    return (data[at] & 0xff) << 8 | (data[at + 1] & 0xff);
  }
}
