package dev.weaklink.rebuild.run;

/** Modules that were built could not be installed; the message is one line. */
public final class InstallationException extends Exception {
  private static final long serialVersionUID = 1L;
  private final boolean undone;

  InstallationException(String message, boolean undone) {
    super(message);
    this.undone = undone;
  }

  /** Whether everything is as it was before. */
  public boolean isUndone() {
    return undone;
  }
}
