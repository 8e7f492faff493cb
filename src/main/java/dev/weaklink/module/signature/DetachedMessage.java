package dev.weaklink.module.signature;

import dev.weaklink.module.ModuleSignature.Proof;
import dev.weaklink.module.ModuleSignature.Result;
import dev.weaklink.module.SignedContents;
import dev.weaklink.module.Signer;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.function.Function;
import org.bouncycastle.asn1.ASN1ObjectIdentifier;
import org.bouncycastle.asn1.ASN1OctetString;
import org.bouncycastle.asn1.cms.Attribute;
import org.bouncycastle.asn1.cms.CMSAttributes;
import org.bouncycastle.asn1.cms.CMSObjectIdentifiers;
import org.bouncycastle.cert.X509CertificateHolder;
import org.bouncycastle.cms.CMSException;
import org.bouncycastle.cms.CMSSignedData;
import org.bouncycastle.cms.CMSTypedData;
import org.bouncycastle.cms.SignerId;
import org.bouncycastle.cms.SignerInformation;
import org.bouncycastle.util.Store;
import org.jspecify.annotations.Nullable;

/** A PKCS#7 message beside what it signs. */
final class DetachedMessage {
  private final CMSSignedData message;
  private final Contents contents;
  private final Function<Signer, @Nullable TrustedKey> keys;
  private final Proof unknown;

  private DetachedMessage(
      CMSSignedData message,
      Contents contents,
      Function<Signer, @Nullable TrustedKey> keys,
      Proof unknown) {
    this.message = message;
    this.contents = contents;
    this.keys = keys;
    this.unknown = unknown;
  }

  /**
   * Verifies a module's message.
   *
   * @param keys the key that a signer says it used, null if it is not trusted
   * @param unknown what to say then
   */
  static Proof verify(
      byte[] data,
      SignedContents place,
      Function<Signer, @Nullable TrustedKey> keys,
      Proof unknown) {
    byte[] message = Arrays.copyOfRange(data, place.start(), place.end());
    return verify(message, new Contents(data, place.length(), null), keys, unknown);
  }

  /** The same of contents that are gone; {@link Proof#NONE} if their digest will not do. */
  static Proof verify(
      SignedDigest signed, Function<Signer, @Nullable TrustedKey> keys, Proof unknown) {
    return verify(signed.message(), new Contents(new byte[0], 0, signed), keys, unknown);
  }

  private static Proof verify(
      byte[] message,
      Contents contents,
      Function<Signer, @Nullable TrustedKey> keys,
      Proof unknown) {
    if (!NestingLimit.isWithin(message, 0, message.length)) {
      return new Proof(Result.UNREADABLE, null);
    }
    try {
      CMSSignedData parsed = new CMSSignedData(contents, message);
      return new DetachedMessage(parsed, contents, keys, unknown).verify();
    } catch (CMSException | IOException | RuntimeException e) {
      // Bouncy Castle meets some malformed messages with exceptions of its own.
      return new Proof(Result.UNREADABLE, null);
    }
  }

  /** One signer whose signature is wrong spoils all; else one that is trusted will do. */
  private Proof verify() throws IOException {
    Proof best = unknown;
    for (SignerInformation signer : message.getSignerInfos().getSigners()) {
      Proof proof = verify(signer);
      if (proof.result() == Result.WRONG || proof == Proof.NONE) {
        return proof;
      }
      best = best.result() == Result.VERIFIED ? best : proof;
    }
    return best;
  }

