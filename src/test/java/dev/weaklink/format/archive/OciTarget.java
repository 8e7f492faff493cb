package dev.weaklink.format.archive;

import dev.weaklink.format.archive.OciImage.OciManifest;
import dev.weaklink.testing.FuzzTarget;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Indexes and manifests of OCI images. */
public final class OciTarget implements FuzzTarget {
    @Override
    public void take(byte[] bytes) {
        try {
            OciManifest.parse(bytes);
        } catch (IOException e) {
            PackageTarget.requireOneLine(e.getMessage());
        }
    }

    @Override
    public List<byte[]> seeds() {
        return List.of(
                text("{\"schemaVersion\":2,\"manifests\":[{\"digest\":\"sha256:00\","
                        + "\"platform\":{\"architecture\":\"amd64\",\"os\":\"linux\"}}]}"),
                text("{\"layers\":[{\"digest\":\"sha256:01\",\"size\":5}],\"config\":{}}"));
    }

    private static byte[] text(String json) {
        return json.getBytes(StandardCharsets.UTF_8);
    }
}
