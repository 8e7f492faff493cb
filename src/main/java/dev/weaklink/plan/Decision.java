package dev.weaklink.plan;

import dev.weaklink.load.Outcome;
import dev.weaklink.load.Verdict;
import org.jspecify.annotations.Nullable;

/**
 * Whether a build is to be linked, and why.
 *
 * @param chosen whether it is
 * @param outcome what the loader would say to it
 * @param verdict the loader's verdict in full, null if the file could not be read
 * @param reason one sentence
 */
public record Decision(boolean chosen, Outcome outcome, @Nullable Verdict verdict, String reason) {}
