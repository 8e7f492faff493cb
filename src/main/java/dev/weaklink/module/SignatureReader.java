package dev.weaklink.module;

import dev.weaklink.module.DerReader.Element;
import dev.weaklink.module.DistinguishedName.ObjectIdentifier;
import dev.weaklink.module.ModuleSignature.Certificates;
import dev.weaklink.module.ModuleSignature.Proof;
import dev.weaklink.module.ModuleSignature.SignatureKind;
import dev.weaklink.module.ModuleSignature.SignatureProblem;
import dev.weaklink.sys.UnreadableException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Reads the signature trailer at the end of a module's bytes: {@code [ELF][signature][struct module_signature, 12
 * bytes][marker, 28 bytes]} (kernel/module_signing.c:mod_verify_sig; from 5.4 on,
 * kernel/module_signature.c:mod_check_sig). In X.509 trailers (up to 4.2), the signer's name and key identifier precede
 * the signature.
 */
final class SignatureReader {
    private static final byte[] MARKER = "~Module signature appended~\n".getBytes(StandardCharsets.US_ASCII);
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
     * The signature trailer and the length of the ELF file before it.
     *
     * @param elfLength the length that kernels from 5.4 on parse as ELF. These kernels remove a PKCS#7 trailer if its
     *     length is valid. They remove only the marker of any other trailer
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
            return new Trailer(new ModuleSignature(SignatureKind.UNKNOWN, SignatureProblem.LENGTH, 0), end);
        }
        return follow(data, descriptor, end);
    }

    private static Trailer follow(byte[] data, int descriptor, int end) {
        long signatureLength = bigEndian32(data, descriptor + SIGNATURE_LENGTH);
        SignatureKind kind = kind(data[descriptor + ID_TYPE]);
        long names = kind == SignatureKind.X509
                ? (data[descriptor + SIGNER_LENGTH] & 0xff) + (data[descriptor + KEY_ID_LENGTH] & 0xff)
                : 0;
        if (signatureLength >= descriptor || signatureLength + names >= descriptor) {
            return new Trailer(new ModuleSignature(kind, SignatureProblem.LENGTH, signatureLength), end);
        }
        int start = (int) (descriptor - signatureLength);
        if (kind == SignatureKind.X509) {
            return new Trailer(x509(data, (int) (start - names), start, descriptor), end);
        }
        if (kind != SignatureKind.PKCS7) {
            return new Trailer(new ModuleSignature(kind, SignatureProblem.NONE, signatureLength), end);
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
            return new ModuleSignature(SignatureKind.PKCS7, SignatureProblem.NON_ZERO_PARAMS, length);
        }
        SignedMessage.SignatureForm form = SignedMessage.read(data, start, descriptor);
        return new ModuleSignature(
                SignatureKind.PKCS7, form.problem(), length, form.signer(), form.certificates(), Proof.NONE);
    }

    /**
     * Reads an X.509 trailer (kernel/module_signing.c:mod_verify_sig, 3.7 to 4.2). Kernels with this format support
     * only RSA.
     */
    private static ModuleSignature x509(byte[] data, int names, int start, int descriptor) {
        int keyId = names + (data[descriptor + SIGNER_LENGTH] & 0xff);
        String digest = SignatureAlgorithms.digestOfTrailer(data[descriptor + HASH]);
        String algorithm = data[descriptor + ALGORITHM] == RSA ? "rsa" : null;
        Signer signer = new Signer(digest, algorithm, null, null, text(data, keyId, start), text(data, names, keyId));
        boolean supported = digest != null && algorithm != null;
        return new ModuleSignature(
                SignatureKind.X509,
                supported ? SignatureProblem.NONE : SignatureProblem.UNSUPPORTED,
                descriptor - start,
                signer,
                Proof.NONE);
    }

    private static String text(byte[] data, int start, int end) {
        return new String(data, start, end - start, StandardCharsets.ISO_8859_1);
    }

    private static SignatureKind kind(byte idType) {
        return switch (idType) {
            case PGP -> SignatureKind.PGP;
            case X509 -> SignatureKind.X509;
            case PKCS7 -> SignatureKind.PKCS7;
            case HASHES -> SignatureKind.HASHES;
            default -> SignatureKind.UNKNOWN;
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

    /**
     * Parses a PKCS#7 message as far as the kernel's parser does before any cryptography (RFC 2315, RFC 5652;
     * crypto/asymmetric_keys/pkcs7.asn1 and pkcs7_parser.c). The result contains at most one problem and one signer:
     * the first signer, or the last that uses ML-DSA.
     */
    private static final class SignedMessage {
        /** The maximum length of a message in lib/asn1_decoder.c:asn1_ber_decoder. */
        private static final int LONGEST = 65_535;

        private static final String SIGNED_DATA = "1.2.840.113549.1.7.2";
        private static final String CONTENT_TYPE = "1.2.840.113549.1.9.3";
        private static final String MESSAGE_DIGEST = "1.2.840.113549.1.9.4";
        private static final String DATA = "1.2.840.113549.1.7.1";
        private static final int CONTEXT_0 = 0xa0;
        private static final int CONTEXT_1 = 0xa1;
        private static final int CONTEXT_2 = 0xa2;
        private static final int BIT_STRING = 0x03;
        private static final int PRIMITIVE_0 = 0x80;
        private static final int BY_SERIAL = 1;
        private static final int BY_KEY_ID = 3;

        record SignatureForm(
                SignatureProblem problem, @Nullable Signer signer, Certificates certificates) {}

        private final byte[] data;
        private SignatureProblem problem = SignatureProblem.NONE;
        private @Nullable Signer signer;
        private Certificates certificates = Certificates.NONE;

        private SignedMessage(byte[] data) {
            this.data = data;
        }

        static SignatureForm read(byte[] data, int start, int end) {
            if (end - start > LONGEST) {
                return new SignatureForm(SignatureProblem.TOO_LONG, null, Certificates.NONE);
            }
            SignedMessage message = new SignedMessage(data);
            try {
                message.contentInfo(new DerReader(data, start, end));
            } catch (UnreadableException e) {
                message.object(SignatureProblem.UNPARSABLE);
            }
            return new SignatureForm(message.problem, message.signer, message.certificates);
        }

        /**
         * Records a problem; usually, the first one counts. The kernel checks for attached contents and signed
         * attributes only after it has parsed the whole message (system_keyring.c:verify_pkcs7_message_sig,
         * pkcs7_verify.c:pkcs7_verify). A problem of parsing therefore replaces such a problem. ATTRIBUTES replaces
         * WAIVABLE.
         */
        private void object(SignatureProblem found) {
            if (problem == SignatureProblem.NONE
                    || isLate(problem) && !isLate(found)
                    || problem == SignatureProblem.WAIVABLE && found == SignatureProblem.ATTRIBUTES) {
                problem = found;
            }
        }

        private static boolean isLate(SignatureProblem found) {
            return found == SignatureProblem.ATTACHED
                    || found == SignatureProblem.ATTRIBUTES
                    || found == SignatureProblem.WAIVABLE;
        }

        private boolean isReached() {
            return problem == SignatureProblem.NONE || isLate(problem);
        }

        private void contentInfo(DerReader outer) throws UnreadableException {
            DerReader info = outer.inside(outer.next(DerReader.SEQUENCE));
            if (!identifier(info).equals(SIGNED_DATA)) {
                object(SignatureProblem.UNEXPECTED);
                throw new UnreadableException("no signed data");
            }
            DerReader content = info.inside(info.next(CONTEXT_0));
            signedData(content.inside(content.next(DerReader.SEQUENCE)));
        }

        private void signedData(DerReader fields) throws UnreadableException {
            int version = number(fields.next(DerReader.INTEGER));
            if (version != BY_SERIAL && version != BY_KEY_ID) {
                object(SignatureProblem.UNEXPECTED);
            }
            setOrSequence(fields);
            content(fields.inside(fields.next(DerReader.SEQUENCE)));
            while (fields.nextTag() >= CONTEXT_0) {
                Element element = fields.next();
                if (element.tag() == CONTEXT_0 || element.tag() == CONTEXT_2) {
                    certificates(fields.inside(element));
                }
            }
            DerReader signers = fields.inside(setOrSequence(fields));
            if (!signers.hasNext()) {
                object(SignatureProblem.UNEXPECTED);
            }
            boolean first = true;
            while (signers.hasNext()) {
                Signer read = signer(signers.inside(signers.next(DerReader.SEQUENCE)), version, first);
                signer = first || read.isMlDsa() ? read : signer;
                first = false;
            }
        }

        /** Reads the certificates in the message (x509.asn1; x509_public_key.c:x509_check_for_self_signed). */
        private void certificates(DerReader all) throws UnreadableException {
            while (all.hasNext()) {
                DerReader certificate = all.inside(all.next(DerReader.SEQUENCE));
                DerReader signed = certificate.inside(certificate.next(DerReader.SEQUENCE));
                if (signed.nextTag() == CONTEXT_0) {
                    signed.next();
                }
                signed.next(DerReader.INTEGER);
                String algorithm = SignatureAlgorithms.publicKey(algorithm(signed));
                Element issuer = signed.next(DerReader.SEQUENCE);
                signed.next(DerReader.SEQUENCE);
                Element subject = signed.next(DerReader.SEQUENCE);
                signed.next(DerReader.SEQUENCE);
                algorithm(certificate);
                certificate.next(BIT_STRING);
                boolean isByMlDsa = isReached()
                        && algorithm != null
                        && algorithm.startsWith("mldsa")
                        && Arrays.equals(data, issuer.start(), issuer.end(), data, subject.start(), subject.end());
                boolean isKnown = certificates == Certificates.ML_DSA;
                certificates = isByMlDsa || isKnown ? Certificates.ML_DSA : Certificates.SOME;
            }
        }

        private void content(DerReader content) throws UnreadableException {
            if (!identifier(content).equals(DATA)) {
                object(SignatureProblem.UNEXPECTED);
            } else if (content.hasNext()) {
                object(SignatureProblem.ATTACHED);
            }
        }

        private Signer signer(DerReader fields, int messageVersion, boolean first) throws UnreadableException {
            int version = number(fields.next(DerReader.INTEGER));
            if (version != messageVersion) {
                boolean isKnown = version == BY_SERIAL || version == BY_KEY_ID;
                object(isKnown ? SignatureProblem.UNPARSABLE : SignatureProblem.UNEXPECTED);
            }
            Element id = fields.next();
            String digest = SignatureAlgorithms.digest(algorithm(fields));
            if (digest == null) {
                object(SignatureProblem.UNSUPPORTED);
            } else if (first && isReached()) {
                signer = new Signer(digest, null, null, null, null, null);
            }
            boolean attributes = fields.nextTag() == CONTEXT_0;
            if (attributes && !isComplete(fields.inside(fields.next()))) {
                object(SignatureProblem.UNPARSABLE);
            }
            String algorithm = SignatureAlgorithms.publicKey(algorithm(fields));
            if (attributes) {
                boolean waivable = algorithm != null && algorithm.startsWith("mldsa");
                object(waivable ? SignatureProblem.WAIVABLE : SignatureProblem.ATTRIBUTES);
            }
            fields.next(DerReader.OCTET_STRING);
            if (fields.nextTag() == CONTEXT_1) {
                fields.next();
            }
            if (algorithm == null) {
                object(SignatureProblem.UNSUPPORTED);
            }
            return identified(fields, id, digest, algorithm);
        }

        /**
         * Returns whether the signer has both attributes that the parser requires
         * (pkcs7_parser.c:pkcs7_sig_note_set_of_authattrs).
         */
        private boolean isComplete(DerReader attributes) throws UnreadableException {
            boolean hasType = false;
            boolean hasDigest = false;
            while (attributes.hasNext()) {
                DerReader attribute = attributes.inside(attributes.next(DerReader.SEQUENCE));
                String name = identifier(attribute);
                attribute.next(DerReader.SET);
                hasType |= name.equals(CONTENT_TYPE);
                hasDigest |= name.equals(MESSAGE_DIGEST);
            }
            return hasType && hasDigest;
        }

        private Signer identified(DerReader fields, Element id, @Nullable String digest, @Nullable String algorithm)
                throws UnreadableException {
            if (id.tag() == PRIMITIVE_0) {
                return new Signer(digest, algorithm, null, null, bytes(id.contents(), id.end()), null);
            }
            if (id.tag() != DerReader.SEQUENCE) {
                throw new UnreadableException("a signer without a name");
            }
            DerReader parts = fields.inside(id);
            Element issuer = parts.next(DerReader.SEQUENCE);
            Element serial = parts.next(DerReader.INTEGER);
            return new Signer(
                    digest,
                    algorithm,
                    bytes(issuer.start(), issuer.end()),
                    bytes(serial.contents(), serial.end()),
                    null,
                    null);
        }

        private static Element setOrSequence(DerReader fields) throws UnreadableException {
            return fields.next(fields.nextTag() == DerReader.SEQUENCE ? DerReader.SEQUENCE : DerReader.SET);
        }

        private String algorithm(DerReader fields) throws UnreadableException {
            return identifier(fields.inside(fields.next(DerReader.SEQUENCE)));
        }

        private String identifier(DerReader fields) throws UnreadableException {
            Element oid = fields.next(DerReader.OBJECT_IDENTIFIER);
            return ObjectIdentifier.dotted(data, oid.contents(), oid.end());
        }

        private int number(Element integer) {
            return integer.end() - integer.contents() == 1 ? data[integer.contents()] : -1;
        }

        private String bytes(int start, int end) {
            return new String(data, start, end - start, StandardCharsets.ISO_8859_1);
        }
    }

    /**
     * The algorithms that the kernel's PKCS#7 parser knows (crypto/asymmetric_keys/pkcs7_parser.c:
     * pkcs7_sig_note_digest_algo, pkcs7_sig_note_pkey_algo), by object identifier.
     */
    private static final class SignatureAlgorithms {
        private SignatureAlgorithms() {}

        /** Returns the name of a digest that some kernel version accepts in module signatures; null for any other. */
        static @Nullable String digest(String identifier) {
            return switch (identifier) {
                case "1.2.840.113549.2.4" -> "md4";
                case "1.2.840.113549.2.5" -> "md5";
                case "1.3.14.3.2.26" -> "sha1";
                case "2.16.840.1.101.3.4.2.4" -> "sha224";
                case "2.16.840.1.101.3.4.2.1" -> "sha256";
                case "2.16.840.1.101.3.4.2.2" -> "sha384";
                case "2.16.840.1.101.3.4.2.3" -> "sha512";
                case "2.16.840.1.101.3.4.2.8" -> "sha3-256";
                case "2.16.840.1.101.3.4.2.9" -> "sha3-384";
                case "2.16.840.1.101.3.4.2.10" -> "sha3-512";
                default -> null;
            };
        }

        /**
         * Returns the name of a public key algorithm that some kernel version accepts in module signatures; null for
         * any other. The kernel refuses sha256WithRSAEncryption and similar identifiers here.
         */
        static @Nullable String publicKey(String identifier) {
            return switch (identifier) {
                case "1.2.840.113549.1.1.1" -> "rsa";
                case "1.2.840.10045.4.1",
                        "1.2.840.10045.4.3.1",
                        "1.2.840.10045.4.3.2",
                        "1.2.840.10045.4.3.3",
                        "1.2.840.10045.4.3.4",
                        "2.16.840.1.101.3.4.3.10",
                        "2.16.840.1.101.3.4.3.11",
                        "2.16.840.1.101.3.4.3.12" -> "ecdsa";
                case "2.16.840.1.101.3.4.3.17" -> "mldsa44";
                case "2.16.840.1.101.3.4.3.18" -> "mldsa65";
                case "2.16.840.1.101.3.4.3.19" -> "mldsa87";
                default -> null;
            };
        }

        /**
         * Returns the name of a digest in a trailer of RHEL 7 or a kernel up to 4.2 (include/crypto/public_key.h: enum
         * pkey_hash_algo). Returns null for a digest that these kernels cannot compute.
         */
        static @Nullable String digestOfTrailer(int number) {
            return switch (number) {
                case 1 -> "md5";
                case 2 -> "sha1";
                case 4 -> "sha256";
                case 5 -> "sha384";
                case 6 -> "sha512";
                case 7 -> "sha224";
                default -> null;
            };
        }
    }
}
