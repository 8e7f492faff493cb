package dev.weaklink.audit;

import java.util.Comparator;

/**
 * Something wrong with a module on some nodes. Texts are from nodes and not escaped.
 *
 * @param subject the module's name
 * @param detail the file or the builds it is about
 */
public record Defect(Kind kind, String subject, String detail) implements Comparable<Defect> {
  private static final Comparator<Defect> ORDER =
      Comparator.comparing(Defect::kind)
          .thenComparing(Defect::subject)
          .thenComparing(Defect::detail);

  /** What is wrong. */
  public enum Kind {
    /** A build is loaded that is not the one a reboot would load. */
    LOADED_DIFFERS("loaded-differs", "the build that is loaded is not the one on disk"),
    /** A weak link whose module is gone. */
    DANGLING_LINK("dangling-link", "the link leads to nothing"),
    /** The kernel's index does not know the file: another one is chosen, or depmod was not run. */
    NOT_USED("not-used", "the kernel's modules.dep does not list it");

    private final String id;
    private final String meaning;

    Kind(String id, String meaning) {
      this.id = id;
      this.meaning = meaning;
    }

    /** Its stable name. */
    public String id() {
      return id;
    }

    /** What it means, in words. */
    public String meaning() {
      return meaning;
    }
  }

  @Override
  public int compareTo(Defect other) {
    return ORDER.compare(this, other);
  }
}
