package dev.weaklink.module.signature;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.MessageDigest;
import java.security.Signature;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The library confirms what Java has signed, and nothing else. */
class LibCryptoSignaturesTest {
  private static final byte[] CONTENTS = {1, 2, 3};

  private final LibCryptoSignatures library = LibCryptoSignatures.find();

  @BeforeEach
  void needsTheLibrary() {
    assumeTrue(library != null, "needs Java 22 or newer, and libcrypto.so.3 or .1.1");
  }

  private static KeyPair pair(String kind, int size) throws GeneralSecurityException {
    KeyPairGenerator generator = KeyPairGenerator.getInstance(kind);
    generator.initialize(size);
    return generator.generateKeyPair();
  }

  private static byte[] signature(KeyPair pair, String algorithm) throws GeneralSecurityException {
    Signature signer = Signature.getInstance(algorithm);
    signer.initSign(pair.getPrivate());
    signer.update(CONTENTS);
    return signer.sign();
  }

  private static byte[] digest(String name) throws GeneralSecurityException {
    return MessageDigest.getInstance(name.replace("SHA", "SHA-")).digest(CONTENTS);
  }

  @ParameterizedTest
  @CsvSource({
    "RSA, 2048, SHA256, withRSA",
    "RSA, 4096, SHA512, withRSA",
    "EC, 256, SHA256, withECDSA",
    "EC, 384, SHA384, withECDSA",
    "EC, 384, SHA512, withECDSA"
  })
  void signatures(String kind, int size, String digest, String algorithm)
      throws GeneralSecurityException {
    KeyPair pair = pair(kind, size);
    byte[] signature = signature(pair, digest + algorithm);
    byte[] value = digest(digest);
    long key = library.key(pair.getPublic().getEncoded());
    long other = library.key(pair(kind, size).getPublic().getEncoded());

    assertThat(library.confirms(key, digest, value, signature)).isTrue();
    assertThat(library.confirms(other, digest, value, signature)).isFalse();
    for (int i = 0; i < signature.length; i++) {
      byte[] changed = signature.clone();
      changed[i] ^= 1;
      assertThat(library.confirms(key, digest, value, changed)).as("byte %d", i).isFalse();
    }
    value[0] ^= 1;
    assertThat(library.confirms(key, digest, value, signature)).isFalse();
    assertThat(library.confirms(key, digest, value, new byte[0])).isFalse();
    assertThat(library.confirms(key, digest, value, new byte[5000])).isFalse();
    assertThat(library.confirms(key, "SHA0815", value, signature)).isFalse();
  }

  @Test
  void onSeveralThreads() throws GeneralSecurityException {
    KeyPair pair = pair("EC", 384);
    byte[] signature = signature(pair, "SHA256withECDSA");
    byte[] value = digest("SHA256");
    long key = library.key(pair.getPublic().getEncoded());

    assertThat(
            IntStream.range(0, 200)
                .parallel()
                .allMatch(i -> library.confirms(key, "SHA256", value, signature)))
        .isTrue();
  }

  @Test
  void whatIsNoKeyIsNone() {
    assertThat(library.key(new byte[0])).isZero();
    assertThat(library.key(new byte[] {0x30, 3, 2, 1, 0})).isZero();
  }
}
