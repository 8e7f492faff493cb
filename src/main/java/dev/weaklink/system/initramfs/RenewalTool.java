package dev.weaklink.system.initramfs;

import java.util.List;

/** A program that regenerates an image. */
enum RenewalTool {
  DRACUT("dracut") {
    @Override
    List<String> command(String program, String kernel, ImageFile image, boolean preset) {
      return List.of(program, "-f", image.inside(), kernel);
    }
  },
  UPDATE_INITRAMFS("update-initramfs") {
    @Override
    List<String> command(String program, String kernel, ImageFile image, boolean preset) {
      return List.of(program, "-u", "-k", kernel);
    }
  },
  MKINITCPIO("mkinitcpio") {
    @Override
    List<String> command(String program, String kernel, ImageFile image, boolean preset) {
      if (preset) {
        return List.of(program, "-p", image.base());
      }
      return image.style() == ImageStyle.PACKAGE_FALLBACK
          ? List.of(program, "-k", kernel, "-g", image.inside(), "-S", "autodetect")
          : List.of(program, "-k", kernel, "-g", image.inside());
    }
  };

  private final String program;

  RenewalTool(String program) {
    this.program = program;
  }

  /** Its name, without a directory. */
  String program() {
    return program;
  }

  /**
   * The program and its arguments.
   *
   * @param program the tool's path as seen from inside the root
   * @param preset whether mkinitcpio has a preset for the image
   */
  abstract List<String> command(String program, String kernel, ImageFile image, boolean preset);
}
