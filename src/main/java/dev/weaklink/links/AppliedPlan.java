package dev.weaklink.links;

import dev.weaklink.links.transaction.HistoryEntry;
import dev.weaklink.links.transaction.TransactionOutcome;
import org.jspecify.annotations.Nullable;

/**
 * A plan that was carried out.
 *
 * @param recovered the interrupted transaction that was finished or taken back first, or null
 * @param planned the plan
 * @param outcome what was done
 */
public record AppliedPlan(
    @Nullable HistoryEntry recovered, PlanResult planned, TransactionOutcome outcome) {}
