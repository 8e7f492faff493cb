package dev.weaklink.kernel.store;

import dev.weaklink.format.json.JsonTree;
import dev.weaklink.sys.Ownership;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.HttpsURLConnection;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509TrustManager;
import org.jspecify.annotations.Nullable;

/**
 * An artefact in a registry, by its HTTP API (OCI distribution specification), with the credentials that podman and
 * docker keep. Only a registry on this machine is spoken to without TLS, as they do.
 */
final class OciRegistry implements KernelLibrary.Place {
    private static final Pattern NAME = Pattern.compile(
            "(?:docker://)?([A-Za-z0-9.-]+(?::[0-9]{1,5})?)/([a-z0-9._/-]{1,255})(?::([A-Za-z0-9_.-]{1,128}))?");
    private static final Pattern PARAMETER = Pattern.compile("([a-z]+)=\"([^\"]*)\"");
    private static final int TIMEOUT_MILLIS = 60_000;
    private static final int MOST_REDIRECTS = 5;
    private static final int MOST_OF_ANSWER = 1 << 20;
    private static final String ANY = "application/octet-stream";

    private final String host;
    private final URI top;
    private final String tag;
    private @Nullable String authorization;
    private @Nullable SSLSocketFactory trust;

    /** What keeps the password instead of a file, and which file says so; empty if none does. */
    private String helper = "";

    private OciRegistry(String host, URI top, String tag) {
        this.host = host;
        this.top = top;
        this.tag = tag;
    }

    static OciRegistry of(String name) throws IOException {
        Matcher parts = NAME.matcher(name);
        if (!parts.matches()) {
            throw new IOException("a library is oci:DIRECTORY or HOST/NAME:TAG");
        }
        String host = parts.group(1);
        boolean local = host.matches("(localhost|127\\.0\\.0\\.1)(:.*)?");
        URI top = URI.create((local ? "http://" : "https://") + host + "/v2/" + parts.group(2) + "/");
        return new OciRegistry(host, top, parts.group(3) == null ? "latest" : parts.group(3));
    }

    private record Answer(int status, byte[] body, @Nullable String location) {}

    @Override
    public boolean has(String digest) throws IOException {
        URI blob = top.resolve("blobs/sha256:" + digest);
        return done("HEAD", send("HEAD", blob, null, ANY, 0), 200, 404).status() == 200;
    }

    @Override
    public void put(String digest, byte[] bytes) throws IOException {
        URI uploads = top.resolve("blobs/uploads/");
        Answer begun = done("POST", send("POST", uploads, new byte[0], ANY, MOST_OF_ANSWER), 202);
        if (begun.location() == null) {
            throw new IOException(host + ": takes no upload: no Location in its answer");
        }
        URI place = address(uploads, begun.location());
        String more = (place.getRawQuery() == null ? "?" : "&") + "digest=sha256:" + digest;
        done("PUT", send("PUT", address(uploads, place + more), bytes, ANY, MOST_OF_ANSWER), 201);
    }

    @Override
    public byte[] get(String digest, int limit) throws IOException {
        URI blob = top.resolve("blobs/sha256:" + digest);
        return done("GET", send("GET", blob, null, ANY, limit), 200).body();
    }

    @Override
    public byte @Nullable [] manifest() throws IOException {
        URI manifest = top.resolve("manifests/" + tag);
        Answer answer = send("GET", manifest, null, KernelLibrary.MANIFEST, KernelArchive.LIMIT);
        return done("GET", answer, 200, 404).status() == 404 ? null : answer.body();
    }

    @Override
    public void put(byte[] manifest) throws IOException {
        URI place = top.resolve("manifests/" + tag);
        done("PUT", send("PUT", place, manifest, KernelLibrary.MANIFEST, MOST_OF_ANSWER), 201);
    }

