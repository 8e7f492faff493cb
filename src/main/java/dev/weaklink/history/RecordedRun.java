package dev.weaklink.history;

import java.time.Instant;

/**
 * An audit that was kept. Texts are not escaped.
 *
 * @param id counted from 1, in the order in which audits were kept
 * @param at when its nodes were asked
 * @param nodes how many reported something
 * @param broken with how many of them something was wrong
 * @param problems how many pieces of input were left aside
 * @param changed how many nodes have other modules than before, or none before
 */
public record RecordedRun(long id, Instant at, int nodes, int broken, int problems, int changed) {}
