package dev.weaklink.testing;

import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.platform.engine.DiscoverySelector;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;

/** Runs the named tests, each {@code CLASS} or {@code CLASS#METHOD}, for src/quick/test.sh. */
public final class QuickRun {
    private static final int FRAMES = 20;

    private QuickRun() {}

    /** Runs the tests; the exit status is 0 if tests ran and none failed. */
    public static void main(String[] names) {
        List<DiscoverySelector> selectors = new ArrayList<>();
        for (String name : names) {
            selectors.add(
                    name.contains("#") ? DiscoverySelectors.selectMethod(name) : DiscoverySelectors.selectClass(name));
        }
        SummaryGeneratingListener listener = new SummaryGeneratingListener();
        LauncherFactory.create()
                .execute(
                        LauncherDiscoveryRequestBuilder.request()
                                .selectors(selectors)
                                .build(),
                        listener);
        TestExecutionSummary summary = listener.getSummary();
        summary.printFailuresTo(new PrintWriter(System.out, true, StandardCharsets.UTF_8), FRAMES);
        long failed = summary.getTotalFailureCount();
        System.out.println(summary.getTestsSucceededCount() + " passed, " + failed + " failed");
        System.exit(failed == 0 && summary.getTestsFoundCount() > 0 ? 0 : 1);
    }
}
