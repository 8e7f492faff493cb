package dev.weaklink.kernel.store;

import dev.weaklink.sys.ExternalCommand;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * An artefact in a registry. skopeo copies the artefact to and from a directory with an OCI image layout. For the
 * registry, skopeo uses the credentials, certificates, mirrors and policies that the system configures for podman.
 */
final class OciRegistry {
    private static final Pattern NAME = Pattern.compile(
            "(?:docker://)?([A-Za-z0-9.-]+(?::[0-9]{1,5})?)/([a-z0-9._/-]{1,255})(?::([A-Za-z0-9_.-]{1,128}))?");

    private static final Pattern FATAL = Pattern.compile(
            "level=fatal msg=\"(?:Error parsing image name \\\\\"[^\"]*\\\\\": )?((?:[^\"\\\\]|\\\\.)*)\"");
    private static final Duration LIMIT = Duration.ofHours(1);

    /** The maximum size of a manifest in bytes; skopeo and registries have the same limit. */
    private static final int MANIFEST_LIMIT = 4 << 20;

    private final String repository;
    private final String tag;

    private final boolean isLocal;

    private OciRegistry(String repository, String tag, boolean isLocal) {
        this.repository = "docker://" + repository;
        this.tag = tag;
        this.isLocal = isLocal;
    }

    static OciRegistry of(String name) throws IOException {
        Matcher parts = NAME.matcher(name);
        if (!parts.matches()) {
            throw new IOException("a library is oci:DIRECTORY or HOST/NAME:TAG");
        }
        String host = parts.group(1);
        boolean isLocal = host.matches("(localhost|127\\.0\\.0\\.1)(:.*)?");
        return new OciRegistry(
                host + "/" + parts.group(2), parts.group(3) == null ? "latest" : parts.group(3), isLocal);
    }

    /** Returns the manifest byte for byte, as its digest is computed from these bytes. */
    byte[] manifest() throws IOException {
        String printed = run(command("", "inspect", "--raw", repository + ":" + tag));
        // skopeo prints warnings before the manifest.
        int start = printed.startsWith("{") ? 0 : printed.indexOf("\n{") + 1;
        return printed.substring(start).getBytes(StandardCharsets.UTF_8);
    }

    void push(Path layout) throws IOException {
        run(command("dest-", "copy", layout(layout), repository + ":" + tag));
    }

    /**
     * Copies the artefact to a directory with an OCI image layout. Blobs that the directory already contains are not
     * fetched.
     *
     * @param manifest the SHA-256 digest of the manifest
     * @param largest the size in bytes of the largest file to fetch
     */
    void pull(String manifest, Path layout, long largest) throws IOException {
        List<String> words = new ArrayList<>(List.of("prlimit", "--fsize=" + Math.max(largest, MANIFEST_LIMIT)));
        words.addAll(command("src-", "copy", repository + "@sha256:" + manifest, layout(layout)));
        run(words);
    }

    /**
     * Returns a skopeo command.
     *
     * @param side the prefix of the options about the registry: {@code src-} or {@code dest-} to copy from or to the
     *     registry, else empty
     */
    private List<String> command(String side, String name, String... arguments) {
        List<String> words = new ArrayList<>(List.of("skopeo", name));
        if (isLocal) {
            words.add("--" + side + "tls-verify=false");
        }
        words.addAll(List.of(arguments));
        return words;
    }

    private static String layout(Path directory) throws IOException {
        String path = directory.toAbsolutePath().toString();
        if (path.indexOf(':') >= 0) {
            throw new IOException("skopeo cannot use a path that contains a colon: " + path);
        }
        return "oci:" + path;
    }

    private static String run(List<String> words) throws IOException {
        ExternalCommand.Result result;
        try {
            result = ExternalCommand.of(words, LIMIT)
                    .withOutputLimit(MANIFEST_LIMIT)
                    .run();
        } catch (IOException e) {
            throw new IOException(
                    "cannot start skopeo, which copies to and from registries; install the package skopeo, or use"
                            + " oci:DIRECTORY",
                    e);
        }
        if (!result.succeeded()) {
            throw new IOException("skopeo: " + reason(result));
        }
        return result.output();
    }

    /**
     * Returns the message of skopeo's log line {@code level=fatal msg="..."}, else the reason of the command's failure.
     */
    private static String reason(ExternalCommand.Result result) {
        Matcher fatal = FATAL.matcher(result.output());
        return fatal.find() ? fatal.group(1).replace("\\\"", "\"") : result.reason();
    }
}
