package dev.weaklink.kernel.store;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import dev.weaklink.kernel.TargetKernel;
import dev.weaklink.testing.ExternalTool;
import dev.weaklink.testing.Records;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.Signature;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collections;
import java.util.List;
import java.util.stream.Stream;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Kernels in a real registry on this machine: Debian's docker-registry. */
class OciRegistryTest {
    /** Of user "ci" and password "secret". */
    private static final String PASSWORDS = "ci:$2b$04$039GOmhYokc8dARS30qRuuhPpW7LtxnFSO8i9WckNMWHCK0JsBNLK\n";

    private static final String SECURED = "127.0.0.2";
    private static final String HOME = System.getProperty("user.home", "");

    @TempDir
    Path directory;

    private Process registry;
    private int port;

    @AfterEach
    void stop() throws InterruptedException {
        System.setProperty("user.home", HOME);
        if (registry != null) {
            registry.destroy();
            registry.waitFor();
        }
    }

    private String start(String more) throws IOException, InterruptedException {
        return start("127.0.0.1", "", more).replace("127.0.0.1", "localhost");
    }

    /** One that is spoken to with TLS, as only those on localhost are not. */
    private String startSecured(String more) throws IOException, InterruptedException {
        Authority authority = Authority.in(directory, SECURED);
        return start(
                SECURED,
                ", tls: {certificate: '" + authority.certificate() + "', key: '" + authority.key() + "'}",
                more);
    }

    private void trust(Authority authority) throws IOException {
        Path place = directory.resolve(".config/containers/certs.d/" + SECURED + ":" + port);
        Files.copy(authority.certificate(), Files.createDirectories(place).resolve("ca.crt"));
    }

