package dev.weaklink.module.signature;

import dev.weaklink.module.DerReader;
import dev.weaklink.module.DistinguishedName;
import dev.weaklink.module.ModuleSignature.Proof;
import dev.weaklink.module.ModuleSignature.ProofResult;
import dev.weaklink.module.ModuleSignature.SignatureKind;
import dev.weaklink.module.SignedContents;
import dev.weaklink.module.Signer;
import dev.weaklink.module.signature.CertificateFile.EncodedCertificate;
import dev.weaklink.module.signature.VerifyingKey.Algorithms;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import org.bouncycastle.asn1.ASN1ObjectIdentifier;
import org.bouncycastle.asn1.ASN1OctetString;
import org.bouncycastle.asn1.cms.Attribute;
import org.bouncycastle.asn1.cms.CMSAttributes;
import org.bouncycastle.asn1.cms.CMSObjectIdentifiers;
import org.bouncycastle.asn1.x509.AuthorityKeyIdentifier;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.SubjectKeyIdentifier;
import org.bouncycastle.cert.X509CertificateHolder;
import org.bouncycastle.cms.CMSException;
import org.bouncycastle.cms.CMSSignedData;
import org.bouncycastle.cms.CMSTypedData;
import org.bouncycastle.cms.SignerId;
import org.bouncycastle.cms.SignerInformation;
import org.bouncycastle.util.Store;
import org.jspecify.annotations.Nullable;

/**
 * Verifies module signatures with the keys that a kernel trusts (kernel/module/signing.c:mod_verify_sig,
 * certs/system_keyring.c:verify_pkcs7_message_sig). Like the kernel, the verifier ignores the validity period of
 * certificates. Unlike the kernel, the verifier follows no chains of certificates. Thread-safe.
 */
public final class SignatureVerifier {
    private static final int NUMBER_LENGTH = 2;

    /**
     * The maximum depth of nested DER elements in messages and certificates. Deeper nesting could overflow the stack,
     * because Bouncy Castle's parsers are recursive.
     */
    private static final int DEEPEST = 31;

    private final List<TrustedKey> keys = new ArrayList<>();
    private final boolean complete;

    public SignatureVerifier(KeyRing ring) {
        for (EncodedCertificate encoded : ring.certificates()) {
            TrustedKey key = TrustedKey.read(encoded);
            if (key != null) {
                keys.add(key);
            }
        }
        complete = ring.complete();
    }

    public List<String> keys() {
        List<String> words = new ArrayList<>();
        for (TrustedKey key : keys) {
            words.add(key.words());
        }
        return words;
    }

    public Proof verify(byte[] data, SignedContents place) {
        if (place.signature().kind() != SignatureKind.X509) {
            return DetachedMessage.verify(data, place, this::find, unknown());
        }
        Signer signer = place.signature().signer();
        TrustedKey key = signer == null ? null : find(signer);
        return signer == null || key == null ? unknown() : number(data, place, signer, key);
    }

    /**
     * Verifies the signature in an X.509 trailer: two bytes with a big-endian length, then the RSA signature of the
     * module's digest (kernel/module_signing.c:mod_extract_mpi_array, 3.7 to 4.2). The RSA signature is a number and
     * may lack leading zeros.
     */
    private static Proof number(byte[] data, SignedContents place, Signer signer, TrustedKey key) {
        int size = place.end() - place.start() - NUMBER_LENGTH;
        String digest = String.valueOf(signer.digest());
        String identifier = Algorithms.identifier(digest);
        if (!key.key().makes(Algorithms.RSA)) {
            return new Proof(ProofResult.UNREADABLE, key.words());
        }
        int said = size <= 0 ? 0 : (data[place.start()] & 0xff) << 8 | (data[place.start() + 1] & 0xff);
        if (identifier == null || size <= 0 || said != size) {
            return new Proof(ProofResult.WRONG, key.words());
        }
        byte[] number = new byte[Math.max(size, key.key().signatureBytes())];
        System.arraycopy(data, place.end() - size, number, number.length - size, size);
        try {
            byte[] value = ContentsDigest.of(digest.toUpperCase(Locale.ROOT), data, place.length());
            boolean genuine = key.key().verifies(identifier, value, value.length, number);
            return new Proof(genuine ? ProofResult.VERIFIED : ProofResult.WRONG, key.words());
        } catch (NoSuchAlgorithmException e) {
            return new Proof(ProofResult.UNREADABLE, key.words());
        }
    }

    /**
     * Verifies the signature of a module whose contents are no longer available.
     *
     * @return {@link Proof#NONE} if the signature cannot be verified without the contents
     */
    public Proof verify(SignedDigest signed) {
        return DetachedMessage.verify(signed, this::find, unknown());
    }

