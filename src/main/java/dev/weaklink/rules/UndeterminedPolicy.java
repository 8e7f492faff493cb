package dev.weaklink.rules;

/** What is done with a module of which nobody can say whether it would load. */
public enum UndeterminedPolicy implements Word {
  /** It is treated as if it would not. */
  DO_NOT_LINK("do-not-link"),
  /** It is treated as if it would. */
  LINK("link");

  private final String word;

  UndeterminedPolicy(String word) {
    this.word = word;
  }

  @Override
  public String word() {
    return word;
  }
}
