package dev.weaklink.rules;

/** What happens when a kernel is installed or removed. */
public enum HookMode implements Word {
  /** Links are planned and made. */
  APPLY("apply"),
  /** It is said what would be done, and nothing is. */
  REPORT("report"),
  /** Nothing. */
  OFF("off");

  private final String word;

  HookMode(String word) {
    this.word = word;
  }

  @Override
  public String word() {
    return word;
  }
}
