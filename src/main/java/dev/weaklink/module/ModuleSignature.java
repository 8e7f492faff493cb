package dev.weaklink.module;

/**
 * The signature trailer behind the ELF data (include/linux/module_signature.h).
 *
 * @param kind what the trailer says it is
 * @param problem what makes it malformed
 * @param length bytes of signature data, without descriptor and marker; 0 if unsigned
 */
public record ModuleSignature(Kind kind, Problem problem, long length) {
  /** No marker at the end of the file. */
  public static final ModuleSignature UNSIGNED =
      new ModuleSignature(Kind.UNSIGNED, Problem.NONE, 0);

  /** The descriptor's {@code id_type}. */
  public enum Kind {
    UNSIGNED,
    PGP,
    X509,
    PKCS7,
    UNKNOWN
  }

  /** What is wrong with the trailer's form; nothing is said here about the cryptography. */
  public enum Problem {
    NONE,
    /** The marker is there, but no room for a descriptor or for the signature it announces. */
    LENGTH,
    /** Fields that must be zero are not. */
    NON_ZERO_PARAMS,
    /** The PKCS#7 blob does not parse as DER. */
    UNPARSABLE
  }
}
