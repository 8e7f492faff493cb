package dev.weaklink.rules;

/**
 * What it means for a link that a module uses a symbol, or that its check finds something. None of
 * them makes a module load that the loader refuses.
 */
public enum Severity implements Word {
  /** Nothing. */
  PASS("pass"),
  /** The module is linked, and the plan says that it uses the symbol. */
  NOTE("note"),
  /** The module is not linked, but rebuilt, even if the loader would accept it. */
  FAIL("fail");

  private final String word;

  Severity(String word) {
    this.word = word;
  }

  @Override
  public String word() {
    return word;
  }
}
