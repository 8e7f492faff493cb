package dev.weaklink.archive;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A container image in a directory of OCI image layout: its layers, read from the topmost down, so
 * that only entries show that a container would see. Digests are not verified.
 */
final class OciImage implements OpenPackage {
  private static final int MAX_INDEXES = 4;

  /** An image of this architecture is none, but an attestation about another. */
  private static final String UNKNOWN = "unknown";

  private final OciBlobs blobs;
  private final List<OciManifest.Descriptor> layers;
  private final List<OciManifest.Descriptor> others;

  private OciImage(
      OciBlobs blobs, List<OciManifest.Descriptor> layers, List<OciManifest.Descriptor> others) {
    this.blobs = blobs;
    this.layers = layers;
    this.others = others;
  }

  static OciImage open(Path directory) throws IOException {
    OciBlobs blobs = OciBlobs.in(directory);
    List<OciManifest.Descriptor> others = new ArrayList<>();
    OciManifest manifest = blobs.index();
    for (int i = 0; i < MAX_INDEXES && !manifest.images().isEmpty(); i++) {
      List<OciManifest.Descriptor> images = new ArrayList<>(manifest.images());
      images.removeIf(image -> image.architecture().equals(UNKNOWN));
      if (images.isEmpty()) {
        break;
      }
      others.addAll(images.subList(1, images.size()));
      manifest = blobs.manifest(images.get(0));
    }
    if (manifest.layers().isEmpty()) {
      throw new MalformedArchiveException("an image layout without an image");
    }
    return new OciImage(blobs, manifest.layers(), others);
  }

  @Override
  public PackageInfo info() {
    return PackageInfo.unnamed(PackageKind.OCI);
  }

  @Override
  public void walk(PackageWalk walk) throws IOException {
    for (OciManifest.Descriptor other : others) {
      walk.problem("/index.json", "another image in it, " + named(other) + "; not read");
    }
    UpperLayers upper = new UpperLayers();
    for (int i = layers.size() - 1; i >= 0; i--) {
      layer(layers.get(i), upper, walk);
      upper.descend();
    }
  }

  private static String named(OciManifest.Descriptor image) {
    return image.architecture().isEmpty() ? image.digest() : image.architecture();
  }

  private void layer(OciManifest.Descriptor layer, UpperLayers upper, PackageWalk walk)
      throws IOException {
    try (UnpackedStream in = UnpackedStream.open(blobs.open(layer), walk.budget())) {
      TarReader tar = new TarReader(in);
      for (RawEntry entry = tar.next(); entry != null; entry = tar.next()) {
        String path = walk.accept(entry);
        if (path != null && upper.shows(path, entry.type())) {
          walk.visit(path, entry, tar.contents());
        }
      }
    }
  }

  @Override
  public void close() {
    // Every layer is closed as soon as it has been read.
  }
}
