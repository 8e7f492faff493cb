package dev.weaklink.module.signature;

import dev.weaklink.module.SignedContents;
import dev.weaklink.module.signature.CertificateFile.EncodedCertificate;
import dev.weaklink.module.signature.SignatureVerifier.KeyRing;
import dev.weaklink.testing.FuzzTarget;
import dev.weaklink.testing.Machine;
import dev.weaklink.testing.ModuleBuilder;
import dev.weaklink.testing.SignatureTrailer;
import dev.weaklink.testing.SigningKey;
import dev.weaklink.testing.SigningKey.Style;
import java.util.ArrayList;
import java.util.List;

/** PKCS#7 messages behind a module, with known keys. */
public final class MessageTarget implements FuzzTarget {
    private static final byte[] MODULE =
            ModuleBuilder.minimal(Machine.X86_64, "m").build();
    private static final SigningKey RSA = SigningKey.rsa("rsa");
    private static final SigningKey EC = SigningKey.ec("ec");

    private final SignatureVerifier verifier = new SignatureVerifier(new KeyRing(
            List.of(
                    new EncodedCertificate(RSA.certificate(), "test"),
                    new EncodedCertificate(EC.certificate(), "test")),
            true));

    @Override
    public void take(byte[] bytes) {
        byte[] trailer = SignatureTrailer.pkcs7(bytes).toBytes();
        byte[] file = java.util.Arrays.copyOf(MODULE, MODULE.length + trailer.length);
        System.arraycopy(trailer, 0, file, MODULE.length, trailer.length);
        SignedContents place = SignedContents.of(file, file.length);
        if (place != null) {
            verifier.verify(file, place);
        }
    }

    @Override
    public List<byte[]> seeds() {
        List<byte[]> seeds = new ArrayList<>();
        for (Style style : Style.values()) {
            seeds.add(RSA.message(MODULE, style));
            seeds.add(EC.message(MODULE, style));
        }
        return seeds;
    }
}
