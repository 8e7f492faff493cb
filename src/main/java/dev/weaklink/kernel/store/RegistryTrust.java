package dev.weaklink.kernel.store;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.util.ArrayList;
import java.util.List;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509TrustManager;
import org.jspecify.annotations.Nullable;

/**
 * Who may vouch for a registry: whom Java trusts, whom the system trusts, and whom podman and
 * docker trust for this registry ({@code certs.d/HOST:PORT/*.crt}).
 */
final class RegistryTrust {
  private static final List<String> SYSTEM =
      List.of(
          "/etc/ssl/certs/ca-certificates.crt",
          "/etc/pki/tls/certs/ca-bundle.crt",
          "/etc/ssl/ca-bundle.pem");

  static final String USUAL = "/etc/containers/certs.d";

  private RegistryTrust() {}

  /**
   * Makes connections that are only made to whom these vouch for.
   *
   * @param host the registry's name, with the port if one is given
   * @throws IOException if a file of certificates cannot be used
   */
  static SSLSocketFactory of(String host) throws IOException {
    try {
      KeyStore trusted = KeyStore.getInstance(KeyStore.getDefaultType());
      trusted.load(null, null);
      for (TrustManager known : managers(null)) {
        if (known instanceof X509TrustManager javas) {
          add(List.of(javas.getAcceptedIssuers()), trusted);
        }
      }
      for (Path file : files(host)) {
        add(certificates(file), trusted);
      }
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(null, managers(trusted), null);
      return context.getSocketFactory();
    } catch (GeneralSecurityException e) {
      throw new IOException("this Java has no TLS: " + e.getMessage(), e);
    }
  }

  private static TrustManager[] managers(@Nullable KeyStore trusted)
      throws GeneralSecurityException {
    TrustManagerFactory factory =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    factory.init(trusted);
    return factory.getTrustManagers();
  }

  private static void add(List<? extends Certificate> certificates, KeyStore trusted)
      throws GeneralSecurityException {
    for (Certificate certificate : certificates) {
      trusted.setCertificateEntry(String.valueOf(trusted.size()), certificate);
    }
  }

  private static List<Path> files(String host) throws IOException {
    List<Path> files = new ArrayList<>();
    SYSTEM.stream().map(Path::of).filter(Files::isRegularFile).limit(1).forEach(files::add);
    String home = System.getProperty("user.home", "/root");
    for (String place :
        List.of(home + "/.config/containers/certs.d", USUAL, "/etc/docker/certs.d")) {
      Path directory = Path.of(place, host);
      if (Files.isDirectory(directory)) {
        try (DirectoryStream<Path> found = Files.newDirectoryStream(directory, "*.crt")) {
          found.forEach(files::add);
        }
      }
    }
    return files;
  }

  private static List<Certificate> certificates(Path file) throws IOException {
    try (InputStream in = new BufferedInputStream(Files.newInputStream(file))) {
      return List.copyOf(CertificateFactory.getInstance("X.509").generateCertificates(in));
    } catch (CertificateException e) {
      throw new IOException(file + ": has something else than certificates", e);
    }
  }
}
