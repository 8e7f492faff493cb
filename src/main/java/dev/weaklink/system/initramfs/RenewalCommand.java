package dev.weaklink.system.initramfs;

import dev.weaklink.sys.Root;
import dev.weaklink.sys.RootText;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Chooses the command that renews an image, by the image's style and the root's tools. */
final class RenewalCommand {
  private static final String[] DIRECTORIES = {"/usr/sbin/", "/usr/bin/", "/sbin/", "/bin/"};

  private final Root root;

  RenewalCommand(Root root) {
    this.root = root;
  }

  /** The command as seen from inside the root; empty if none of the style's tools is there. */
  List<String> of(String kernel, ImageFile image) {
    boolean preset =
        image.style().isNamedByPackage()
            && new RootText(root).isFile("/etc/mkinitcpio.d/" + image.base() + ".preset");
    for (RenewalTool tool : image.style().tools()) {
      for (String directory : DIRECTORIES) {
        String program = directory + tool.program();
        if (isProgram(program)) {
          return tool.command(program, kernel, image, preset);
        }
      }
    }
    return List.of();
  }

  private boolean isProgram(String inside) {
    try {
      Path file = root.resolve(inside);
      return Files.isRegularFile(file) && Files.isExecutable(file);
    } catch (IOException e) {
      return false;
    }
  }
}
