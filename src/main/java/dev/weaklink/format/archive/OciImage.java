package dev.weaklink.format.archive;

import dev.weaklink.sys.Root;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A container image in OCI image layout, in a directory or an archive, or as {@code docker save}
 * wrote it: its layers, read from the topmost down, so that only entries show that a container
 * would see.
 */
final class OciImage implements OpenPackage {
  private static final int MAX_INDEXES = 4;
  private static final String DOCKER_MANIFEST = "/manifest.json";

  /** An image of this architecture is none, but an attestation about another. */
  private static final String UNKNOWN = "unknown";

  private final List<Layer> layers;
  private final List<String> others;

  private OciImage(List<Layer> layers, List<String> others) {
    this.layers = layers;
    this.others = others;
  }

  /** One of the archives that an image is made of. */
  private interface Layer {
    ImageMember open() throws IOException;

    /** All of an open one. */
    default InputStream contents(ImageMember file) throws IOException {
      return file.contents();
    }
  }

  private record Blob(OciBlobs blobs, OciManifest.Descriptor descriptor) implements Layer {
    @Override
    public ImageMember open() throws IOException {
      return blobs.open(descriptor);
    }

    @Override
    public InputStream contents(ImageMember file) throws IOException {
      return OciBlobs.verified(descriptor, file);
    }
  }

  static boolean isLayout(Path directory) {
    return Files.isRegularFile(directory.resolve("oci-layout"));
  }

  /** The image in a directory. */
  static OciImage open(Path directory) throws IOException {
    return open(new UnpackedFiles(Root.of(directory)));
  }

  /** The image among the files of an archive, null if there is none. */
  static @Nullable OciImage inArchive(ImageFiles files) throws IOException {
    if (files.has(OciBlobs.LAYOUT) && files.has(OciBlobs.INDEX)) {
      return open(files);
    }
    return files.has(DOCKER_MANIFEST) ? ofDocker(files) : null;
  }

  /** As docker wrote images before it wrote OCI layouts; skopeo and podman still do. */
  private static @Nullable OciImage ofDocker(ImageFiles files) throws IOException {
    List<List<String>> images;
    try (ImageMember file = files.open(DOCKER_MANIFEST)) {
      images = OciManifest.dockerLayers(OciBlobs.bytes(file.contents()));
    } catch (MalformedArchiveException e) {
      return null; // some other file of that name
    }
    if (images.isEmpty()) {
      return null;
    }
    List<Layer> layers = new ArrayList<>();
    for (String name : images.get(0)) {
      String path = EntryPath.of(name);
      if (path == null) {
        throw new MalformedArchiveException("corrupt image: a layer's name is not a path");
      }
      layers.add(() -> files.open(path));
    }
    List<String> others = new ArrayList<>();
    for (int i = 1; i < images.size(); i++) {
      others.add("number " + (i + 1));
    }
    return new OciImage(layers, others);
  }

  private static OciImage open(ImageFiles files) throws IOException {
    OciBlobs blobs = new OciBlobs(files);
    List<String> others = new ArrayList<>();
    OciManifest manifest = blobs.index();
    for (int i = 0; i < MAX_INDEXES && !manifest.images().isEmpty(); i++) {
      List<OciManifest.Descriptor> images = new ArrayList<>(manifest.images());
      images.removeIf(image -> image.architecture().equals(UNKNOWN));
      if (images.isEmpty()) {
        break;
      }
      images.subList(1, images.size()).forEach(other -> others.add(named(other)));
      manifest = blobs.manifest(images.get(0));
    }
    if (manifest.layers().isEmpty()) {
      throw new MalformedArchiveException("an image layout without an image");
    }
    List<Layer> layers = new ArrayList<>();
    manifest.layers().forEach(layer -> layers.add(new Blob(blobs, layer)));
    return new OciImage(layers, others);
  }

  @Override
  public PackageInfo info() {
    return PackageInfo.unnamed(PackageKind.OCI);
  }

  @Override
  public void walk(PackageWalk walk) throws IOException {
    for (String other : others) {
      walk.problem(OciBlobs.INDEX, "another image in it, " + other + "; not read");
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

  private static void layer(Layer layer, UpperLayers upper, PackageWalk walk) throws IOException {
    HardLinks links = new HardLinks(walk);
    read(
        layer,
        walk,
        (entry, contents) -> {
          String path = walk.accept(entry);
          if (path != null && upper.shows(path, entry.type())) {
            if (entry.type() == EntryType.HARDLINK) {
              links.add(path, entry);
            } else {
              walk.visit(path, entry, contents);
            }
          }
        });
    if (!links.isEmpty()) {
      read(layer, walk, links::visit);
      links.finish();
    }
  }

  /** Takes an entry of a layer, and what is in it. */
  private interface Taker {
    void take(RawEntry entry, InputStream contents) throws IOException;
  }

  private static void read(Layer layer, PackageWalk walk, Taker taker) throws IOException {
    try (ImageMember file = layer.open()) {
      InputStream packed = layer.contents(file);
      UnpackedStream in = UnpackedStream.open(packed, walk.budget());
      TarReader tar = new TarReader(in);
      for (RawEntry entry = tar.next(); entry != null; entry = tar.next()) {
        taker.take(entry, tar.contents());
      }
      // Only with its last byte is a layer known to be the one that was meant.
      packed.transferTo(OutputStream.nullOutputStream());
    }
  }

  @Override
  public void close() {
    // Every layer is closed as soon as it has been read.
  }
}
