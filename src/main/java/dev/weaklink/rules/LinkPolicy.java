package dev.weaklink.rules;

import dev.weaklink.sys.StableId;

/** Whether modules that load on another kernel than they were built for are linked into it. */
public enum LinkPolicy implements StableId {
  /** They are. */
  YES,
  /** They are not: they are to be rebuilt. */
  NO,
  /** A person is asked; where nobody can be, they are not. */
  ASK
}
