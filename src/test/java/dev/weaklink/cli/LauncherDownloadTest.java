package dev.weaklink.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import dev.weaklink.testing.ExternalTool;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.Map;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the first start says while Maven downloads, and when it cannot; with the real Maven. */
@Tag("slow")
class LauncherDownloadTest {
    private static final String PASSWORD = "changeit";

    @TempDir
    private Path directory;

    private Checkout checkout;

    @BeforeEach
    void setUp() throws Exception {
        checkout = new Checkout(directory, "checkout");
    }

    @Test
    void theFirstStartSaysWhatIsDownloaded() throws Exception {
        Checkout.Result first = checkout.run("check");
        Files.createDirectories(checkout.home.resolve("target/lib"));
        Files.delete(checkout.home.resolve("target/weaklink.jar"));

        assertThat(first.err())
                .containsPattern("Maven downloads its plugins and the libraries .* unless ~/.m2 has them; this can take"
                        + " minutes\n")
                .doesNotContain("\r");
        assertThat(checkout.run("check").err()).contains("building").doesNotContain("downloads");
    }

    @Test
    void aTerminalShowsHowFarItIs() throws Exception {
        assumeTrue(Files.exists(Path.of("/dev/pts/ptmx")), "devpts is not mounted");
        Checkout.script(directory.resolve("bin/mvn"), """
        [ "$*" != '-B -v' ] || exec echo Apache Maven 3.9.0
        echo '[INFO] Downloading from central: https://repo.invalid/a.pom'
        echo '[INFO] Downloaded from central: https://repo.invalid/a.pom (1 kB at 2 kB/s)'
        echo '[INFO] --- compiler:3.16.0:compile (default-compile) @ weaklink ---'
        sleep 3
        mkdir -p target && cp finished.jar target/weaklink.jar
        """);
        String line = "PATH=" + directory + "/bin:$PATH " + checkout.launcher() + " check";

        String seen = ExternalTool.orSkip("env")
                .run("TERM=xterm", ExternalTool.orSkip("script").path().toString(), "-qec", line, "/dev/null");

        assertThat(seen).contains("\r\u001b[Kweaklink: 1 s, 1 files downloaded: compile", "check\r\n");
    }

    @Test
    void aRepositoryThatCannotBeReachedIsOneSentence() throws Exception {
        int port;
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = free.getLocalPort();
        }

        assertThat(fromMirror(port))
                .isEqualTo("weaklink: Maven cannot download from https://localhost:"
                        + port
                        + "/ (Connection refused); check the network, or name your site's proxy or mirror"
                        + " in ~/.m2/settings.xml\n");
    }

    @Test
    void aCertificateThatIsNotTrustedIsOneSentence() throws Exception {
        HttpsServer server = server();
        try {
            int port = server.getAddress().getPort();

            assertThat(fromMirror(port))
                    .startsWith("weaklink: ")
                    .contains(
                            " does not trust the certificate of https://localhost:" + port + "/; if a proxy",
                            "/bin/keytool -importcert -cacerts -file CERTIFICATE'\n")
                    .hasLineCount(1);
        } finally {
            server.stop(0);
        }
    }

    /** What a build says of Maven's failure that has everything from a server on this machine. */
    private String fromMirror(int port) throws Exception {
        Path mvn = ExternalTool.orSkip("mvn").path();
        Path user = directory.resolve("user");
        Files.createDirectories(user.resolve(".m2"));
        Files.writeString(
                user.resolve(".m2/settings.xml"),
                "<settings><mirrors><mirror><id>site</id><mirrorOf>*</mirrorOf><url>https://localhost:"
                        + port
                        + "/</url></mirror></mirrors></settings>");
        Files.writeString(
                checkout.home.resolve("pom.xml"),
                "<project><modelVersion>4.0.0</modelVersion><groupId>a</groupId><artifactId>a</artifactId>"
                        + "<version>1</version></project>");
        Checkout.script(directory.resolve("bin/mvn"), "exec " + mvn + " \"$@\"\n");
        Map<String, String> environment = Map.of("MAVEN_OPTS", "-Duser.home=" + user);

        Checkout.Result result = checkout.run(environment, checkout.launcher(), "check");

        assertThat(result.status()).isEqualTo(2);
        return result.err().replaceFirst("weaklink: building.*\nweaklink: Maven downloads.*\n", "");
    }

    /** One with a certificate that it has signed itself. */
    private HttpsServer server() throws Exception {
        Path store = directory.resolve("store");
        ExternalTool.orSkip("keytool")
                .run(
                        "-genkeypair",
                        "-keyalg",
                        "EC",
                        "-alias",
                        "a",
                        "-dname",
                        "CN=localhost",
                        "-ext",
                        "san=dns:localhost",
                        "-storetype",
                        "PKCS12",
                        "-keystore",
                        store.toString(),
                        "-storepass",
                        PASSWORD);
        KeyStore keys = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(store)) {
            keys.load(in, PASSWORD.toCharArray());
        }
        KeyManagerFactory managers = KeyManagerFactory.getInstance("PKIX");
        managers.init(keys, PASSWORD.toCharArray());
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(managers.getKeyManagers(), null, null);
        HttpsServer server = HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setHttpsConfigurator(new HttpsConfigurator(context));
        server.start();
        return server;
    }
}
