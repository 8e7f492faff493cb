package dev.weaklink.rules;

import dev.weaklink.sys.StableId;

/** What is done with a module of which nobody can say whether it would load. */
public enum UndeterminedPolicy implements StableId {
  /** It is treated as if it would not. */
  DO_NOT_LINK,
  /** It is treated as if it would. */
  LINK
}
