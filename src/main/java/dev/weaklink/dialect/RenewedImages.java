package dev.weaklink.dialect;

import dev.weaklink.links.InitramfsStep;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Which initramfs images are renewed, and by what: those that are there, never a new one.
 *
 * @param base where the images are
 * @param dracut the program that makes images
 * @param checker a program that is called with the kernel's release instead, or null
 */
record RenewedImages(BaseDirectory base, String dracut, @Nullable String checker) {
  List<InitramfsStep> steps(Collection<String> kernels) throws IOException {
    List<InitramfsStep> steps = new ArrayList<>();
    for (String kernel : kernels) {
      Path image = base.root().resolve("/boot/initramfs-" + kernel + ".img");
      if (Files.isRegularFile(image)) {
        steps.add(
            new InitramfsStep(
                kernel,
                checker == null
                    ? List.of(dracut, "-f", image.toString(), kernel)
                    : List.of(checker, kernel)));
      }
    }
    return steps;
  }
}
