package dev.weaklink.rules;

import dev.weaklink.sys.StableId;

/** Which modules of a unit are linked together or not at all. */
public enum Wholeness implements StableId {
  /** All of them. */
  UNIT("yes"),
  /** Those that depend on one another, directly or through others of the unit. */
  DEPENDENT("dependent"),
  /** None: each is linked by itself. */
  PARTS("no");

  private final String id;

  Wholeness(String id) {
    this.id = id;
  }

  @Override
  public String id() {
    return id;
  }
}
