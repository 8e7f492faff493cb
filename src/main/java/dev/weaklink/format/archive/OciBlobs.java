package dev.weaklink.format.archive;

import java.io.IOException;
import java.io.InputStream;
import java.util.HexFormat;

/**
 * The blobs of an OCI image layout. What is read to its end is what its digest says, or refused.
 */
final class OciBlobs {
  static final String LAYOUT = "/oci-layout";
  static final String INDEX = "/index.json";
  private static final int MAX_MANIFEST = 4 << 20;

  private final ImageFiles files;

  OciBlobs(ImageFiles files) {
    this.files = files;
  }

  OciManifest index() throws IOException {
    try (ImageMember file = files.open(INDEX)) {
      return OciManifest.parse(bytes(file.contents()));
    }
  }

  OciManifest manifest(OciManifest.Descriptor descriptor) throws IOException {
    try (ImageMember file = open(descriptor)) {
      return OciManifest.parse(bytes(verified(descriptor, file)));
    }
  }

  ImageMember open(OciManifest.Descriptor descriptor) throws IOException {
    String digest = descriptor.digest();
    int colon = digest.indexOf(':');
    hex(digest);
    return files.open("/blobs/" + digest.substring(0, colon) + "/" + digest.substring(colon + 1));
  }

  /** The contents of an open blob, which end with an error if they are others. */
  static InputStream verified(OciManifest.Descriptor descriptor, ImageMember file)
      throws IOException {
    ContentDigest digest = ContentDigest.of(hex(descriptor.digest()));
    return digest == null ? file.contents() : digest.verified(file.contents(), file.size());
  }

  /** All of a manifest or index. */
  static byte[] bytes(InputStream in) throws IOException {
    byte[] bytes = in.readNBytes(MAX_MANIFEST + 1);
    if (bytes.length > MAX_MANIFEST) {
      throw new MalformedArchiveException("corrupt image: a manifest is too long");
    }
    return bytes;
  }

  /** What follows the algorithm; with sha256 or sha512 before it, which the length must fit. */
  private static byte[] hex(String digest) throws MalformedArchiveException {
    int colon = digest.indexOf(':');
    if (digest.startsWith("sha256:") || digest.startsWith("sha512:")) {
      try {
        byte[] bytes = HexFormat.of().parseHex(digest.substring(colon + 1));
        if (bytes.length * Byte.SIZE == Integer.parseInt(digest.substring(3, colon))) {
          return bytes;
        }
      } catch (IllegalArgumentException e) {
        // no digits
      }
    }
    throw new MalformedArchiveException("corrupt image: a blob's name is not a digest");
  }
}
