package dev.weaklink.rules;

/** Which modules of a unit are linked together or not at all. */
public enum Wholeness implements Word {
  /** All of them. */
  UNIT("yes"),
  /** Those that depend on one another, directly or through others of the unit. */
  DEPENDENT("dependent"),
  /** None: each is linked by itself. */
  PARTS("no");

  private final String word;

  Wholeness(String word) {
    this.word = word;
  }

  @Override
  public String word() {
    return word;
  }
}
