package dev.weaklink.archive;

import dev.weaklink.sys.Root;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;

/** The files of an OCI image layout, every link resolved inside its directory. */
final class OciBlobs {
  private static final int MAX_MANIFEST = 4 << 20;
  private static final String LAYOUT = "oci-layout";

  private final Root root;

  private OciBlobs(Root root) {
    this.root = root;
  }

  static boolean isLayout(Path directory) {
    return Files.isRegularFile(directory.resolve(LAYOUT));
  }

  static OciBlobs in(Path directory) throws IOException {
    return new OciBlobs(Root.of(directory));
  }

  OciManifest index() throws IOException {
    return manifest("/index.json");
  }

  OciManifest manifest(OciManifest.Descriptor descriptor) throws IOException {
    return manifest(path(descriptor.digest()));
  }

  InputStream open(OciManifest.Descriptor descriptor) throws IOException {
    return open(path(descriptor.digest()));
  }

  private OciManifest manifest(String inside) throws IOException {
    try (InputStream in = open(inside)) {
      byte[] bytes = in.readNBytes(MAX_MANIFEST + 1);
      if (bytes.length > MAX_MANIFEST) {
        throw new MalformedArchiveException("corrupt image: a manifest is too long");
      }
      return OciManifest.parse(bytes);
    }
  }

  /** A pipe would wait for a writer. */
  private InputStream open(String inside) throws IOException {
    Path file = root.resolve(inside);
    if (!Files.exists(file)) {
      throw new MalformedArchiveException("incomplete image: " + inside + " is missing");
    }
    if (!Files.readAttributes(file, BasicFileAttributes.class).isRegularFile()) {
      throw new MalformedArchiveException("corrupt image: " + inside + "is not a file");
    }
    return Files.newInputStream(file);
  }

  /** {@code algorithm:hex} is {@code blobs/algorithm/hex}. */
  private static String path(String digest) throws MalformedArchiveException {
    int colon = digest.indexOf(':');
    if (colon <= 0 || !isName(digest, 0, colon) || !isName(digest, colon + 1, digest.length())) {
      throw new MalformedArchiveException("corrupt image: a blob's name is not a digest");
    }
    return "/blobs/" + digest.substring(0, colon) + "/" + digest.substring(colon + 1);
  }

  private static boolean isName(String text, int start, int end) {
    for (int i = start; i < end; i++) {
      char c = text.charAt(i);
      if ((c < '0' || c > '9') && (c < 'a' || c > 'z')) {
        return false;
      }
    }
    return end > start && end - start <= 128;
  }
}
