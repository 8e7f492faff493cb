package dev.weaklink.rebuild;

import dev.weaklink.sys.StableId;

/**
 * The reason for a failed build, as far as its logs show it.
 *
 * @param cause the kind of failure
 * @param line the log line that shows the cause, without control sequences, or a sentence about the cause; may be empty
 * @param file the log that contains the line; empty if the line is in the build's output, or is weaklink's own sentence
 * @param next the next step, a sentence or a command
 */
public record Diagnosis(Cause cause, String line, String file, String next) {

    /** The kinds of failures. Their ids are part of the machine-readable output. */
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
        OTHER_COMPILER,
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
