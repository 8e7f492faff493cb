package dev.weaklink.rebuild;

/**
 * What became of one of the packages that a run builds each by itself.
 *
 * @param label the package
 * @param state what became of it
 * @param reason why it was not built, one line; empty if it was
 */
public record PackageResult(String label, State state, String reason) {
  /** What can become of a package. The ids are part of the machine-readable contract. */
  public enum State {
    BUILT("built"),
    FAILED("failed"),
    /** What it needs was not built. */
    SKIPPED("skipped"),
    /** Its source says it is not for this kernel. */
    NOT_FOR_THIS_KERNEL("not-for-this-kernel");

    private final String id;

    State(String id) {
      this.id = id;
    }

    /** Stable name. */
    public String id() {
      return id;
    }
  }

  /** Whether it should have been built and was not. */
  public boolean isMissing() {
    return state == State.FAILED || state == State.SKIPPED;
  }
}
