/**
 * Verifies the signatures of modules. The input is the bytes of a module and the certificates that a kernel trusts. The
 * result is whether a key of these certificates signed the module. Open
 * {@link dev.weaklink.module.signature.SignatureVerifier} first. {@link dev.weaklink.module.signature.CertificateFile}
 * reads PEM and DER files. {@link dev.weaklink.module.signature.CertificateScan} finds the certificates in a kernel
 * image. {@link dev.weaklink.module.signature.EfiSignatureLists} reads the certificates enrolled in the firmware.
 * {@code LibCrypto} computes digests with the system's OpenSSL, which is faster than Java.
 */
@NullMarked
package dev.weaklink.module.signature;

import org.jspecify.annotations.NullMarked;
