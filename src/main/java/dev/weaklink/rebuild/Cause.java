package dev.weaklink.rebuild;

import dev.weaklink.sys.StableId;

/** Why a build failed. The ids are part of the machine-readable contract. */
public enum Cause implements StableId {
  NOT_ROOT,
  USAGE,
  SPACE,
  UNSUPPORTED_DISTRIBUTION,
  NOT_AN_IMAGE,
  NO_SOURCES,
  MISSING_HEADERS,
  BROKEN_BUILD_TREE,
  MISSING_PACKAGE,
  MISSING_COMPILER,
  API_CHANGE,
  POLICY,
  SIGNING,
  MEMORY,
  NOT_FOR_THIS_KERNEL,
  BAD_CONFIGURATION,
  KILLED,
  TIME_LIMIT,
  NOTHING_BUILT,
  NO_RESULT,
  BROKEN_RESULT,
  WRONG_MODULES,
  MISSING_MODULES,
  UNKNOWN
}