    /**
     * Returns the result of an earlier verification of the same file, if the result is still valid.
     *
     * @param kept the result of the earlier verification
     * @param signer the signer that the file's signature names
     * @return the result; null if the signer's certificate is not trusted, or is not the certificate of the earlier
     *     verification
     */
    public @Nullable Proof still(Proof kept, Signer signer) {
        TrustedKey key = find(signer);
        return key != null && key.fingerprint().equals(kept.certificate())
                ? new Proof(kept.result(), key.words(), key.fingerprint())
                : null;
    }

    /**
     * Returns the result for a signature whose signer a node (a machine) reports. The signature itself is unknown and
     * assumed to be valid.
     *
     * @param signer a signer with the certificate's serial number or the key's identifier, and with the issuer's common
     *     name if known
     */
    public Proof reported(Signer signer) {
        for (TrustedKey key : keys) {
            if (key.matches(signer)) {
                return new Proof(ProofResult.VERIFIED, key.words());
            }
        }
        return unknown();
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
        return new Proof(complete ? ProofResult.UNKNOWN_KEY : ProofResult.NO_CERTIFICATE, null);
    }

    private static final class DetachedMessage {
        private final CMSSignedData message;
        private final SignedPart contents;
        private final Function<Signer, @Nullable TrustedKey> keys;
        private final Proof unknown;

        private DetachedMessage(
                CMSSignedData message,
                SignedPart contents,
                Function<Signer, @Nullable TrustedKey> keys,
                Proof unknown) {
            this.message = message;
            this.contents = contents;
            this.keys = keys;
            this.unknown = unknown;
        }

        static Proof verify(
                byte[] data, SignedContents place, Function<Signer, @Nullable TrustedKey> keys, Proof unknown) {
            byte[] message = Arrays.copyOfRange(data, place.start(), place.end());
            return verify(message, new SignedPart(data, place.length(), null), keys, unknown);
        }

        /**
         * Verifies a signature by the digest of the contents. Returns {@link Proof#NONE} if the signature cannot be
         * verified without the contents.
         */
        static Proof verify(SignedDigest signed, Function<Signer, @Nullable TrustedKey> keys, Proof unknown) {
            return verify(signed.message(), new SignedPart(new byte[0], 0, signed), keys, unknown);
        }

        private static Proof verify(
                byte[] message, SignedPart contents, Function<Signer, @Nullable TrustedKey> keys, Proof unknown) {
            if (!DerReader.isNestedWithin(DEEPEST, message)) {
                return new Proof(ProofResult.UNREADABLE, null);
            }
            try {
                CMSSignedData parsed = new CMSSignedData(contents, message);
                return new DetachedMessage(parsed, contents, keys, unknown).verify();
            } catch (CMSException | IOException | RuntimeException e) {
                // Bouncy Castle throws exceptions of its own for some malformed messages.
                return new Proof(ProofResult.UNREADABLE, null);
            }
        }

        private Proof verify() throws IOException {
            Proof best = unknown;
            for (SignerInformation signer : message.getSignerInfos().getSigners()) {
                Proof proof = verify(signer);
                if (proof.result() == ProofResult.WRONG || proof == Proof.NONE) {
                    return proof;
                }
                best = best.result() == ProofResult.VERIFIED ? best : proof;
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
                    Proof proof = verify(signer, sent, "a certificate inside the signature");
                    boolean isFinal = proof.result() == ProofResult.WRONG || proof == Proof.NONE;
                    if (isFinal || proof.result() == ProofResult.VERIFIED && signedItself(certificate)) {
                        return isFinal ? proof : unknown;
                    }
                    // Chains from this certificate to a trusted one are not followed.
                    return new Proof(ProofResult.UNREADABLE, null);
                }
            }
            return unknown;
        }

        /**
         * Returns whether a certificate is self-signed, judging by names and key identifiers
         * (x509_public_key.c:x509_check_for_self_signed).
         */
        private static boolean signedItself(X509CertificateHolder certificate) {
            AuthorityKeyIdentifier by = AuthorityKeyIdentifier.fromExtensions(certificate.getExtensions());
            SubjectKeyIdentifier own = SubjectKeyIdentifier.fromExtensions(certificate.getExtensions());
            return certificate.getIssuer().equals(certificate.getSubject())
                    && (by == null
                            || own != null && Arrays.equals(by.getKeyIdentifierOctets(), own.getKeyIdentifier()));
        }

