package dev.weaklink.check.result;

import dev.weaklink.load.Verdict;
import java.util.List;

/**
 * One cause and the refused modules it accounts for.
 *
 * @param cause what they have in common
 * @param modules refused modules not accounted for by an earlier explanation, in report order
 * @param hits all refused modules that have this cause, accounted for or not
 */
public record Explanation(RefusalCause cause, List<Verdict> modules, int hits) {}
