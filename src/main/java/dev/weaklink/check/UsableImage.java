package dev.weaklink.check;

import dev.weaklink.format.codec.UnreadableFileException;
import dev.weaklink.kernel.ExportTable;
import dev.weaklink.kernel.image.ImageException;
import dev.weaklink.kernel.image.ImageReader;
import dev.weaklink.kernel.image.KernelImage;
import dev.weaklink.module.KernelModule;
import dev.weaklink.module.VersionTable;
import dev.weaklink.sys.InputProblem;
import dev.weaklink.system.FoundFile;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A kernel image whose exports could be read.
 *
 * @param name the file's name in reports
 * @param image what it says
 * @param exports what vmlinux exports
 */
record UsableImage(String name, KernelImage image, ExportTable exports) {
  private static final String MODULE_LAYOUT = "module_layout";

  /**
   * The first of these files that is one, null if none is; what is wrong with those tried is
   * reported.
   *
   * @param release the release it must be of, null for any
   * @param sample a module that came with the kernel, null if there is none
   */
  static @Nullable UsableImage first(
      List<FoundFile> files,
      @Nullable String release,
      @Nullable KernelModule sample,
      List<InputProblem> problems) {
    for (FoundFile file : files) {
      String reason;
      try {
        byte[] data = file.stored(ImageReader.MAX_BYTES);
        KernelImage image = ImageReader.read(data, data.length);
        ExportTable exports = image.exports();
        reason = reason(image, release, sample);
        if (reason == null && exports != null) {
          return new UsableImage(file.inside(), image, exports);
        }
      } catch (UnreadableFileException e) {
        reason = e.reason();
      } catch (ImageException e) {
        reason = String.valueOf(e.getMessage());
      }
      problems.add(new InputProblem(file.inside(), String.valueOf(reason)));
    }
    return null;
  }

  /** Why an image cannot be used, null if it can. */
  private static @Nullable String reason(
      KernelImage image, @Nullable String release, @Nullable KernelModule sample) {
    if (release != null && !release.equals(image.release())) {
      return "is of kernel " + image.release() + "; not used";
    }
    if (image.missing() != null) {
      return "what it exports cannot be read: " + image.missing();
    }
    ExportTable exports = image.exports();
    return exports != null && sample != null && isOfAnother(exports, sample)
        ? "is of another build than the kernel's own modules; not used"
        : null;
  }

  /** Every module was built for one CRC of module_layout. */
  private static boolean isOfAnother(ExportTable exports, KernelModule sample) {
    VersionTable versions = sample.versions();
    int wanted = versions == null ? -1 : versions.names().indexOf(MODULE_LAYOUT);
    int offered = exports.find(MODULE_LAYOUT);
    return versions != null
        && wanted >= 0
        && offered >= 0
        && exports.hasCrc(offered)
        && (int) versions.crcs()[wanted] != exports.crc(offered);
  }
}
