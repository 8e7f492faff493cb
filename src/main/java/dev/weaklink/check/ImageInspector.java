package dev.weaklink.check;

import dev.weaklink.image.KernelImage;
import dev.weaklink.kernel.ExportTable;
import dev.weaklink.kernel.LoaderEvidence;
import dev.weaklink.kernel.LoaderRulesReader;
import dev.weaklink.source.KernelFiles;
import dev.weaklink.tree.ModuleTree;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads kernel images. */
public final class ImageInspector implements KernelInspector {
  @Override
  public Inspected inspect(KernelRequest request) throws IOException {
    ChosenImage chosen = ChosenImage.of(request);
    KernelImage image = chosen.read();
    LoaderEvidence evidence =
        new LoaderEvidence(image.release(), image.config(), null, null, image.traces(), Map.of());
    return new Inspected(chosen.file().inside(), image, LoaderRulesReader.read(evidence));
  }

  @Override
  public ExportTable symvers(KernelRequest request, @Nullable Path modules, int threads)
      throws IOException {
    ChosenImage chosen = ChosenImage.of(request);
    KernelImage image = chosen.read();
    String name = chosen.file().inside();
    ExportTable exports = image.exports();
    if (exports == null || image.missing() != null) {
      throw new IOException(name + ": what it exports cannot be read: " + image.missing());
    }
    RebuiltSymvers rebuilt = new RebuiltSymvers(name, exports, threads);
    KernelFiles packaged = chosen.packaged();
    if (modules != null) {
      return rebuilt.withDirectory(modules);
    }
    if (packaged != null) {
      ModuleTree tree = packaged.tree();
      return tree == null ? exports : rebuilt.withTree(tree, packaged.modules());
    }
    String release = chosen.installed();
    return release == null
        ? exports
        : rebuilt.withTree(ModuleTree.scan(request.openRoot(), release), Map.of());
  }
}
