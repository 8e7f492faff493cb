package dev.weaklink.check;

import dev.weaklink.initramfs.CheckedImage;
import dev.weaklink.source.InputProblem;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Holds initramfs images against what is installed. */
public interface InitramfsInspector {
  /**
   * What is asked.
   *
   * @param root the image whose kernels and images are meant, null for {@code /}
   * @param images image files as typed; empty for those of the kernel in the root
   * @param kernel the release, null for the newest
   * @param threads how many threads read modules
   */
  record Request(@Nullable Path root, List<String> images, @Nullable String kernel, int threads) {
    /** Takes a copy. */
    public Request {
      images = List.copyOf(images);
    }
  }

  /**
   * Looks at the images.
   *
   * @param problems takes what is wrong with the kernel's files
   * @throws IOException if there is no such kernel, or no image of it; the message is one line
   */
  List<CheckedImage> inspect(Request request, List<InputProblem> problems) throws IOException;
}
