package dev.weaklink.check;

import dev.weaklink.kernel.ExportTable;
import dev.weaklink.kernel.LoaderEvidence;
import dev.weaklink.kernel.LoaderRules;
import dev.weaklink.kernel.LoaderRulesReader;
import dev.weaklink.kernel.image.KernelImage;
import dev.weaklink.system.KernelFiles;
import dev.weaklink.system.ModuleTree;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads kernel images. */
public final class ImageInspector {
  /**
   * A kernel's image.
   *
   * @param name its file in reports
   * @param image what it says
   * @param rules how its loader decides, by what the image says alone
   */
  public record Inspected(String name, KernelImage image, LoaderRules rules) {}

  /**
   * Reads an image; null if there are packages, and none of them has an image.
   *
   * @throws IOException if there is none, or it cannot be read; the message is one line and names
   *     the file
   */
  public @Nullable Inspected inspect(KernelRequest request) throws IOException {
    ChosenImage chosen = ChosenImage.of(request);
    if (chosen == null) {
      return null;
    }
    KernelImage image = chosen.read();
    LoaderEvidence evidence =
        new LoaderEvidence(image.release(), image.config(), null, null, image.traces(), Map.of());
    return new Inspected(chosen.file().inside(), image, LoaderRulesReader.read(evidence));
  }

  /**
   * What a kernel and its own modules export, as its Module.symvers has it.
   *
   * @param modules the directory of its modules as typed, null for those of the installed kernel
   *     that is named, if one is
   * @param threads how many threads read modules
   * @throws IOException if image or modules cannot be read, or are not of one kernel; the message
   *     is one line and names the file
   */
  public ExportTable symvers(KernelRequest request, @Nullable Path modules, int threads)
      throws IOException {
    ChosenImage chosen = ChosenImage.of(request);
    if (chosen == null) {
      throw new IOException(
          request.files().get(0) + ": no kernel image in it, such as /boot/vmlinuz-RELEASE");
    }
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
