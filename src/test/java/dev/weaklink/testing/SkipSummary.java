package dev.weaklink.testing;

import java.util.Comparator;
import java.util.Map;
import java.util.TreeMap;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.TestExecutionResult.Status;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.TestPlan;

/** Prints the skipped tests and their reasons, because a skipped test proves nothing. */
public final class SkipSummary implements TestExecutionListener {
    private final Map<String, Integer> reasons = new TreeMap<>();

    @Override
    public void executionSkipped(TestIdentifier test, String reason) {
        count(test, reason);
    }

    @Override
    public void executionFinished(TestIdentifier test, TestExecutionResult result) {
        if (result.getStatus() == Status.ABORTED) {
            count(test, result.getThrowable().map(Throwable::getMessage).orElse("no reason given"));
        }
    }

    private synchronized void count(TestIdentifier test, String reason) {
        String line = reason.strip().replace("Assumption failed: ", "").replaceAll("\\s+", " ");
        reasons.merge((test.isTest() ? "" : test.getDisplayName() + ": ") + line, 1, Integer::sum);
    }

    @Override
    public synchronized void testPlanExecutionFinished(TestPlan plan) {
        if (!reasons.isEmpty()) {
            System.out.println(text(reasons));
            // if several forks share the work, each runs class by class
            reasons.clear();
        }
    }

    static String text(Map<String, Integer> reasons) {
        StringBuilder text = new StringBuilder("\nNOT RUN, AND WHY:\n");
        reasons.entrySet().stream()
                .sorted(Map.Entry.<String, Integer>comparingByValue(Comparator.reverseOrder())
                        .thenComparing(Map.Entry.comparingByKey()))
                .forEach(entry -> text.append("%6d  %s%n".formatted(entry.getValue(), entry.getKey())));
        return text.append("CONTRIBUTING.md (Build and test) has the packages they need.\n")
                .toString();
    }
}
