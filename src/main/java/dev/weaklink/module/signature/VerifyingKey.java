package dev.weaklink.module.signature;

import java.io.IOException;
import java.math.BigInteger;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.bouncycastle.asn1.ASN1Encoding;
import org.bouncycastle.asn1.ASN1ObjectIdentifier;
import org.bouncycastle.asn1.DERNull;
import org.bouncycastle.asn1.nist.NISTObjectIdentifiers;
import org.bouncycastle.asn1.pkcs.PKCSObjectIdentifiers;
import org.bouncycastle.asn1.pkcs.RSAPublicKey;
import org.bouncycastle.asn1.sec.SECObjectIdentifiers;
import org.bouncycastle.asn1.x509.AlgorithmIdentifier;
import org.bouncycastle.asn1.x509.DigestInfo;
import org.bouncycastle.asn1.x509.SubjectPublicKeyInfo;
import org.bouncycastle.crypto.params.ECPublicKeyParameters;
import org.bouncycastle.crypto.signers.ECDSASigner;
import org.bouncycastle.crypto.signers.StandardDSAEncoding;
import org.bouncycastle.crypto.util.PublicKeyFactory;
import org.jspecify.annotations.Nullable;

/**
 * The public key of a certificate, read when it is first needed: RSA or ECDSA on NIST's curves, as
 * kernels have them. May be used by several threads.
 *
 * <p>Many signatures by RSA are verified by the system's libcrypto, where Java can call it: 4,096
 * bits take 0.08 ms there, and 0.8 in code that only the JVM's first compiler has seen. ECDSA is
 * Bouncy Castle's, called without a provider: P-384 takes 0.5 ms (many signatures by one key 0.3),
 * 0.7 in libcrypto, and 5 in Java's own.
 */
final class VerifyingKey {
  private static final Map<String, ASN1ObjectIdentifier> DIGESTS =
      Map.of(
          "SHA224", NISTObjectIdentifiers.id_sha224,
          "SHA256", NISTObjectIdentifiers.id_sha256,
          "SHA384", NISTObjectIdentifiers.id_sha384,
          "SHA512", NISTObjectIdentifiers.id_sha512);

  // What Java takes for RSA; the kernel takes less.
  private static final int SMALLEST = 512;
  private static final int LARGEST = 16_384;
  private static final int LARGEST_EXPONENT = 64;

  /** 0, 1, at least eight times 0xff, and 0. */
  private static final int PADDING = 11;

  /**
   * To find and link the library takes as long as Java needs for so many signatures, and the table
   * for a curve's key saves with so many what it costs.
   */
  private static final int WORTHWHILE = 70;

  private static final AtomicInteger MET = new AtomicInteger();

  /** Looked for when it is first needed. */
  private static final class Loaded {
    static final @Nullable LibCryptoSignatures LIBRARY = LibCryptoSignatures.find();

    private Loaded() {}
  }

  private final SubjectPublicKeyInfo info;
  private boolean isRead;
  private @Nullable RSAPublicKey rsa;
  private @Nullable ECPublicKeyParameters curve;
  private @Nullable EcdsaTable table;
  private int ofCurve;

  /** In the library: 0 if it cannot use it, null as long as it has not been asked. */
  private @Nullable Long inLibrary;

  VerifyingKey(SubjectPublicKeyInfo info) {
    this.info = info;
  }

  /** Whether it makes such signatures: withRSA, or withECDSA. */
  synchronized boolean makes(String algorithm) {
    if (!isRead) {
      isRead = true;
      read();
    }
    return algorithm.equals("withRSA") && rsa != null
        || algorithm.equals("withECDSA") && curve != null;
  }

  private void read() {
    AlgorithmIdentifier algorithm = info.getAlgorithm();
    try {
      if (algorithm.getAlgorithm().equals(PKCSObjectIdentifiers.rsaEncryption)) {
        RSAPublicKey read = RSAPublicKey.getInstance(info.parsePublicKey());
        int size = read.getModulus().bitLength();
        boolean usable = read.getPublicExponent().bitLength() <= LARGEST_EXPONENT;
        rsa = usable && size >= SMALLEST && size <= LARGEST ? read : null;
      } else if (SECObjectIdentifiers.secp256r1.equals(algorithm.getParameters())
          || SECObjectIdentifiers.secp384r1.equals(algorithm.getParameters())
          || SECObjectIdentifiers.secp521r1.equals(algorithm.getParameters())) {
        curve = PublicKeyFactory.createKey(info) instanceof ECPublicKeyParameters ec ? ec : null;
      }
    } catch (IOException | RuntimeException e) {
      // Bouncy Castle meets some malformed keys with exceptions of its own: it makes nothing.
      return;
    }
  }

