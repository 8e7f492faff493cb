package dev.weaklink.rebuild;

import dev.weaklink.sys.StableId;

/**
 * A product whose modules are installed.
 *
 * @param kind which
 * @param version as it says itself, such as {@code 24.10-1.1.4.0}; empty if unknown
 * @param evidence what shows it, for people
 */
public record RebuildProduct(Kind kind, String version, String evidence) {
  /** Products that can be rebuilt. The ids are what {@code --product} takes. */
  public enum Kind implements StableId {
    MLNX_OFED("MLNX_OFED"),
    MLNX_EN("MLNX_EN"),
    DOCA_OFED("DOCA-Host");

    private final String title;

    Kind(String title) {
      this.title = title;
    }

    /** Its name for people. */
    public String title() {
      return title;
    }
  }

  /** Its name and version for people. */
  public String title() {
    return version.isEmpty() ? kind.title() : kind.title() + " " + version;
  }
}