  private Proof verify(SignerInformation signer) throws IOException {
    TrustedKey key = keys.apply(signerOf(signer.getSID()));
    if (key != null) {
      Proof proof = verify(signer, key.key(), key.words());
      boolean isOnly = message.getSignerInfos().size() == 1;
      return isOnly && proof != Proof.NONE
          ? new Proof(proof.result(), proof.key(), key.fingerprint())
          : proof;
    }
    Store<X509CertificateHolder> own = message.getCertificates();
    for (X509CertificateHolder certificate : own.getMatches(null)) {
      if (signer.getSID().match(certificate)) {
        VerifyingKey sent = new VerifyingKey(certificate.getSubjectPublicKeyInfo());
        Proof proof = verify(signer, sent, "a certificate of its own");
        // Whether a trusted certificate stands behind it is not followed.
        boolean isFinal = proof.result() == Result.WRONG || proof == Proof.NONE;
        return isFinal ? proof : new Proof(Result.UNREADABLE, null);
      }
    }
    return unknown;
  }

  /**
   * Holds a signature against a key. With signed attributes, which kernels take of ML-DSA only, it
   * is of these, and one of them is the digest of the contents (RFC 5652, 5.4).
   */
  private Proof verify(SignerInformation signer, VerifyingKey key, String words)
      throws IOException {
    String identifier = signer.getDigestAlgOID();
    String digest = Algorithms.digest(identifier);
    if (digest == null || !key.makes(signer.getEncryptionAlgOID())) {
      return new Proof(Result.UNREADABLE, words);
    }
    byte[] signature = signer.getSignature();
    byte[] attributes = signer.getEncodedSignedAttributes();
    if (attributes == null && key.signsContents()) {
      return contents.digested() != null
          ? Proof.NONE
          : proof(key.verifies(identifier, contents.data(), contents.length(), signature), words);
    }
    byte[] value = contents.digest(digest);
    if (value == null) {
      return contents.digested() != null ? Proof.NONE : new Proof(Result.UNREADABLE, words);
    }
    if (attributes == null) {
      return proof(key.verifies(identifier, value, value.length, signature), words);
    }
    if (!key.signsContents() || !digest.equals("SHA512")) {
      return new Proof(Result.UNREADABLE, words); // public_key.c takes no other digest here
    }
    boolean genuine =
        Arrays.equals(value, messageDigest(signer))
            && key.verifies(identifier, attributes, attributes.length, signature);
    return proof(genuine, words);
  }

  private static Proof proof(boolean genuine, String words) {
    return new Proof(genuine ? Result.VERIFIED : Result.WRONG, words);
  }

  private static byte @Nullable [] messageDigest(SignerInformation signer) {
    Attribute attribute = signer.getSignedAttributes().get(CMSAttributes.messageDigest);
    return attribute == null || attribute.getAttrValues().size() != 1
        ? null
        : ASN1OctetString.getInstance(attribute.getAttrValues().getObjectAt(0)).getOctets();
  }

  private static Signer signerOf(SignerId id) throws IOException {
    byte[] keyId = id.getSubjectKeyIdentifier();
    if (keyId != null) {
      return new Signer(null, null, null, null, text(keyId), null);
    }
    String issuer = text(id.getIssuer().getEncoded());
    return new Signer(null, null, issuer, text(id.getSerialNumber().toByteArray()), null, null);
  }

  private static String text(byte[] bytes) {
    return new String(bytes, StandardCharsets.ISO_8859_1);
  }

  /**
   * The part of a module that is signed.
   *
   * @param digested what is left of it, null if it is all there
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  private record Contents(byte[] data, int length, @Nullable SignedDigest digested)
      implements CMSTypedData {
    /** Null if it cannot be had. */
    byte @Nullable [] digest(String algorithm) {
      if (digested != null) {
        return digested.digest().equals(algorithm) ? digested.value() : null;
      }
      try {
        return ContentsDigest.of(algorithm, data, length);
      } catch (NoSuchAlgorithmException e) {
        return null;
      }
    }

    @Override
    public ASN1ObjectIdentifier getContentType() {
      return CMSObjectIdentifiers.data;
    }

    @Override
    public void write(OutputStream out) throws IOException {
      out.write(data, 0, length);
    }

    @Override
    public Object getContent() {
      return this;
    }
  }
}
