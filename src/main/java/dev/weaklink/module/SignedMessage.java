package dev.weaklink.module;

import dev.weaklink.module.DerReader.DerException;
import dev.weaklink.module.DerReader.Element;
import dev.weaklink.module.ModuleSignature.Problem;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Reads the form of a PKCS#7 message as far as the kernel's parser looks at it before any
 * cryptography (RFC 2315, RFC 5652; crypto/asymmetric_keys/pkcs7.asn1 and pkcs7_parser.c): what is
 * wrong with it, and who the first signer is, or one by ML-DSA.
 */
final class SignedMessage {
  /** lib/asn1_decoder.c:asn1_ber_decoder. */
  private static final int LONGEST = 65_535;

  private static final String SIGNED_DATA = "1.2.840.113549.1.7.2";
  private static final String DATA = "1.2.840.113549.1.7.1";
  private static final int CONTEXT_0 = 0xa0;
  private static final int CONTEXT_1 = 0xa1;
  private static final int PRIMITIVE_0 = 0x80;
  private static final int BY_SERIAL = 1;
  private static final int BY_KEY_ID = 3;

  /** What was found. */
  record Form(Problem problem, @Nullable Signer signer) {}

  private final byte[] data;
  private Problem problem = Problem.NONE;
  private @Nullable Signer signer;

  private SignedMessage(byte[] data) {
    this.data = data;
  }

  static Form read(byte[] data, int start, int end) {
    if (end - start > LONGEST) {
      return new Form(Problem.TOO_LONG, null);
    }
    SignedMessage message = new SignedMessage(data);
    try {
      message.contentInfo(new DerReader(data, start, end));
    } catch (DerException e) {
      message.problem = Problem.UNPARSABLE;
    }
    return new Form(message.problem, message.signer);
  }

  /**
   * The first problem counts; but what is allowed is asked only of a message that was understood
   * (system_keyring.c:verify_pkcs7_message_sig, pkcs7_verify.c:pkcs7_verify).
   */
  private void object(Problem found) {
    boolean isLate =
        problem == Problem.ATTACHED || problem == Problem.ATTRIBUTES || problem == Problem.WAIVABLE;
    boolean foundLate =
        found == Problem.ATTACHED || found == Problem.ATTRIBUTES || found == Problem.WAIVABLE;
    if (problem == Problem.NONE
        || isLate && !foundLate
        || problem == Problem.WAIVABLE && found == Problem.ATTRIBUTES) {
      problem = found;
    }
  }

  private void contentInfo(DerReader outer) throws DerException {
    DerReader info = outer.inside(outer.next(DerReader.SEQUENCE));
    if (!identifier(info).equals(SIGNED_DATA)) {
      throw new DerException("no signed data");
    }
    DerReader content = info.inside(info.next(CONTEXT_0));
    signedData(content.inside(content.next(DerReader.SEQUENCE)));
  }

  private void signedData(DerReader fields) throws DerException {
    int version = number(fields.next(DerReader.INTEGER));
    if (version != BY_SERIAL && version != BY_KEY_ID) {
      object(Problem.UNEXPECTED);
    }
    setOrSequence(fields);
    content(fields.inside(fields.next(DerReader.SEQUENCE)));
    while (fields.nextTag() >= CONTEXT_0) {
      fields.next();
    }
    DerReader signers = fields.inside(setOrSequence(fields));
    if (!signers.hasNext()) {
      object(Problem.UNEXPECTED);
    }
    boolean first = true;
    while (signers.hasNext()) {
      Signer read = signer(signers.inside(signers.next(DerReader.SEQUENCE)), version);
      signer = first || read.isMlDsa() ? read : signer;
      first = false;
    }
  }

  private void content(DerReader content) throws DerException {
    if (!identifier(content).equals(DATA)) {
      object(Problem.UNEXPECTED);
    } else if (content.hasNext()) {
      object(Problem.ATTACHED);
    }
  }

  private Signer signer(DerReader fields, int messageVersion) throws DerException {
    int version = number(fields.next(DerReader.INTEGER));
    if (version != messageVersion) {
      object(Problem.UNPARSABLE);
    }
    Element id = fields.next();
    String digest = SignatureAlgorithms.digest(algorithm(fields));
    boolean attributes = fields.nextTag() == CONTEXT_0;
    if (attributes) {
      fields.next();
    }
    String algorithm = SignatureAlgorithms.publicKey(algorithm(fields));
    if (attributes) {
      boolean waivable = algorithm != null && algorithm.startsWith("mldsa");
      object(waivable ? Problem.WAIVABLE : Problem.ATTRIBUTES);
    }
    fields.next(DerReader.OCTET_STRING);
    if (fields.nextTag() == CONTEXT_1) {
      fields.next();
    }
    if (digest == null || algorithm == null) {
      object(Problem.UNSUPPORTED);
    }
    return identified(fields, id, digest, algorithm);
  }

  private Signer identified(
      DerReader fields, Element id, @Nullable String digest, @Nullable String algorithm)
      throws DerException {
    if (id.tag() == PRIMITIVE_0) {
      return new Signer(digest, algorithm, null, null, bytes(id.contents(), id.end()), null);
    }
    if (id.tag() != DerReader.SEQUENCE) {
      throw new DerException("a signer without a name");
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

  private static Element setOrSequence(DerReader fields) throws DerException {
    return fields.next(fields.nextTag() == DerReader.SEQUENCE ? DerReader.SEQUENCE : DerReader.SET);
  }

  private String algorithm(DerReader fields) throws DerException {
    return identifier(fields.inside(fields.next(DerReader.SEQUENCE)));
  }

  private String identifier(DerReader fields) throws DerException {
    Element oid = fields.next(DerReader.OBJECT_IDENTIFIER);
    return ObjectIdentifier.dotted(data, oid.contents(), oid.end());
  }

  /** A number of one byte, -1 for longer ones. */
  private int number(Element integer) {
    return integer.end() - integer.contents() == 1 ? data[integer.contents()] : -1;
  }

  private String bytes(int start, int end) {
    return new String(data, start, end - start, StandardCharsets.ISO_8859_1);
  }
}
