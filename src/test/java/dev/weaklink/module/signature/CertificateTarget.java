package dev.weaklink.module.signature;

import dev.weaklink.module.signature.CertificateFile.EncodedCertificate;
import dev.weaklink.module.signature.SignatureVerifier.KeyRing;
import dev.weaklink.testing.EfiVariable;
import dev.weaklink.testing.FuzzTarget;
import dev.weaklink.testing.SigningKey;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

/** Certificates in files, in kernels and in the firmware's variables. */
public final class CertificateTarget implements FuzzTarget {
    @Override
    public void take(byte[] bytes) {
        List<EncodedCertificate> all = new ArrayList<>(CertificateFile.read(bytes, "file"));
        all.addAll(CertificateScan.of(bytes, bytes.length, "kernel"));
        all.addAll(EfiSignatureLists.certificates(bytes, "firmware"));
        new SignatureVerifier(new KeyRing(all, true)).keys();
    }

    @Override
    public List<byte[]> seeds() {
        byte[] rsa = SigningKey.rsa("rsa").certificate();
        byte[] ec = SigningKey.ec("ec").certificate();
        String pem = "-----BEGIN CERTIFICATE-----\n"
                + Base64.getMimeEncoder().encodeToString(ec)
                + "\n-----END CERTIFICATE-----\n";
        return List.of(
                rsa,
                ec,
                pem.getBytes(StandardCharsets.US_ASCII),
                new EfiVariable().x509(rsa, ec).hashes(2).toBytes());
    }
}
