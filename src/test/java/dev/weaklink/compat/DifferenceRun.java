package dev.weaklink.compat;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Random sequences of calls. Each call runs the real tool and weaklink's on the same tree, and the sequence continues
 * with the tree of the real tool. Every difference must have a reason in the manual page.
 *
 * <p>{@code -Dweaklink.sequences=N} sets the number of sequences, and {@code -Dweaklink.first=SEED} the first seed.
 */
abstract class DifferenceRun {
    /** A call: its arguments and its standard input. */
    record Step(List<String> words, String stdin) {}

    /** A tree, and the events that change it. */
    interface Sequence {
        /** Changes the tree and returns the next call. */
        Step next() throws IOException;

        /** The number of times that each kind of change befell the tree. */
        Map<String, Integer> changes();
    }

    /** The two outcomes of a call, and the state of the disk before the call. */
    record Outcomes(Step step, StepOutcome before, StepOutcome real, StepOutcome ours) {
        boolean calls(String option) {
            return step.words().contains(option);
        }
    }

    private static final int STEPS = 6;

    private final Map<String, Integer> reasons = new TreeMap<>();
    private final Map<String, Integer> changes = new TreeMap<>();
    private final List<String> unexplained = new ArrayList<>();
    private int steps;
    private int equal;

    /** Creates a tree in an empty directory. */
    abstract Sequence sequence(long seed, Path root) throws IOException;

    abstract StepOutcome real(Step step, Path root) throws IOException;

    abstract StepOutcome ours(Step step, Path root) throws IOException;

    /** Returns the state of the disk, as an outcome without messages. */
    abstract StepOutcome onDisk(Path root) throws IOException;

    /** Returns the reason for a difference in the words of the manual page, null if there is no reason. */
    abstract @Nullable String reason(Outcomes outcomes, String difference);

    /** Runs all sequences and prints the differences. */
    final void compare(String tool, Path directory) throws IOException {
        int first = Integer.getInteger("weaklink.first", 1);
        int end = first + Integer.getInteger("weaklink.sequences", 100);
        Path root = directory.resolve("root");
        for (int seed = first; seed < end; seed++) {
            Sequence sequence = sequence(seed, Files.createDirectory(root));
            for (int i = 1; i <= STEPS; i++) {
                Step step = sequence.next();
                note(seed + "." + i, both(step, directory), root.toString());
            }
            sequence.changes().forEach((change, count) -> changes.merge(change, count, Integer::sum));
            Snapshots.delete(root);
        }
        System.out.println(tool + ", sequences " + first + " to " + (end - 1) + "\n" + table());
        assertThat(unexplained).isEmpty();
    }

    private Outcomes both(Step step, Path directory) throws IOException {
        Path root = directory.resolve("root");
        Path before = directory.resolve("before");
        Path after = directory.resolve("after");
        StepOutcome earlier = onDisk(root);
        Snapshots.copy(root, before);
        StepOutcome real = real(step, root);
        Snapshots.copy(root, after);
        Snapshots.copy(before, root);
        StepOutcome ours = ours(step, root);
        Snapshots.copy(after, root);
        return new Outcomes(step, earlier, real, ours);
    }

    private void note(String where, Outcomes outcomes, String root) {
        List<String> differences = outcomes.ours().differencesFrom(outcomes.real());
        Map<String, Integer> here = new TreeMap<>();
        for (String difference : differences) {
            String reason = reason(outcomes, difference);
            if (reason == null) {
                String text = where + " " + outcomes.step() + " " + difference;
                unexplained.add(text.replace(root, "ROOT"));
                System.out.println(unexplained.get(unexplained.size() - 1));
            } else {
                here.put(reason, 1);
            }
        }
        steps++;
        equal += differences.isEmpty() ? 1 : 0;
        here.keySet().forEach(reason -> reasons.merge(reason, 1, Integer::sum));
    }

    private String table() {
        StringBuilder text = new StringBuilder();
        text.append("%5d steps%n%5d equal in links, modules.dep, lines and status%n".formatted(steps, equal));
        reasons.forEach((reason, count) -> text.append("%5d %s%n".formatted(count, reason)));
        changes.forEach((change, count) -> text.append("DRAWN %5d %s%n".formatted(count, change)));
        unexplained.forEach(line -> text.append("UNEXPLAINED ").append(line).append('\n'));
        return text.toString();
    }
}
