package dev.weaklink.check;

import dev.weaklink.codec.UnreadableFileException;
import dev.weaklink.image.ImageException;
import dev.weaklink.image.ImageReader;
import dev.weaklink.image.KernelImage;
import dev.weaklink.kernel.ExportTable;
import dev.weaklink.kernel.LoaderEvidence;
import dev.weaklink.kernel.LoaderRulesReader;
import dev.weaklink.source.FoundFile;
import dev.weaklink.source.InstalledKernels;
import dev.weaklink.source.KernelFiles;
import dev.weaklink.sys.Root;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads kernel images. */
public final class ImageInspector implements KernelInspector {
  @Override
  public Inspected inspect(KernelRequest request) throws IOException {
    FoundFile file = file(request);
    KernelImage image = read(file);
    LoaderEvidence evidence =
        new LoaderEvidence(image.release(), image.config(), null, null, image.traces(), Map.of());
    return new Inspected(file.inside(), image, LoaderRulesReader.read(evidence));
  }

  @Override
  public ExportTable symvers(KernelRequest request, @Nullable Path modules, int threads)
      throws IOException {
    FoundFile file = file(request);
    KernelImage image = read(file);
    ExportTable exports = image.exports();
    if (exports == null || image.missing() != null) {
      throw new IOException(file.inside() + ": what it exports cannot be read: " + image.missing());
    }
    RebuiltSymvers rebuilt = new RebuiltSymvers(file.inside(), exports, threads);
    if (modules != null) {
      return rebuilt.withDirectory(modules);
    }
    boolean installed = request.file() == null && request.release() == null;
    String release = installed ? image.release() : request.release();
    return release == null ? exports : rebuilt.withInstalled(root(request), release);
  }

  private static Root root(KernelRequest request) throws IOException {
    return request.root() == null ? Root.HOST : Root.of(request.root());
  }

  private static FoundFile file(KernelRequest request) throws IOException {
    String given = request.file();
    if (given != null) {
      try {
        return new FoundFile(given, Path.of(given));
      } catch (InvalidPathException e) {
        throw new FileNotFoundException(given + ": no such file");
      }
    }
    Root root = root(request);
    String release = request.release() == null ? newest(root) : request.release();
    List<FoundFile> images = KernelFiles.locate(root, release).images();
    if (images.isEmpty()) {
      throw new FileNotFoundException(
          release + ": no image of it, such as /boot/vmlinuz-" + release + ", in " + root);
    }
    return images.get(0);
  }

  private static String newest(Root root) throws IOException {
    String newest = InstalledKernels.newest(root);
    if (newest == null) {
      throw new FileNotFoundException(
          root + ": no kernel is installed below its lib/modules; give a kernel image");
    }
    return newest;
  }

  private static KernelImage read(FoundFile file) throws IOException {
    try {
      return ImageReader.read(file.host());
    } catch (UnreadableFileException e) {
      throw new IOException(file.inside() + ": " + e.reason(), e);
    } catch (ImageException e) {
      throw new IOException(file.inside() + ": " + e.getMessage(), e);
    }
  }
}
