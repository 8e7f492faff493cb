package dev.weaklink.module;

import dev.weaklink.module.ModuleSignature.Kind;
import dev.weaklink.module.ModuleSignature.Problem;
import dev.weaklink.module.ModuleSignature.Proof;
import java.nio.charset.StandardCharsets;

/**
 * Reads the signature trailer at the end of a module's bytes: {@code [ELF][signature][struct
 * module_signature, 12 bytes][marker, 28 bytes]} (include/linux/module_signature.h;
 * kernel/module_signature.c:mod_check_sig, 4.3+).
 */
final class SignatureReader {
  private static final byte[] MARKER =
      "~Module signature appended~\n".getBytes(StandardCharsets.US_ASCII);
  static final int MARKER_SIZE = MARKER.length;
  static final int DESCRIPTOR_SIZE = 12;

  private static final int ALGORITHM = 0;
  private static final int HASH = 1;
  private static final int ID_TYPE = 2;
  private static final int SIGNER_LENGTH = 3;
  private static final int KEY_ID_LENGTH = 4;
  private static final int SIGNATURE_LENGTH = 8;
  private static final int RSA = 1;
  private static final int PGP = 0;
  private static final int X509 = 1;
  private static final int PKCS7 = 2;
  private static final int HASHES = 3;

  /**
   * The trailer and where the ELF part ends.
   *
   * @param elfLength bytes before the signature; as in the kernel, a trailer that is no PKCS#7 one
   *     or cannot be followed takes away nothing but its marker
   */
  record Trailer(ModuleSignature signature, int elfLength) {}

  private SignatureReader() {}

  static Trailer read(byte[] data, int length) {
    int end = length - MARKER.length;
    if (end <= 0 || !endsWithMarker(data, end)) {
      return new Trailer(ModuleSignature.UNSIGNED, length);
    }
    int descriptor = end - DESCRIPTOR_SIZE;
    if (descriptor <= 0) {
      return new Trailer(new ModuleSignature(Kind.UNKNOWN, Problem.LENGTH, 0), end);
    }
    return follow(data, descriptor, end);
  }

  private static Trailer follow(byte[] data, int descriptor, int end) {
    long signatureLength = bigEndian32(data, descriptor + SIGNATURE_LENGTH);
    Kind kind = kind(data[descriptor + ID_TYPE]);
    long names =
        kind == Kind.X509
            ? (data[descriptor + SIGNER_LENGTH] & 0xff) + (data[descriptor + KEY_ID_LENGTH] & 0xff)
            : 0;
    if (signatureLength >= descriptor || signatureLength + names >= descriptor) {
      return new Trailer(new ModuleSignature(kind, Problem.LENGTH, signatureLength), end);
    }
    int start = (int) (descriptor - signatureLength);
    if (kind == Kind.X509) {
      return new Trailer(x509(data, (int) (start - names), start, descriptor), end);
    }
    if (kind != Kind.PKCS7) {
      return new Trailer(new ModuleSignature(kind, Problem.NONE, signatureLength), end);
    }
    return new Trailer(pkcs7(data, start, descriptor), start);
  }

  private static ModuleSignature pkcs7(byte[] data, int start, int descriptor) {
    boolean zero = true;
    for (int at = 0; at < SIGNATURE_LENGTH; at++) {
      zero &= at == ID_TYPE || data[descriptor + at] == 0;
    }
    int length = descriptor - start;
    if (!zero) {
      return new ModuleSignature(Kind.PKCS7, Problem.NON_ZERO_PARAMS, length);
    }
    SignedMessage.Form form = SignedMessage.read(data, start, descriptor);
    return new ModuleSignature(Kind.PKCS7, form.problem(), length, form.signer(), Proof.NONE);
  }

  /** kernel/module_signing.c:mod_verify_sig, 3.7 to 4.2: only RSA and the digests it has. */
  private static ModuleSignature x509(byte[] data, int names, int start, int descriptor) {
    int keyId = names + (data[descriptor + SIGNER_LENGTH] & 0xff);
    String digest = SignatureAlgorithms.digestOfTrailer(data[descriptor + HASH]);
    String algorithm = data[descriptor + ALGORITHM] == RSA ? "rsa" : null;
    Signer signer =
        new Signer(
            digest, algorithm, null, null, text(data, keyId, start), text(data, names, keyId));
    boolean supported = digest != null && algorithm != null;
    return new ModuleSignature(
        Kind.X509,
        supported ? Problem.NONE : Problem.UNSUPPORTED,
        descriptor - start,
        signer,
        Proof.NONE);
  }

  private static String text(byte[] data, int start, int end) {
    return new String(data, start, end - start, StandardCharsets.ISO_8859_1);
  }

  private static Kind kind(byte idType) {
    return switch (idType) {
      case PGP -> Kind.PGP;
      case X509 -> Kind.X509;
      case PKCS7 -> Kind.PKCS7;
      case HASHES -> Kind.HASHES;
      default -> Kind.UNKNOWN;
    };
  }

  private static boolean endsWithMarker(byte[] data, int at) {
    for (int i = 0; i < MARKER.length; i++) {
      if (data[at + i] != MARKER[i]) {
        return false;
      }
    }
    return true;
  }

  private static long bigEndian32(byte[] data, int at) {
    return (data[at] & 0xffL) << 24
        | (data[at + 1] & 0xff) << 16
        | (data[at + 2] & 0xff) << 8
        | (data[at + 3] & 0xff);
  }
}