  /**
   * Whether a signature is by it.
   *
   * @param digest SHA256 or another of this form, of which {@code value} is one
   */
  boolean verifies(String digest, byte[] value, byte[] signature) {
    boolean worthwhile = rsa != null && MET.incrementAndGet() >= WORTHWHILE;
    LibCryptoSignatures library = worthwhile ? Loaded.LIBRARY : null;
    return library != null && confirms(library, digest, value, signature)
        || verifiesInJava(digest, value, signature);
  }

  private boolean confirms(
      LibCryptoSignatures library, String digest, byte[] value, byte[] signature) {
    long key = inLibrary(library);
    return key != 0 && library.confirms(key, digest, value, signature);
  }

  private synchronized long inLibrary(LibCryptoSignatures library) {
    if (inLibrary == null) {
      inLibrary = encoded(library);
    }
    return inLibrary;
  }

  private long encoded(LibCryptoSignatures library) {
    try {
      return library.key(info.getEncoded(ASN1Encoding.DER));
    } catch (IOException e) {
      return 0;
    }
  }

  private boolean verifiesInJava(String digest, byte[] value, byte[] signature) {
    RSAPublicKey asRsa = rsa;
    ECPublicKeyParameters asCurve = curve;
    try {
      return asRsa != null
          ? verifies(asRsa, DIGESTS.get(digest), value, signature)
          : asCurve != null && verifies(asCurve, table(asCurve), value, signature);
    } catch (IOException | RuntimeException e) {
      // Not even of the form the key makes.
      return false;
    }
  }

  /** The digest with an object identifier, in Java's words; null if keys are not used with it. */
  static @Nullable String digest(String identifier) {
    for (Map.Entry<String, ASN1ObjectIdentifier> one : DIGESTS.entrySet()) {
      if (one.getValue().getId().equals(identifier)) {
        return one.getKey();
      }
    }
    return null;
  }

  /** Null as long as there are few signatures. */
  private synchronized @Nullable EcdsaTable table(ECPublicKeyParameters key) {
    if (++ofCurve >= WORTHWHILE && table == null) {
      table = new EcdsaTable(key);
    }
    return table;
  }

  private static boolean verifies(
      ECPublicKeyParameters key, @Nullable EcdsaTable table, byte[] value, byte[] signature)
      throws IOException {
    BigInteger[] numbers =
        StandardDSAEncoding.INSTANCE.decode(key.getParameters().getN(), signature);
    if (table != null) {
      return table.verifies(value, numbers[0], numbers[1]);
    }
    ECDSASigner verifier = new ECDSASigner();
    verifier.init(false, key);
    return verifier.verifySignature(value, numbers[0], numbers[1]);
  }

  /** Makes what the key's owner must have encrypted, and compares (RFC 8017, 8.2.2). */
  private static boolean verifies(
      RSAPublicKey key, @Nullable ASN1ObjectIdentifier digest, byte[] value, byte[] signature)
      throws IOException {
    BigInteger modulus = key.getModulus();
    int size = (modulus.bitLength() + 7) / 8;
    BigInteger number = new BigInteger(1, signature);
    if (digest == null || signature.length != size || number.compareTo(modulus) >= 0) {
      return false;
    }
    AlgorithmIdentifier algorithm = new AlgorithmIdentifier(digest, DERNull.INSTANCE);
    byte[] info = new DigestInfo(algorithm, value).getEncoded(ASN1Encoding.DER);
    if (size < info.length + PADDING) {
      return false;
    }
    byte[] expected = new byte[size];
    Arrays.fill(expected, 2, size - info.length - 1, (byte) 0xff);
    expected[1] = 1;
    System.arraycopy(info, 0, expected, size - info.length, info.length);
    return new BigInteger(1, expected).equals(number.modPow(key.getPublicExponent(), modulus));
  }
}
