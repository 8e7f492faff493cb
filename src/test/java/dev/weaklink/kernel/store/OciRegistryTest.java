package dev.weaklink.kernel.store;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import dev.weaklink.kernel.TargetKernel;
import dev.weaklink.testing.ExternalTool;
import dev.weaklink.testing.Records;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests with a real registry on this machine (Debian's docker-registry) and the real skopeo. */
class OciRegistryTest {
    /** The password file of the registry: user "ci", password "secret". */
    private static final String PASSWORDS = "ci:$2b$04$039GOmhYokc8dARS30qRuuhPpW7LtxnFSO8i9WckNMWHCK0JsBNLK\n";

    private static final String SECURED = "127.0.0.2";

    @TempDir
    Path directory;

    private Process registry;
    private int port;

    @AfterEach
    void stop() throws InterruptedException {
        if (registry != null) {
            registry.destroy();
            registry.waitFor();
        }
    }

    private String start(String more) throws IOException, InterruptedException {
        return start("127.0.0.1", "", more).replace("127.0.0.1", "localhost");
    }

    /** Starts a registry that requires TLS, as clients expect of all registries except those on localhost. */
    private String startSecured() throws IOException, InterruptedException {
        String certificate = directory.resolve("tls.pem").toString();
        String key = directory.resolve("tls.key").toString();
        ExternalTool.orSkip("openssl")
                .run(
                        "req",
                        "-x509",
                        "-newkey",
                        "rsa:2048",
                        "-nodes",
                        "-days",
                        "2",
                        "-subj",
                        "/CN=" + SECURED,
                        "-addext",
                        "subjectAltName=IP:" + SECURED,
                        "-keyout",
                        key,
                        "-out",
                        certificate);
        return start(SECURED, ", tls: {certificate: '" + certificate + "', key: '" + key + "'}", "");
    }

    private String start(String address, String tls, String more) throws IOException, InterruptedException {
        ExternalTool.orSkip("skopeo");
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
        StoreTransfer.at(place).push(store, store.entries(), names::add);
        return names;
    }

    private static List<String> pull(String place, KernelStore store) throws IOException {
        List<String> names = new ArrayList<>();
        StoreTransfer.at(place).pull(store, names::add);
        return names;
    }

    /** Returns the number of blobs that the registry has sent so far. */
    private long sentBlobs() throws IOException {
        return Files.readAllLines(directory.resolve("registry.log")).stream()
                .filter(line -> line.contains("\"GET /v2/site/kernels/blobs/"))
                .count();
    }

    @Test
    void transfersOnlyNewFiles() throws Exception {
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
        long first = sentBlobs();
        assertThat(pull(place, other)).singleElement().asString().startsWith("6.1.0-10@");
        assertThat(sentBlobs()).as("the kernel, and the empty configuration").isEqualTo(first + 2);
        assertThat(pull(place, other)).isEmpty();
        assertThat(sentBlobs()).isEqualTo(first + 2);
        assertThat(other.list().corrupt()).isEmpty();
        assertThat(KernelStore.types(other.named("6.1.0-9").get(0).file())).isEqualTo(types);
        assertThatThrownBy(() -> pull(place + "0", other))
                .hasMessageStartingWith("skopeo: ")
                .hasMessageContaining("manifest unknown");
        try (Stream<Path> files = Files.list(other.directory())) {
            assertThat(files).hasSize(3);
        }
    }

    @Test
    void rejectsABlobThatWasChangedInTheRegistry() throws Exception {
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
        assertFails(() -> pull(place, store("other")), "Digest did not match");
        assertEmpty(store("other"));
    }

    private static void assertEmpty(KernelStore store) throws IOException {
        try (Stream<Path> files = Files.list(store.directory())) {
            assertThat(files).isEmpty();
        }
    }

    private static void assertFails(ThrowingCallable copy, String reason) {
        assertThatThrownBy(copy)
                .hasMessageStartingWith("skopeo: ")
                .hasMessageContaining(reason)
                .hasMessageNotContaining("\n");
    }

    @Test
    void namesARegistryThatWantsALogin() throws Exception {
        Path passwords = Files.writeString(directory.resolve("htpasswd"), PASSWORDS);
        String place = start("auth: {htpasswd: {realm: site, path: '" + passwords + "'}}\n");
        KernelStore store = store("store");
        store.put(StoreTarget.kernel("6.1.0-9"), null);
        assertFails(() -> push(place, store), "authentication required");
        assertFails(() -> pull(place, store), "authentication required");
    }

    @Test
    void namesARegistryWhoseCertificateIsNotTrusted() throws Exception {
        String place = startSecured();
        KernelStore store = store("store");
        store.put(StoreTarget.kernel("6.1.0-9"), null);
        assertFails(() -> push(place, store), "certificate");
        assertFails(() -> pull(place, store), "certificate");
    }

    @ParameterizedTest
    @ValueSource(strings = {"302 Location http://[", "302 Location /again", "200 X {\"token\":", "500 X x"})
    void rejectsAServerThatIsNotARegistry(String answer) throws Exception {
        ExternalTool.orSkip("skopeo");
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
    void stopsARegistryThatSendsMoreThanItsManifestSays() throws Exception {
        ExternalTool.orSkip("skopeo");
        KernelStore store = store("store");
        store.put(StoreTarget.kernel("6.1.0-9"), null);
        Path layout = directory.resolve("layout");
        push("oci:" + layout, store);
        Matcher digest =
                Pattern.compile("sha256:([0-9a-f]{64})").matcher(Files.readString(layout.resolve("index.json")));
        assertThat(digest.find()).isTrue();
        byte[] manifest = Files.readAllBytes(layout.resolve("blobs/sha256").resolve(digest.group(1)));
        HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
        server.setExecutor(Executors.newCachedThreadPool());
        server.createContext("/v2/", exchange -> {
            boolean isBlob = exchange.getRequestURI().getPath().contains("/blobs/");
            exchange.getResponseHeaders().add("Content-Type", "application/vnd.oci.image.manifest.v1+json");
            exchange.sendResponseHeaders(200, 0);
            try (OutputStream out = exchange.getResponseBody()) {
                byte[] part = isBlob ? new byte[1 << 20] : manifest;
                for (int i = 0; i < (isBlob ? 64 : 1); i++) {
                    out.write(part);
                }
            } catch (IOException e) {
                // skopeo has ended
            }
        });
        server.start();
        KernelStore other = store("other");
        try {
            String place = "localhost:" + server.getAddress().getPort() + "/site/kernels";
            assertThatThrownBy(() -> pull(place, other))
                    .hasMessageStartingWith("skopeo: ")
                    .hasMessageNotContaining("\n");
        } finally {
            server.stop(0);
        }
        assertEmpty(other);
    }

    @Test
    void rejectsALibraryWithRepeatedOrTooManyFiles() throws Exception {
        assertThatThrownBy(() -> pull(libraryOfOneFile(2), store("store")))
                .hasMessageStartingWith("not a library of kernels: 6.1.0-9@")
                .hasMessageEndingWith(" is in it twice");
        assertThatThrownBy(() -> pull(libraryOfOneFile(80_000), store("store")))
                .hasMessage("has 80000 files; the limit is 10000");
        assertThat(directory.resolve("store")).doesNotExist();
    }

    /** Writes a library whose manifest lists one kernel several times. */
    private String libraryOfOneFile(int times) throws IOException {
        String digest = "0".repeat(64);
        String layer = "{\"digest\":\"sha256:" + digest + "\",\"size\":1,\"annotations\":"
                + "{\"org.opencontainers.image.title\":\"6.1.0-9@" + digest + ".kernel.zip\"}}";
        byte[] manifest = ("{\"artifactType\":\"application/vnd.weaklink.kernels.v1\",\"layers\":["
                        + String.join(",", Collections.nCopies(times, layer))
                        + "]}")
                .getBytes(UTF_8);
        Path layout = directory.resolve("repeated");
        Files.createDirectories(layout.resolve("blobs/sha256"));
        Files.write(layout.resolve("blobs/sha256").resolve(KernelArchive.hex(manifest)), manifest);
        Files.writeString(
                layout.resolve("index.json"),
                "{\"manifests\":[{\"digest\":\"sha256:" + KernelArchive.hex(manifest) + "\"}]}");
        return "oci:" + layout;
    }

    @Test
    void damagedKernelDoesNotPreventOthers() throws Exception {
        KernelStore store = store("store");
        StoreEntry good = store.put(StoreTarget.kernel("6.1.0-9"), null);
        StoreEntry bad = store.put(StoreTarget.kernel("6.1.0-10"), null);
        String layout = "oci:" + directory.resolve("layout");
        push(layout, store);
        Path blob = directory.resolve("layout/blobs/sha256").resolve(KernelArchive.hex(Files.readAllBytes(bad.file())));
        Files.write(blob, new byte[10]);

        KernelStore other = store("other");
        assertThatThrownBy(() -> pull(layout, other))
                .hasMessage(bad.file().getFileName() + " does not match its digest; not added");
        assertThat(other.entries()).extracting(StoreEntry::name).containsExactly(good.name());
    }

    /** Stores the same kernel twice. One archive shares other exports, and so has another digest. */
    @Test
    void doesNotFetchAKernelThatTheStoreHasUnderAnotherName() throws Exception {
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

    /** Combines kernels known by their headers with a store of the kernels that a machine ran. */
    @Test
    void replacesAKernelThatIsKnownOnlyByItsHeaders() throws Exception {
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
    void rejectsInvalidLibraryNames(String name) {
        assertThatThrownBy(() -> StoreTransfer.at(name)).hasMessage("a library is oci:DIRECTORY or HOST/NAME:TAG");
    }
}
