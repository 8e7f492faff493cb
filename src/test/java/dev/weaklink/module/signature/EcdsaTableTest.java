package dev.weaklink.module.signature;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigInteger;
import java.security.SecureRandom;
import java.util.Random;
import org.bouncycastle.crypto.digests.SHA512Digest;
import org.bouncycastle.crypto.ec.CustomNamedCurves;
import org.bouncycastle.crypto.params.ECDomainParameters;
import org.bouncycastle.crypto.params.ECPrivateKeyParameters;
import org.bouncycastle.crypto.params.ECPublicKeyParameters;
import org.bouncycastle.crypto.signers.ECDSASigner;
import org.bouncycastle.crypto.signers.HMacDSAKCalculator;
import org.bouncycastle.util.BigIntegers;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** It says of every signature what Bouncy Castle's own verifier says. */
class EcdsaTableTest {
  private static final int[] DIGEST_LENGTHS = {28, 32, 48, 64};

  private final Random random = new Random(20_261_123);

  /** A key whose private number is known. */
  private record Key(BigInteger secret, ECPublicKeyParameters open, EcdsaTable table) {
    static Key on(String curve) {
      ECDomainParameters domain = new ECDomainParameters(CustomNamedCurves.getByName(curve));
      BigInteger secret =
          BigIntegers.createRandomInRange(
              BigInteger.TWO, domain.getN().subtract(BigInteger.TWO), new SecureRandom());
      ECPublicKeyParameters open =
          new ECPublicKeyParameters(domain.getG().multiply(secret), domain);
      return new Key(secret, open, new EcdsaTable(open));
    }

    BigInteger order() {
      return open.getParameters().getN();
    }

    BigInteger[] signature(byte[] digest) {
      ECDSASigner signer = new ECDSASigner(new HMacDSAKCalculator(new SHA512Digest()));
      signer.init(true, new ECPrivateKeyParameters(secret, open.getParameters()));
      return signer.generateSignature(digest);
    }

    boolean verifies(byte[] digest, BigInteger r, BigInteger s) {
      ECDSASigner verifier = new ECDSASigner();
      verifier.init(false, open);
      boolean expected = verifier.verifySignature(digest, r, s);
      assertThat(table.verifies(digest, r, s)).as("r %s, s %s", r, s).isEqualTo(expected);
      return expected;
    }
  }

  private byte[] digest(int length) {
    byte[] digest = new byte[length];
    random.nextBytes(digest);
    return digest;
  }

  @ParameterizedTest
  @ValueSource(strings = {"P-256", "P-384", "P-521"})
  void whatWasSignedAndWhatWasChangedAfterwards(String curve) {
    Key key = Key.on(curve);
    for (int length : DIGEST_LENGTHS) {
      for (int i = 0; i < 8; i++) {
        byte[] digest = digest(length);
        BigInteger[] signature = key.signature(digest);

        assertThat(key.verifies(digest, signature[0], signature[1])).isTrue();
        // the other of two numbers that a signature can end in
        assertThat(key.verifies(digest, signature[0], key.order().subtract(signature[1]))).isTrue();
        int bit = random.nextInt(signature[0].bitLength());
        assertThat(key.verifies(digest, signature[0].flipBit(bit), signature[1])).isFalse();
        assertThat(key.verifies(digest, signature[0], signature[1].flipBit(bit))).isFalse();
        digest[random.nextInt(28)] ^= 1;
        assertThat(key.verifies(digest, signature[0], signature[1])).isFalse();
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"P-256", "P-384", "P-521"})
  void numbersAtTheEndsOfTheirRange(String curve) {
    Key key = Key.on(curve);
    BigInteger order = key.order();
    BigInteger[] odd = {
      BigInteger.ZERO,
      BigInteger.ONE,
      BigInteger.ONE.negate(),
      order.subtract(BigInteger.ONE),
      order,
      order.add(BigInteger.ONE)
    };
    byte[] digest = digest(32);
    for (BigInteger r : odd) {
      for (BigInteger s : odd) {
        assertThat(key.verifies(digest, r, s)).isFalse();
        assertThat(key.verifies(new byte[32], r, s)).isFalse();
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"P-256", "P-384", "P-521"})
  void sumsThatAreNoPoint(String curve) {
    Key key = Key.on(curve);
    byte[] digest = digest(28);
    // the base point so many times, and the key's point so many times, are each other's opposite
    BigInteger number = new BigInteger(1, digest);
    BigInteger r = number.negate().multiply(key.secret().modInverse(key.order())).mod(key.order());

    assertThat(key.verifies(digest, r, BigInteger.TEN)).isFalse();
  }
}