    private Answer done(String method, Answer answer, int... good) throws IOException {
        for (int status : good) {
            if (answer.status() == status) {
                return answer;
            }
        }
        String hint = helper;
        if (hint.isEmpty()) {
            hint = "; log in with 'podman login " + host + "' or 'docker login " + host + "'";
        }
        boolean isRefused = answer.status() == 401 || answer.status() == 403;
        String what = host + " answers " + method + " with " + answer.status();
        throw new IOException(what + (isRefused ? hint : ""));
    }

    /** Sends a request, and once more with what the registry asks for to let somebody in. */
    private Answer send(String method, URI place, byte @Nullable [] body, String type, int limit) throws IOException {
        URI at = place;
        for (int tries = 0; tries < MOST_REDIRECTS; tries++) {
            boolean own = top.getAuthority().equals(at.getAuthority());
            if (!at.getScheme().equals(top.getScheme()) && !"https".equals(at.getScheme())) {
                throw new IOException(host + " leads to " + at.getHost() + " without TLS; not followed");
            }
            HttpURLConnection connection = open(method, at, own ? authorization : null);
            connection.setRequestProperty(body == null ? "Accept" : "Content-Type", type);
            int status = status(connection, body);
            String location = connection.getHeaderField("Location");
            String wanted = connection.getHeaderField("WWW-Authenticate");
            if (status == 401 && own && authorization == null && wanted != null) {
                authorization = authorization(wanted);
                if (authorization == null) {
                    return new Answer(status, new byte[0], null);
                }
            } else if (status >= 301 && status <= 308 && location != null && body == null) {
                at = address(at, location);
            } else {
                return new Answer(status, read(connection, status, limit), location);
            }
            connection.disconnect();
        }
        throw new IOException(host + " leads from one address to another; given up");
    }

    /** What the registry names as an address. */
    private URI address(URI base, String text) throws IOException {
        try {
            URI found = base.resolve(text);
            if (found.getHost() != null) {
                return found;
            }
        } catch (IllegalArgumentException e) {
            // the same as one without a host
        }
        throw new IOException(host + " names an address that cannot be used");
    }

    private int status(HttpURLConnection connection, byte @Nullable [] body) throws IOException {
        try {
            if (body != null) {
                connection.setDoOutput(true);
                connection.setFixedLengthStreamingMode(body.length);
                try (OutputStream out = connection.getOutputStream()) {
                    out.write(body);
                }
            }
            return connection.getResponseCode();
        } catch (SSLException e) {
            Throwable why = e;
            while (why.getCause() != null) {
                why = why.getCause();
            }
            String ours = RegistryTrust.USUAL + "/" + host + "/ca.crt";
            throw new IOException(
                    host + " cannot be trusted (" + why.getMessage() + "); the site's own authority goes in " + ours,
                    e);
        }
    }

    private HttpURLConnection open(String method, URI place, @Nullable String authorization) throws IOException {
        HttpURLConnection connection = (HttpURLConnection) place.toURL().openConnection();
        if (connection instanceof HttpsURLConnection secured) {
            SSLSocketFactory known = trust == null ? RegistryTrust.of(host) : trust;
            trust = known;
            secured.setSSLSocketFactory(known);
        }
        connection.setRequestMethod(method);
        connection.setInstanceFollowRedirects(false);
        connection.setConnectTimeout(TIMEOUT_MILLIS);
        connection.setReadTimeout(TIMEOUT_MILLIS);
        if (authorization != null) {
            connection.setRequestProperty("Authorization", authorization);
        }
        return connection;
    }

    private byte[] read(HttpURLConnection connection, int status, int limit) throws IOException {
        if (status >= 400 || limit == 0) {
            return new byte[0];
        }
        try (InputStream in = connection.getInputStream()) {
            byte[] bytes = in.readNBytes(limit);
            if (in.read() >= 0) {
                throw new IOException(host + " sends more than the " + limit + " bytes expected");
            }
            return bytes;
        }
    }

