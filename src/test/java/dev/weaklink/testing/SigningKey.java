package dev.weaklink.testing;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.Provider;
import java.security.Signature;
import java.time.Instant;
import java.util.Date;
import java.util.List;
import org.bouncycastle.asn1.DERNull;
import org.bouncycastle.asn1.pkcs.PKCSObjectIdentifiers;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x509.AlgorithmIdentifier;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.cert.X509CertificateHolder;
import org.bouncycastle.cert.jcajce.JcaX509ExtensionUtils;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.cms.CMSException;
import org.bouncycastle.cms.CMSProcessableByteArray;
import org.bouncycastle.cms.CMSSignedDataGenerator;
import org.bouncycastle.cms.jcajce.JcaSignerInfoGeneratorBuilder;
import org.bouncycastle.jce.provider.BouncyCastleProvider;
import org.bouncycastle.operator.ContentSigner;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;
import org.bouncycastle.operator.jcajce.JcaDigestCalculatorProviderBuilder;

/** A new key with its own certificate that signs modules. */
public final class SigningKey {
    private static final Date FROM = Date.from(Instant.parse("2020-01-01T00:00:00Z"));
    private static final Date UNTIL = Date.from(Instant.parse("2020-02-01T00:00:00Z"));

    private static final Provider BOUNCY_CASTLE = new BouncyCastleProvider();

    private final KeyPair pair;
    private final String signatureName;
    private final X509CertificateHolder certificate;

    private SigningKey(KeyPair pair, String signatureName, String name) {
        this.pair = pair;
        this.signatureName = signatureName;
        try {
            X500Name subject = new X500Name("CN=" + name);
            certificate = new JcaX509v3CertificateBuilder(
                            subject, BigInteger.valueOf(name.hashCode()).abs(), FROM, UNTIL, subject, pair.getPublic())
                    .addExtension(
                            Extension.subjectKeyIdentifier,
                            false,
                            new JcaX509ExtensionUtils().createSubjectKeyIdentifier(pair.getPublic()))
                    .build(signer());
        } catch (GeneralSecurityException | IOException | OperatorCreationException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Returns an RSA key. Its certificate has expired, which kernels ignore. */
    public static SigningKey rsa(String name) {
        return new SigningKey(pair("RSA", 2048), "SHA256withRSA", name);
    }

    /** Returns a key on the curve P-384. */
    public static SigningKey ec(String name) {
        return new SigningKey(pair("EC", 384), "SHA384withECDSA", name);
    }

    /**
     * Returns a key of ML-DSA.
     *
     * @param size 44, 65 or 87
     */
    public static SigningKey mlDsa(int size, String name) {
        try {
            KeyPairGenerator generator = KeyPairGenerator.getInstance("ML-DSA-" + size, BOUNCY_CASTLE);
            return new SigningKey(generator.generateKeyPair(), "ML-DSA-" + size, name);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    private static KeyPair pair(String algorithm, int size) {
        try {
            KeyPairGenerator generator = KeyPairGenerator.getInstance(algorithm);
            generator.initialize(size);
            return generator.generateKeyPair();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    private ContentSigner signer() throws OperatorCreationException {
        JcaContentSignerBuilder builder = new JcaContentSignerBuilder(signatureName);
        return (signatureName.startsWith("ML-DSA") ? builder.setProvider(BOUNCY_CASTLE) : builder)
                .build(pair.getPrivate());
    }

    public byte[] certificate() {
        try {
            return certificate.getEncoded();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    public byte[] keyId() {
        return org.bouncycastle.asn1.x509.SubjectKeyIdentifier.fromExtensions(certificate.getExtensions())
                .getKeyIdentifier();
    }

    /** The style of a PKCS#7 message. */
    public enum Style {
        /** A message as sign-file writes it. */
        PLAIN,
        /** A message with the signer's key identifier instead of issuer and serial number (sign-file -k). */
        BY_KEY_ID,
        /** A message that contains the signer's certificate. */
        WITH_CERTIFICATE,
        /** A message with signed attributes. */
        WITH_ATTRIBUTES
    }

    /** Returns a message that signs these bytes. */
    public byte[] message(byte[] contents, Style style) {
        try {
            JcaSignerInfoGeneratorBuilder builder = new JcaSignerInfoGeneratorBuilder(
                            new JcaDigestCalculatorProviderBuilder().build(), algorithm -> named(algorithm))
                    .setDirectSignature(style != Style.WITH_ATTRIBUTES);
            CMSSignedDataGenerator generator = new CMSSignedDataGenerator();
            generator.addSignerInfoGenerator(
                    style == Style.BY_KEY_ID ? builder.build(signer(), keyId()) : builder.build(signer(), certificate));
            if (style == Style.WITH_CERTIFICATE) {
                generator.addCertificates(new org.bouncycastle.util.CollectionStore<>(List.of(certificate)));
            }
            return generator
                    .generate(new CMSProcessableByteArray(contents), false)
                    .toASN1Structure()
                    .getEncoded("DER");
        } catch (IOException | CMSException | OperatorCreationException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Returns the algorithm's name for the kernel, which accepts only rsaEncryption for RSA. */
    private AlgorithmIdentifier named(AlgorithmIdentifier signing) {
        return pair.getPrivate().getAlgorithm().equals("RSA")
                ? new AlgorithmIdentifier(PKCSObjectIdentifiers.rsaEncryption, DERNull.INSTANCE)
                : signing;
    }

    /** Returns a module with a signature. */
    public byte[] sign(byte[] module) {
        return sign(module, Style.PLAIN);
    }

    /** Returns a module with a signature of this style. */
    public byte[] sign(byte[] module, Style style) {
        return join(module, SignatureTrailer.pkcs7(message(module, style)));
    }

    /** Returns a module signed for RHEL 7: signer's name, key identifier and number, with SHA-256 and RSA. */
    public byte[] signWithX509(byte[] module, String name) {
        try {
            Signature signature = Signature.getInstance(signatureName);
            signature.initSign(pair.getPrivate());
            signature.update(module);
            byte[] number = signature.sign();
            ByteArrayOutputStream mpi = new ByteArrayOutputStream();
            mpi.write(number.length >> 8);
            mpi.write(number.length);
            mpi.writeBytes(number);
            return join(
                    module,
                    SignatureTrailer.x509(
                            name.getBytes(java.nio.charset.StandardCharsets.US_ASCII), keyId(), mpi.toByteArray()));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    private static byte[] join(byte[] module, SignatureTrailer trailer) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.writeBytes(module);
        out.writeBytes(trailer.toBytes());
        return out.toByteArray();
    }
}