        /**
         * Verifies one signer's signature. If signed attributes are present, the signature covers the attributes, and
         * one of them is the digest of the contents (RFC 5652, 5.4). Kernels accept signed attributes with ML-DSA only.
         */
        private Proof verify(SignerInformation signer, VerifyingKey key, String words) throws IOException {
            String identifier = signer.getDigestAlgOID();
            String digest = Algorithms.digest(identifier);
            if (digest == null || !key.makes(signer.getEncryptionAlgOID())) {
                return new Proof(ProofResult.UNREADABLE, words);
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
                return contents.digested() != null ? Proof.NONE : new Proof(ProofResult.UNREADABLE, words);
            }
            if (attributes == null) {
                return proof(key.verifies(identifier, value, value.length, signature), words);
            }
            if (!key.signsContents() || !digest.equals("SHA512")) {
                return new Proof(ProofResult.UNREADABLE, words); // public_key.c accepts no other digest here
            }
            boolean genuine = Arrays.equals(value, messageDigest(signer))
                    && key.verifies(identifier, attributes, attributes.length, signature);
            return proof(genuine, words);
        }

        private static Proof proof(boolean genuine, String words) {
            return new Proof(genuine ? ProofResult.VERIFIED : ProofResult.WRONG, words);
        }

        private static byte @Nullable [] messageDigest(SignerInformation signer) {
            Attribute attribute = signer.getSignedAttributes().get(CMSAttributes.messageDigest);
            return attribute == null || attribute.getAttrValues().size() != 1
                    ? null
                    : ASN1OctetString.getInstance(attribute.getAttrValues().getObjectAt(0))
                            .getOctets();
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
         * The signed part of a module.
         *
         * @param digested the digest to use if the contents are no longer available, else null
         */
        @SuppressWarnings("ArrayRecordComponent") // never compared
        private record SignedPart(
                byte[] data, int length, @Nullable SignedDigest digested) implements CMSTypedData {
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

    /**
     * The certificate of a trusted key. The kernel finds a key by the exact bytes of issuer and serial number, or of
     * the subject's key identifier (crypto/asymmetric_keys/asymmetric_type.c:find_asymmetric_key). Byte strings have
     * one character for each byte.
     *
     * @param words the readable description: the subject, and the certificate's source
     * @param key the public key in the certificate
     * @param fingerprint the certificate's SHA-256
     */
    private record TrustedKey(
            String issuer, String serial, @Nullable String keyId, String words, VerifyingKey key, String fingerprint) {
        private static final int LONGEST = 65_535;

        static @Nullable TrustedKey read(EncodedCertificate encoded) {
            byte[] der = encoded.der();
            if (der.length > LONGEST || !DerReader.isNestedWithin(DEEPEST, der)) {
                return null;
            }
            try {
                X509CertificateHolder certificate = new X509CertificateHolder(der);
                String subject =
                        DistinguishedName.text(text(certificate.getSubject().getEncoded()));
                return new TrustedKey(
                        text(certificate.getIssuer().getEncoded()),
                        text(certificate.getSerialNumber().toByteArray()),
                        keyId(certificate),
                        subject + " (" + encoded.where() + ")",
                        new VerifyingKey(certificate.getSubjectPublicKeyInfo()),
                        text(ContentsDigest.inJava("SHA256", der, der.length)));
            } catch (IOException | NoSuchAlgorithmException | RuntimeException e) {
                // Bouncy Castle throws exceptions of its own for some malformed certificates.
                return null;
            }
        }

        private static @Nullable String keyId(X509CertificateHolder certificate) {
            Extension extension = certificate.getExtension(Extension.subjectKeyIdentifier);
            if (extension == null) {
                return null;
            }
            ASN1OctetString id = ASN1OctetString.getInstance(extension.getParsedValue());
            return text(SubjectKeyIdentifier.getInstance(id).getKeyIdentifier());
        }

        private static String text(byte[] bytes) {
            return new String(bytes, StandardCharsets.ISO_8859_1);
        }

        /**
         * Returns whether this is the key of a signer that a node reports. The reported serial number may lack leading
         * zeros.
         */
        boolean matches(Signer signer) {
            String reported = signer.serial();
            String name = signer.text();
            boolean isNumber = reported != null && withoutZeros(serial).equals(withoutZeros(reported));
            boolean isKey = signer.keyId() != null && signer.keyId().equals(keyId);
            return isKey || isNumber && (name == null || name.equals(DistinguishedName.commonName(issuer)));
        }

        private static String withoutZeros(String bytes) {
            int start = 0;
            while (start < bytes.length() - 1 && bytes.charAt(start) == 0) {
                start++;
            }
            return bytes.substring(start);
        }

        boolean isOf(Signer signer) {
            String id = signer.keyId();
            return id == null ? issuer.equals(signer.issuer()) && serial.equals(signer.serial()) : id.equals(keyId);
        }
    }

    /**
     * The certificates whose keys a kernel trusts for its modules.
     *
     * @param certificates the known certificates
     * @param complete whether these are all certificates that the kernel trusts, so that any other key is not trusted
     */
    public record KeyRing(List<EncodedCertificate> certificates, boolean complete) {
        public static final KeyRing UNKNOWN = new KeyRing(List.of(), false);

        public KeyRing {
            certificates = List.copyOf(certificates);
        }
    }
}
