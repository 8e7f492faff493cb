package dev.weaklink.compat;

import dev.weaklink.system.initramfs.InitramfsPlanner;
import dev.weaklink.system.initramfs.InitramfsStep;
import dev.weaklink.system.initramfs.InitramfsSteps;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Which initramfs images are renewed, and by what: those that exist, never a new one.
 *
 * @param base where the images are
 * @param dracut the program that makes the image of every changed kernel; null if only those are to
 *     be made that hold a changed module, with whatever makes such images on this system
 * @param checker a program that is called with the kernel's release instead, or null
 */
record RenewedImages(
    StandardStreams streams,
    BaseDirectory base,
    @Nullable String dracut,
    @Nullable String checker) {
  /** The commands for these kernels. */
  List<InitramfsStep> steps(Collection<String> kernels, PendingChanges work) throws IOException {
    if (dracut == null && checker == null) {
      return planned(kernels, work.modules());
    }
    List<InitramfsStep> steps = new ArrayList<>();
    for (String kernel : kernels) {
      Path image = base.root().resolve("/boot/initramfs-" + kernel + ".img");
      if (Files.isRegularFile(image)) {
        steps.add(new InitramfsStep(kernel, command(image, kernel)));
      }
    }
    return steps;
  }

  private List<String> command(Path image, String kernel) {
    return checker == null
        ? List.of(String.valueOf(dracut), "-f", image.toString(), kernel)
        : List.of(checker, kernel);
  }

  private List<InitramfsStep> planned(
      Collection<String> kernels, Map<String, Set<String>> modules) {
    Map<String, Set<String>> changed = new TreeMap<>();
    for (String kernel : kernels) {
      changed.put(kernel, modules.getOrDefault(kernel, Set.of()));
    }
    InitramfsSteps steps = InitramfsPlanner.steps(base.root(), changed);
    steps.notes().forEach(streams::complain);
    steps.problems().forEach(streams::complain);
    return steps.steps();
  }
}
