package dev.weaklink.rules;

/** What is done with a module of which nobody can say whether it would load. */
public enum UndeterminedPolicy {
  /** It is treated as if it would not. */
  DO_NOT_LINK,
  /** It is treated as if it would. */
  LINK
}
