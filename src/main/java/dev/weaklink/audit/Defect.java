package dev.weaklink.audit;

import dev.weaklink.sys.StableId;
import java.util.Comparator;

/**
 * Something wrong with a module on some nodes. Texts are from nodes and not escaped.
 *
 * @param subject the name of a module, product or kernel
 * @param detail the file or the builds it is about
 */
public record Defect(Kind kind, String subject, String detail) implements Comparable<Defect> {
  private static final Comparator<Defect> ORDER =
      Comparator.comparing(Defect::kind)
          .thenComparing(Defect::subject)
          .thenComparing(Defect::detail);

  /**
   * The same for the same thing in any audit, whatever its words: its kind, and a file if it is
   * about one.
   */
  public String id() {
    return detail.startsWith("/") ? kind.id() + " " + detail : kind.id();
  }

  /** What is wrong. */
  public enum Kind implements StableId {
    /** A build is loaded that is not the one a reboot would load. */
    LOADED_DIFFERS("the build that is loaded is not the one on disk"),
    /** A weak link whose module is gone. */
    DANGLING_LINK("the link is dangling"),
    /** The kernel's index does not know the file: another one is chosen, or depmod was not run. */
    NOT_USED("the kernel's modules.dep does not list it"),
    /** The kernel's own module is loaded although one was added. */
    INBOX_LOADED("the kernel's own module is loaded, not the one that was added"),
    /** Some modules of a product are of one build, some of another. */
    HALF_UPDATED("its modules are of different builds"),
    /** Libraries and modules of a product are of different versions. */
    OUT_OF_STEP("kernel and user space are of different versions"),
    /** The running kernel has been removed. */
    NO_DIRECTORY("the running kernel's modules are gone");

    private final String meaning;

    Kind(String meaning) {
      this.meaning = meaning;
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
