package dev.weaklink.rebuild;

/**
 * Why a build failed, as far as its own words say.
 *
 * @param cause the kind of failure
 * @param line the line that says it, without what is meant for a terminal; empty if none does
 * @param file the log it is in; empty for what the build printed itself
 * @param next what to do, one sentence or a command
 */
public record Diagnosis(Cause cause, String line, String file, String next) {}
