package dev.weaklink.format.archive;

import dev.weaklink.format.json.JsonTree;
import dev.weaklink.sys.UnreadableException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * What an OCI image index or manifest points to (OCI image specification, image-index.md and
 * manifest.md); the rest of it is passed over.
 *
 * @param images manifests and indexes, for an index
 * @param layers layers from the lowest to the topmost, for a manifest
 */
record OciManifest(List<Descriptor> images, List<Descriptor> layers) {
  /**
   * A pointer to a blob.
   *
   * @param digest its name, such as {@code sha256:…}; not checked here
   * @param architecture of an image, empty if not reported
   */
  record Descriptor(String digest, String architecture) {}

  static OciManifest parse(byte[] bytes) throws IOException {
    try {
      JsonTree json = JsonTree.read(bytes);
      return new OciManifest(descriptors(json, "manifests"), descriptors(json, "layers"));
    } catch (UnreadableException e) {
      throw new UnreadableException("corrupt image: a manifest " + e.reason(), e);
    }
  }

  /**
   * The names of the layers of each image, from the lowest to the topmost, as {@code docker save}
   * lists them in its manifest.json.
   */
  static List<List<String>> dockerLayers(byte[] bytes) throws IOException {
    String list = new String(bytes, StandardCharsets.UTF_8);
    byte[] object = ("{\"images\":" + list + "}").getBytes(StandardCharsets.UTF_8);
    try {
      return JsonTree.read(object).list("images", image -> image.texts("Layers"));
    } catch (UnreadableException e) {
      throw new UnreadableException("corrupt image: a manifest " + e.reason(), e);
    }
  }

  private static List<Descriptor> descriptors(JsonTree json, String key)
      throws UnreadableException {
    return json.listIfAny(
        key,
        one -> {
          String digest = one.text("digest");
          String architecture =
              one.hasObject("platform") ? one.object("platform").text("architecture") : null;
          return new Descriptor(
              digest == null ? "" : digest, architecture == null ? "" : architecture);
        });
  }
}
