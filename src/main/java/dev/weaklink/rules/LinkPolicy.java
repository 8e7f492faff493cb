package dev.weaklink.rules;

/** Whether modules that load on another kernel than they were built for are linked into it. */
public enum LinkPolicy implements Word {
  /** They are. */
  YES("yes"),
  /** They are not: they are to be rebuilt. */
  NO("no"),
  /** A person is asked; where nobody can be, they are not. */
  ASK("ask");

  private final String word;

  LinkPolicy(String word) {
    this.word = word;
  }

  @Override
  public String word() {
    return word;
  }
}