    /** By a token, for which the registry names a place; or by name and password. */
    private @Nullable String authorization(String wanted) throws IOException {
        String basic = credentials();
        if (!wanted.startsWith("Bearer ")) {
            return basic;
        }
        String realm = "";
        List<String> query = new ArrayList<>();
        Matcher parameters = PARAMETER.matcher(wanted);
        while (parameters.find()) {
            if (parameters.group(1).equals("realm")) {
                realm = parameters.group(2);
            } else if (parameters.group(1).matches("service|scope")) {
                String value = URLEncoder.encode(parameters.group(2), StandardCharsets.UTF_8);
                query.add(parameters.group(1) + "=" + value);
            }
        }
        if (!realm.startsWith("https://")
                && !(realm.startsWith("http://") && top.getScheme().equals("http"))) {
            throw new IOException(host + " names no safe place for tokens");
        }
        URI place = address(top, realm + (realm.contains("?") ? "&" : "?") + String.join("&", query));
        HttpURLConnection connection = open("GET", place, basic);
        int status = status(connection, null);
        JsonTree token =
                JsonTree.read(done("GET", new Answer(status, read(connection, status, MOST_OF_ANSWER), null), 200)
                        .body());
        String value = token.require(token.hasText("token") ? "token" : "access_token");
        if (!value.chars().allMatch(c -> c > ' ' && c < 0x7f)) {
            throw new IOException(host + " gives a token that is not one");
        }
        return "Bearer " + value;
    }

    /** From the first file that has some for this registry; null if none has. */
    private @Nullable String credentials() throws IOException {
        String home = System.getProperty("user.home", "/root");
        List<Path> files = new ArrayList<>();
        addIfSet(System.getenv("REGISTRY_AUTH_FILE"), "", files);
        String runtime = System.getenv("XDG_RUNTIME_DIR");
        boolean isSet = runtime != null && !runtime.isEmpty();
        int user = Ownership.ofProcess().user();
        files.add(Path.of(isSet ? runtime + "/containers" : "/run/containers/" + user, "auth.json"));
        files.add(Path.of(home, ".config/containers/auth.json"));
        addIfSet(System.getenv("DOCKER_CONFIG"), "config.json", files);
        files.add(Path.of(home, ".docker/config.json"));
        for (Path file : files) {
            if (Files.isRegularFile(file)) {
                JsonTree json = JsonTree.read(Files.readAllBytes(file));
                JsonTree known = json.hasObject("auths") ? json.object("auths") : json;
                String auth = known.hasObject(host) ? known.object(host).text("auth") : null;
                if (auth != null) {
                    try {
                        Base64.getDecoder().decode(auth);
                    } catch (IllegalArgumentException e) {
                        throw new IOException(file + ": 'auth' of " + host + " is not base64", e);
                    }
                    helper = "";
                    return "Basic " + auth;
                }
                noteHelper(json, file);
            }
        }
        return null;
    }

    /** Programs that keep passwords are not run. */
    private void noteHelper(JsonTree json, Path file) throws IOException {
        boolean own =
                json.hasObject("credHelpers") && json.object("credHelpers").hasText(host);
        JsonTree place = own ? json.object("credHelpers") : json;
        String name = own || json.hasText("credsStore") ? place.text(own ? host : "credsStore") : null;
        if (name != null && helper.isEmpty()) {
            helper = "; "
                    + file
                    + " names the credential helper "
                    + name
                    + ", which is not used: log in with 'podman login --authfile auth.json "
                    + host
                    + "' and set REGISTRY_AUTH_FILE=auth.json";
        }
    }

    private static void addIfSet(@Nullable String directory, String name, List<Path> files) {
        if (directory != null && !directory.isEmpty()) {
            files.add(Path.of(directory, name));
        }
    }

    /**
     * Who may vouch for a registry: whom Java trusts, whom the system trusts, and whom podman and docker trust for this
     * registry ({@code certs.d/HOST:PORT/*.crt}).
     */
    private static final class RegistryTrust {
        private static final List<String> SYSTEM = List.of(
                "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/ca-bundle.pem");

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

        private static TrustManager[] managers(@Nullable KeyStore trusted) throws GeneralSecurityException {
            TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
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
            for (String place : List.of(home + "/.config/containers/certs.d", USUAL, "/etc/docker/certs.d")) {
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
}