    private String start(String address, String tls, String more) throws IOException, InterruptedException {
        Path program = ExternalTool.orSkip("docker-registry").path();
        try (ServerSocket free = new ServerSocket(0)) {
            port = free.getLocalPort();
        }
        Path config = directory.resolve("config.yml");
        Files.writeString(
                config,
                "version: 0.1\nstorage: {filesystem: {rootdirectory: "
                        + directory.resolve("registry")
                        + "}}\nhttp: {addr: '"
                        + address
                        + ":"
                        + port
                        + "'"
                        + tls
                        + "}\n"
                        + more);
        registry = new ProcessBuilder(program.toString(), "serve", config.toString())
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve("registry.log").toFile())
                .start();
        for (int tries = 0; tries < 200; tries++) {
            try (Socket socket = new Socket(address, port)) {
                return address + ":" + port + "/site/kernels:el9";
            } catch (IOException e) {
                Thread.sleep(50);
            }
        }
        throw new IOException("no registry: " + Files.readString(directory.resolve("registry.log")));
    }

    private KernelStore store(String name) {
        return new KernelStore(directory.resolve(name));
    }

    private static List<String> push(String place, KernelStore store) throws IOException {
        List<String> names = new ArrayList<>();
        KernelLibrary.at(place).push(store, store.entries(), names::add);
        return names;
    }

    private static List<String> pull(String place, KernelStore store) throws IOException {
        List<String> names = new ArrayList<>();
        KernelLibrary.at(place).pull(store, names::add);
        return names;
    }

    @Test
    void onlyWhatIsNewIsTransferred() throws Exception {
        String place = start("");
        KernelStore store = store("store");
        byte[] types = {1, 2, 3};
        store.put(StoreTarget.kernel("6.1.0-9"), types);
        assertThat(push(place, store)).hasSize(2);
        assertThat(push(place, store)).isEmpty();
        KernelStore other = store("other");
        assertThat(pull(place, other)).hasSize(1);
        store.put(StoreTarget.kernel("6.1.0-10"), null);
        assertThat(push(place, store)).singleElement().asString().startsWith("6.1.0-10@");
        assertThat(pull(place, other)).singleElement().asString().startsWith("6.1.0-10@");
        assertThat(pull(place, other)).isEmpty();
        assertThat(other.list().corrupt()).isEmpty();
        assertThat(KernelStore.types(other.named("6.1.0-9").get(0).file())).isEqualTo(types);
        assertThatThrownBy(() -> pull(place + "0", other)).hasMessageContaining("no such library");
    }

    @Test
    void aBlobThatWasChangedInTheRegistryIsNotTaken() throws Exception {
        String place = start("");
        KernelStore store = store("store");
        store.put(StoreTarget.kernel("6.1.0-9"), null);
        push(place, store);
        try (Stream<Path> files = Files.walk(directory.resolve("registry"))) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                byte[] bytes = Files.readAllBytes(file);
                if (bytes.length > 100 && bytes[0] == 'P') {
                    bytes[60] ^= 1;
                    Files.write(file, bytes);
                }
            }
        }
        assertThatThrownBy(() -> pull(place, store("other")))
                .hasMessageContaining("is not what its digest says; not taken");
        assertThat(store("other").entries()).isEmpty();
    }

    @Test
    void credentialsOfDockerAndPodmanLetIn() throws Exception {
        Path passwords = Files.writeString(directory.resolve("htpasswd"), PASSWORDS);
        String place = start("auth: {htpasswd: {realm: site, path: '" + passwords + "'}}\n");
        System.setProperty("user.home", directory.toString());
        KernelStore store = store("store");
        store.put(StoreTarget.kernel("6.1.0-9"), null);
        assertThatThrownBy(() -> push(place, store))
                .hasMessageContaining("answers HEAD with 401; log in with 'podman login localhost:" + port);
        Path podmans = Files.createDirectories(directory.resolve(".config/containers"));
        Path helped = Files.writeString(
                podmans.resolve("auth.json"),
                "{\"credHelpers\": {\"localhost:" + port + "\": \"secretservice\", \"other\": \"x\"}}");
        assertThatThrownBy(() -> push(place, store))
                .hasMessageEndingWith("answers HEAD with 401; "
                        + helped
                        + " names the credential helper secretservice, which is not used: log in with"
                        + " 'podman login --authfile auth.json localhost:"
                        + port
                        + "' and set REGISTRY_AUTH_FILE=auth.json");
        Files.writeString(helped, "{\"auths\": {\"localhost:" + port + "\": {}}, \"credsStore\": \"pass\"}");
        assertThatThrownBy(() -> push(place, store))
                .hasMessageContaining(helped + " names the credential helper pass, which is not used");
        logIn("localhost:" + port);
        assertThat(push(place, store)).hasSize(2);
        assertThat(pull(place, store("other"))).hasSize(1);
    }

    private void logIn(String host) throws IOException {
        Path file = Files.createDirectories(directory.resolve(".docker")).resolve("config.json");
        String auth = Base64.getEncoder().encodeToString("ci:secret".getBytes(UTF_8));
        Files.writeString(file, "{\"auths\":{\"" + host + "\":{\"auth\":\"" + auth + "\"}}}");
    }

    @Test
    void aRegistryIsTrustedForWhomPodmanTrusts() throws Exception {
        Path passwords = Files.writeString(directory.resolve("htpasswd"), PASSWORDS);
        String place = startSecured("auth: {htpasswd: {realm: site, path: '" + passwords + "'}}\n");
        System.setProperty("user.home", directory.toString());
        KernelStore store = store("store");
        store.put(StoreTarget.kernel("6.1.0-9"), null);
        logIn(SECURED + ":" + port);
        assertThatThrownBy(() -> push(place, store))
                .hasMessageContaining(SECURED + ":" + port + " cannot be trusted (")
                .hasMessageEndingWith("/etc/containers/certs.d/" + SECURED + ":" + port + "/ca.crt");
        trust(Authority.in(directory, SECURED));
        assertThat(push(place, store)).hasSize(2);
        assertThat(pull(place, store("other"))).hasSize(1);
        Path broken = directory.resolve(".config/containers/certs.d/" + SECURED + ":" + port);
        Files.writeString(broken.resolve("b.crt"), "-----BEGIN CERTIFICATE-----\nno\n");
        assertThatThrownBy(() -> pull(place, store("other")))
                .hasMessage(broken.resolve("b.crt") + ": has something else than certificates");
    }

    /** As at the large registries: tokens by another service, and blobs from another host. */
    @Test
    void aRegistryMayHaveTokensAndBlobsElsewhere() throws Exception {
        Authority authority = Authority.in(directory, SECURED);
        List<String> seen = Collections.synchronizedList(new ArrayList<>());
        HttpsServer other = HttpsServer.create(new InetSocketAddress(SECURED, 0), 0);
        other.setHttpsConfigurator(new HttpsConfigurator(authority.context()));
        other.createContext("/token", exchange -> {
            String query = exchange.getRequestURI().getQuery();
            seen.add(query + " " + exchange.getRequestHeaders().getFirst("Authorization"));
            answer(exchange, ("{\"token\":\"" + authority.token() + "\"}").getBytes(UTF_8));
        });
        other.createContext("/docker/", exchange -> {
            seen.add("blob " + exchange.getRequestHeaders().getFirst("Authorization"));
            String path = exchange.getRequestURI().getPath().substring(1);
            answer(exchange, Files.readAllBytes(directory.resolve("registry").resolve(path)));
        });
        other.start();
        try {
            String top = "https://" + SECURED + ":" + other.getAddress().getPort();
            String place = startSecured("auth: {token: {realm: '"
                    + top
                    + "/token', service: kernels, issuer: site, rootcertbundle: '"
                    + authority.certificate()
                    + "'}}\nmiddleware: {storage: [{name: redirect, options: {baseurl: '"
                    + top
                    + "'}}]}\n");
            System.setProperty("user.home", directory.toString());
            trust(authority);
            logIn(SECURED + ":" + port);
            KernelStore store = store("store");
            store.put(StoreTarget.kernel("6.1.0-9"), null);
            assertThat(push(place, store)).hasSize(2);
            seen.clear();
            assertThat(pull(place, store("other"))).hasSize(1);
            assertThat(seen)
                    .containsExactly(
                            "service=kernels&scope=repository:site/kernels:pull Basic Y2k6c2VjcmV0",
                            "blob null",
                            "blob null");
        } finally {
            other.stop(0);
        }
    }

    private static void answer(HttpExchange exchange, byte[] body) throws IOException {
        exchange.sendResponseHeaders(200, exchange.getRequestMethod().equals("HEAD") ? -1 : body.length);
        exchange.getResponseBody().write(body);
        exchange.close();
    }

    /** Certificates, and tokens that a registry which knows the certificate takes. */
    private record Authority(Path certificate, Path key, SSLContext context, PrivateKey signing) {
        static Authority in(Path directory, String address) throws IOException {
            String openssl = ExternalTool.orSkip("openssl").path().toString();
            Path certificate = directory.resolve("tls.pem");
            Path key = directory.resolve("tls.key");
            Path both = directory.resolve("tls.p12");
            if (!Files.exists(both)) {
                run(
                        openssl,
                        "req",
                        "-x509",
                        "-newkey",
                        "rsa:2048",
                        "-nodes",
                        "-days",
                        "2",
                        "-subj",
                        "/CN=" + address,
                        "-addext",
                        "subjectAltName=IP:" + address,
                        "-keyout",
                        key.toString(),
                        "-out",
                        certificate.toString());
                run(
                        openssl,
                        "pkcs12",
                        "-export",
                        "-passout",
                        "pass:x",
                        "-inkey",
                        key.toString(),
                        "-in",
                        certificate.toString(),
                        "-out",
                        both.toString());
            }
            char[] password = {'x'};
            try (InputStream in = Files.newInputStream(both)) {
                KeyStore keys = KeyStore.getInstance("PKCS12");
                keys.load(in, password);
                KeyManagerFactory managers = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
                managers.init(keys, password);
                SSLContext context = SSLContext.getInstance("TLS");
                context.init(managers.getKeyManagers(), null, null);
                String alias = keys.aliases().nextElement();
                return new Authority(certificate, key, context, (PrivateKey) keys.getKey(alias, password));
            } catch (GeneralSecurityException e) {
                throw new IOException(e);
            }
        }

        private static void run(String... command) throws IOException {
            Process process =
                    new ProcessBuilder(command).redirectErrorStream(true).start();
            byte[] said = process.getInputStream().readAllBytes();
            assertThat(process.onExit().join().exitValue())
                    .as(new String(said, UTF_8))
                    .isZero();
        }

        /** A JSON web token that lets anybody do everything. */
        String token() throws IOException {
            String pem = Files.readString(certificate).replaceAll("-----[A-Z ]+-----|\\s", "");
            long now = System.currentTimeMillis() / 1000;
            String signed = part("{\"typ\":\"JWT\",\"alg\":\"RS256\",\"x5c\":[\"" + pem + "\"]}")
                    + "."
                    + part("{\"iss\":\"site\",\"sub\":\"ci\",\"aud\":\"kernels\",\"jti\":\"1\",\"iat\":"
                            + now
                            + ",\"nbf\":"
                            + (now - 60)
                            + ",\"exp\":"
                            + (now + 600)
                            + ",\"access\":[{\"type\":\"repository\",\"name\":\"site/kernels\","
                            + "\"actions\":[\"pull\",\"push\"]}]}");
            try {
                Signature signature = Signature.getInstance("SHA256withRSA");
                signature.initSign(signing);
                signature.update(signed.getBytes(UTF_8));
                return signed + "." + part(signature.sign());
            } catch (GeneralSecurityException e) {
                throw new IOException(e);
            }
        }

        private static String part(String text) {
            return part(text.getBytes(UTF_8));
        }

        private static String part(byte[] bytes) {
            return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
        }
    }

    /** What a registry says that is none, or one that somebody has taken over. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "302 Location http://[",
                "302 Location mailto:x",
                "302 Location https:opaque",
                "307 Location file:///etc/passwd",
                "302 Location /again",
                "401 WWW-Authenticate Bearer realm=\"http://[\"",
                "401 WWW-Authenticate Bearer realm=\"ftp://localhost/\"",
                "401 WWW-Authenticate Bearer",
                "401 WWW-Authenticate Basic",
                "200 X {\"token\":",
                "500 X x",
            })
    void aRegistryThatMakesNoSenseIsReportedAndNothingIsTaken(String answer) throws Exception {
        String[] words = answer.split(" ", 3);
        HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
        server.createContext("/", exchange -> {
            exchange.getResponseHeaders().add(words[1], words[2]);
            byte[] body = words[2].getBytes(UTF_8);
            exchange.sendResponseHeaders(Integer.parseInt(words[0]), body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        server.start();
        try {
            String place = "localhost:" + server.getAddress().getPort() + "/site/kernels";
            assertThatThrownBy(() -> pull(place, store("store"))).isInstanceOf(IOException.class);
        } finally {
            server.stop(0);
        }
        assertThat(directory.resolve("store")).doesNotExist();
    }

    @Test
    void oneBadKernelOfALibraryCostsNoOther() throws Exception {
        KernelStore store = store("store");
        StoreEntry good = store.put(StoreTarget.kernel("6.1.0-9"), null);
        StoreEntry bad = store.put(StoreTarget.kernel("6.1.0-10"), null);
        String layout = "oci:" + directory.resolve("layout");
        push(layout, store);
        Path blob = directory.resolve("layout/blobs/sha256").resolve(KernelArchive.hex(Files.readAllBytes(bad.file())));
        Files.write(blob, new byte[10]);

        KernelStore other = store("other");
        assertThatThrownBy(() -> pull(layout, other))
                .hasMessage(bad.file().getFileName() + " is not what its digest says; not taken");
        assertThat(other.entries()).extracting(StoreEntry::name).containsExactly(good.name());
    }

    /** Its archive shares other rows there, and so has another digest. */
    @Test
    void aKernelThatTheStoreHasByAnotherNameIsNotFetched() throws Exception {
        TargetKernel both = StoreTarget.kernel("6.1.0-10");
        TargetKernel older = StoreTarget.kernel("6.1.0-9").exporting(StoreTarget.exports(8));
        KernelStore store = store("store");
        store.put(older, null);
        StoreEntry theirs = store.put(both, null);
        KernelStore other = store("other");
        StoreEntry ours = other.put(both, null);
        assertThat(ours.digest()).isNotEqualTo(theirs.digest());
        String layout = "oci:" + directory.resolve("layout");
        push(layout, store);
        Files.delete(
                directory.resolve("layout/blobs/sha256").resolve(KernelArchive.hex(Files.readAllBytes(theirs.file()))));

        assertThat(pull(layout, other)).singleElement().asString().startsWith("6.1.0-9@");
        assertThat(pull(layout, other)).isEmpty();
        assertThat(other.entries()).hasSize(2).contains(ours);
        KernelStore third = store("third");
        third.put(older, null);
        third.put(both, null);
        push(layout, other);
        assertThat(pull(layout, third)).isEmpty();
    }

    /** As where a library is made of headers, and a machine has kept the kernel it runs. */
    @Test
    void aKernelKnownByItsHeadersGivesWayToOneOfWhichMoreIsKnown() throws Exception {
        TargetKernel full = StoreTarget.kernel("6.1.0-9");
        TargetKernel headers = Records.with(full, "vermagic", null, "structModuleSize", -1L);
        KernelStore store = store("store");
        store.put(headers, null);
        KernelStore other = store("other");
        StoreEntry ours = other.put(full, null);
        assertThat(other.put(headers, null)).isEqualTo(ours);
        String layout = "oci:" + directory.resolve("layout");
        push(layout, store);
        assertThat(pull(layout, other)).isEmpty();
        assertThat(other.entries()).containsExactly(ours);
        push(layout, other);
        assertThat(pull(layout, store)).hasSize(1);
        assertThat(store.entries())
                .singleElement()
                .extracting(StoreEntry::digest)
                .isEqualTo(ours.digest());
        StoreEntry typed = store.put(full, new byte[] {1});
        assertThat(store.entries()).containsExactly(typed);
        store.put(full.exporting(StoreTarget.exports(8)), null);
        assertThat(store.entries()).hasSize(2);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "oci", "host", "host/NAME", "https://host/name", "host/../x?y", "h/n:a b"})
    void whatIsNoPlaceIsRefused(String name) {
        assertThatThrownBy(() -> KernelLibrary.at(name)).hasMessage("a library is oci:DIRECTORY or HOST/NAME:TAG");
    }
}
