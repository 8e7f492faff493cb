package dev.weaklink.rules;

import dev.weaklink.sys.StableId;

/**
 * What it means for a link that a module uses a symbol, or that its check finds something. None of
 * them makes a module load that the loader refuses.
 */
public enum Severity implements StableId {
  /** Nothing. */
  PASS,
  /** The module is linked, and the plan says that it uses the symbol. */
  NOTE,
  /** The module is not linked, but rebuilt, even if the loader would accept it. */
  FAIL
}
