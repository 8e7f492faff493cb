package dev.weaklink.module;

import dev.weaklink.format.elf.ElfImage;
import dev.weaklink.module.ElfDefect.Kind;

/**
 * Measures the NUL-terminated names of one file, and stops when all together would be longer than
 * the file: that takes names which overlap far more than any linker lets them, and would cost more
 * than the file weighs.
 */
final class NameReader {
  private static final int NONE = -1;

  private final ElfImage image;
  private final ElfValidity validity;
  private int left;
  private boolean stopped;

  NameReader(ElfImage image, ElfValidity validity) {
    this.image = image;
    this.validity = validity;
    this.left = image.length();
  }

  /**
   * Length of the name at {@code offset}, which must end before {@code limit}; -1 if it does not,
   * or if it is not read any more.
   */
  int length(int offset, int limit) {
    if (stopped) {
      return NONE;
    }
    int affordable = limit - offset > left ? offset + left : limit;
    int length = image.stringLength(offset, affordable);
    if (length >= 0) {
      left -= length;
    } else if (affordable < limit) {
      stopped = true;
      validity.add(ElfDefect.of(Kind.NAMES_OVERLAP));
    }
    return length;
  }

  /** Whether names are not read any more, which has been noted as a defect. */
  boolean hasStopped() {
    return stopped;
  }
}
