package dev.weaklink.check.report;

import dev.weaklink.report.Style;
import dev.weaklink.sys.StableId;

/**
 * How modules stand on a kernel, from best to worst; of several the worst decides. The ids are part
 * of the machine-readable contract.
 */
public enum UnitState implements StableId {
  /** Built for this kernel, and used. */
  OK("OK", Style.GOOD),
  /** A link is there, and used. */
  LINKED("LINKED", Style.GOOD),
  /** All builds are for newer kernels, and none would load here. */
  NO_BUILD("NO BUILD", Style.FAINT),
  /** A link is to be made, or to lead elsewhere. */
  CAN_BE_LINKED("CAN BE LINKED", Style.GOOD),
  /** Built for this kernel, but depmod chooses another file. */
  NOT_USED("NOT USED", Style.UNSURE),
  /** A link is there, but depmod chooses another file. */
  LINKED_NOT_USED("LINKED, NOT USED", Style.UNSURE),
  UNDETERMINED("UNDETERMINED", Style.UNSURE),
  /** DKMS builds it for each kernel, and has not for this one; no build was refused. */
  NOT_BUILT("NOT BUILT", Style.UNSURE),
  /** It would load, but others that use what it replaces would not. */
  BREAKS_OTHERS("BREAKS OTHERS", Style.BAD),
  REBUILD_NEEDED("REBUILD NEEDED", Style.BAD);

  private final String words;
  private final Style style;

  UnitState(String words, Style style) {
    this.words = words;
    this.style = style;
  }

  public String words() {
    return words;
  }

  public Style style() {
    return style;
  }
}
