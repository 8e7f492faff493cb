package dev.weaklink.rebuild.run;

import dev.weaklink.check.EnrolledKeys;
import dev.weaklink.kernel.KernelConfig;
import dev.weaklink.module.signature.CertificateFile;
import dev.weaklink.module.signature.EncodedCertificate;
import dev.weaklink.rebuild.Backend;
import dev.weaklink.rebuild.Surroundings;
import dev.weaklink.sys.Root;
import dev.weaklink.sys.RootText;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Looks whether modules must be signed, with which key a build would, and who knows that key. */
final class SigningProbe {
  private static final int CERTIFICATE_LIMIT = 1 << 20;
  private static final String FIRMWARE = "/sys/firmware/efi/efivars";
  private static final String SECURE_BOOT =
      FIRMWARE + "/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c";

  /** DKMS's own key, and the one it shares with others on Ubuntu. */
  private static final List<String> DKMS_KEYS =
      List.of("/var/lib/dkms/mok.key", "/var/lib/shim-signed/mok/MOK.priv");

  private static final List<String> DKMS_CERTIFICATES =
      List.of("/var/lib/dkms/mok.pub", "/var/lib/shim-signed/mok/MOK.der");

  private final Root root;
  private final RootText text;
  private final Map<String, String> environment;

  SigningProbe(Root root, Map<String, String> environment) {
    this.root = root;
    this.text = new RootText(root);
    this.environment = environment;
  }

  Surroundings.Signing look(Backend backend, @Nullable KernelConfig config) {
    boolean forced = config != null && "y".equals(config.value("MODULE_SIG_FORCE"));
    boolean keys = file("MODULE_SIGN_PRIV_KEY") != null && file("MODULE_SIGN_PUB_KEY") != null;
    int own = dkmsKey();
    Path certificate =
        keys
            ? file("MODULE_SIGN_PUB_KEY")
            : backend.id().equals("dkms") && own >= 0 ? inRoot(DKMS_CERTIFICATES.get(own)) : null;
    return new Surroundings.Signing(
        forced || isSecureBoot(),
        keys,
        own >= 0,
        certificate == null || isEnrolled(certificate) ? null : certificate.toString());
  }

  private int dkmsKey() {
    for (int i = 0; i < DKMS_KEYS.size(); i++) {
      if (text.isFile(DKMS_KEYS.get(i))) {
        return i;
      }
    }
    return -1;
  }

  private @Nullable Path inRoot(String inside) {
    try {
      return root.resolve(inside);
    } catch (IOException e) {
      return null;
    }
  }

  private @Nullable Path file(String variable) {
    try {
      String path = environment.get(variable);
      boolean there = path != null && !path.isEmpty() && Files.isRegularFile(Path.of(path));
      return there ? Path.of(path) : null;
    } catch (InvalidPathException e) {
      return null;
    }
  }

  /** Whether a certificate is among the enrolled ones, or it cannot be said that it is not. */
  private boolean isEnrolled(Path certificate) {
    if (!text.isDirectory(FIRMWARE)) {
      return true;
    }
    EnrolledKeys enrolled = EnrolledKeys.read(root);
    List<EncodedCertificate> own = certificates(certificate);
    if (own.isEmpty() || !enrolled.complete()) {
      return true;
    }
    return enrolled.certificates().stream()
        .anyMatch(known -> Arrays.equals(known.der(), own.get(0).der()));
  }

  private static List<EncodedCertificate> certificates(Path file) {
    try (InputStream in = Files.newInputStream(file)) {
      return CertificateFile.read(in.readNBytes(CERTIFICATE_LIMIT), file.toString());
    } catch (IOException e) {
      return List.of();
    }
  }

  /** Four bytes of attributes, then the value (UEFI 3.3, SecureBoot). */
  private boolean isSecureBoot() {
    try (InputStream in = Files.newInputStream(root.resolve(SECURE_BOOT))) {
      byte[] variable = in.readNBytes(6);
      return variable.length == 5 && variable[4] == 1;
    } catch (IOException e) {
      return false;
    }
  }
}
