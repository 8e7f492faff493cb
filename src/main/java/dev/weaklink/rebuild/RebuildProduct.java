package dev.weaklink.rebuild;

/**
 * A product whose modules are installed.
 *
 * @param kind which
 * @param version as it says itself, such as {@code 24.10-1.1.4.0}; empty if unknown
 * @param evidence what shows it, for people
 */
public record RebuildProduct(Kind kind, String version, String evidence) {
  /** Products that can be rebuilt. The ids are what {@code --product} takes. */
  public enum Kind {
    MLNX_OFED("mlnx-ofed", "MLNX_OFED"),
    MLNX_EN("mlnx-en", "MLNX_EN"),
    DOCA("doca-ofed", "DOCA-Host");

    private final String id;
    private final String title;

    Kind(String id, String title) {
      this.id = id;
      this.title = title;
    }

    /** Stable name. */
    public String id() {
      return id;
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
