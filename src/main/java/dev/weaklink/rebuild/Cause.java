package dev.weaklink.rebuild;

/** Why a build failed. The ids are part of the machine-readable contract. */
public enum Cause {
  NOT_ROOT("not-root"),
  USAGE("usage"),
  SPACE("space"),
  UNSUPPORTED_DISTRIBUTION("unsupported-distribution"),
  NOT_AN_IMAGE("not-an-image"),
  NO_SOURCES("no-sources"),
  MISSING_HEADERS("missing-headers"),
  BROKEN_BUILD_TREE("broken-build-tree"),
  MISSING_PACKAGE("missing-package"),
  MISSING_COMPILER("missing-compiler"),
  API_CHANGE("api-change"),
  POLICY("policy"),
  SIGNING("signing"),
  MEMORY("memory"),
  NOT_FOR_THIS_KERNEL("not-for-this-kernel"),
  BAD_CONFIGURATION("bad-configuration"),
  KILLED("killed"),
  TIME_LIMIT("time-limit"),
  NOTHING_BUILT("nothing-built"),
  NO_RESULT("no-result"),
  BROKEN_RESULT("broken-result"),
  WRONG_MODULES("wrong-modules"),
  MISSING_MODULES("missing-modules"),
  UNKNOWN("unknown");

  private final String id;

  Cause(String id) {
    this.id = id;
  }

  /** Stable name. */
  public String id() {
    return id;
  }
}
