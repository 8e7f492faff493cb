package dev.weaklink.rebuild;

import dev.weaklink.sys.StableId;

/**
 * Why a build failed, as far as its own words say.
 *
 * @param cause the kind of failure
 * @param line the line that says it, without what is meant for a terminal; empty if none does
 * @param file the log it is in; empty for what the build printed itself
 * @param next what to do, one sentence or a command
 */
public record Diagnosis(Cause cause, String line, String file, String next) {

    /** Why a build failed. The ids are part of the machine-readable contract. */
    public enum Cause implements StableId {
        NOT_ROOT,
        USAGE,
        SPACE,
        UNSUPPORTED_DISTRIBUTION,
        NOT_AN_IMAGE,
        BROKEN_ARCHIVE,
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
}
