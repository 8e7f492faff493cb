package dev.weaklink.check;

import dev.weaklink.image.KernelImage;
import dev.weaklink.kernel.ExportTable;
import dev.weaklink.kernel.LoaderRules;
import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Reads kernel images. */
public interface KernelInspector {
  /**
   * A kernel's image.
   *
   * @param name its file in reports
   * @param image what it says
   * @param rules how its loader decides, by what the image says alone
   */
  record Inspected(String name, KernelImage image, LoaderRules rules) {}

  /**
   * Reads an image.
   *
   * @throws IOException if there is none, or it cannot be read; the message is one line and names
   *     the file
   */
  Inspected inspect(KernelRequest request) throws IOException;

  /**
   * What a kernel and its own modules export, as its Module.symvers has it.
   *
   * @param modules the directory of its modules as typed, null for those of the installed kernel
   *     that is named, if one is
   * @param threads how many threads read modules
   * @throws IOException if image or modules cannot be read, or are not of one kernel; the message
   *     is one line and names the file
   */
  ExportTable symvers(KernelRequest request, @Nullable Path modules, int threads)
      throws IOException;
}
