package dev.weaklink.check;

import dev.weaklink.module.signature.CertificateFile.EncodedCertificate;
import dev.weaklink.module.signature.EfiSignatureLists;
import dev.weaklink.module.signature.SignatureVerifier.KeyRing;
import dev.weaklink.sys.Root;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Reads the keys enrolled in the machine's firmware and boot loader. Kernels load these keys into their platform and
 * machine keyrings (security/integrity/platform_certs/load_uefi.c).
 */
public final class EnrolledKeys {
    private static final String VARIABLES = "/sys/firmware/efi/efivars/";
    private static final String DB = "db-d719b2cb-3d3a-4596-a3bc-dad00e67656f";
    private static final String MOK = "MokListRT-605dab50-e046-4300-abb6-3dd810dd8b23";

    /**
     * The file with the kernel's copy of the machine owner keys, from 5.10 on. The EFI variable may be too small for a
     * long list of keys.
     */
    private static final String MOK_TABLE = "/sys/firmware/efi/mok-variables/MokListRT";

    private static final int ATTRIBUTES = 4;
    private static final int MOST = 4 << 20;

    private EnrolledKeys() {}

    /**
     * Reads the keys of the running system, or of a directory tree laid out like one.
     *
     * @return the keys; the key ring is complete if each variable was read or does not exist
     */
    public static KeyRing read(Root root) {
        List<EncodedCertificate> found = new ArrayList<>();
        boolean complete = add(found, root, VARIABLES + DB, ATTRIBUTES, "UEFI db");
        if (exists(root, MOK_TABLE)) {
            complete &= add(found, root, MOK_TABLE, 0, "machine owner key");
        } else {
            complete &= add(found, root, VARIABLES + MOK, ATTRIBUTES, "machine owner key");
        }
        return new KeyRing(found, complete);
    }

    private static boolean exists(Root root, String inside) {
        try {
            return Files.exists(root.resolve(inside));
        } catch (IOException e) {
            return false;
        }
    }

    /** Adds the certificates of a variable. Returns whether the variable was read or does not exist. */
    private static boolean add(List<EncodedCertificate> found, Root root, String inside, int attributes, String where) {
        if (!exists(root, inside)) {
            return true;
        }
        try {
            Path file = root.resolve(inside);
            if (!Files.isRegularFile(file)) {
                return false;
            }
            try (InputStream in = Files.newInputStream(file)) {
                byte[] bytes = in.readNBytes(MOST);
                byte[] variable = Arrays.copyOfRange(bytes, Math.min(attributes, bytes.length), bytes.length);
                found.addAll(EfiSignatureLists.certificates(variable, where));
                return true;
            }
        } catch (IOException e) {
            return false;
        }
    }
}
