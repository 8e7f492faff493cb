package dev.weaklink.fleet;

import dev.weaklink.fleet.AuditReport.Target;
import java.util.Map;

/**
 * What one target says to sets.
 *
 * @param target without what only a report knows of it
 * @param answers by the place of a set in the census; those without modules have none
 */
public record TargetAnswers(Target target, Map<Integer, SetResult> answers) {}
