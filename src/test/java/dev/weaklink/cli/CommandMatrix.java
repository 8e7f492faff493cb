package dev.weaklink.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.links.transaction.History;
import dev.weaklink.links.transaction.HistoryEntry;
import dev.weaklink.links.transaction.HistoryEntry.TransactionState;
import dev.weaklink.links.transaction.InterruptedTransaction;
import dev.weaklink.links.transaction.TransactionSettings;
import dev.weaklink.links.transaction.TransactionSettings.FaultPoint;
import dev.weaklink.links.transaction.TreeSnapshot;
import dev.weaklink.sys.DurableFiles;
import dev.weaklink.sys.ExternalCommand;
import dev.weaklink.sys.Root;
import dev.weaklink.system.WeakUpdates;
import dev.weaklink.testing.Machine;
import dev.weaklink.testing.ModuleBuilder;
import dev.weaklink.testing.SymversBuilder;
import dev.weaklink.testing.TreeBuilder;
import dev.weaklink.testing.TreeBuilder.SymversPlace;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Interrupts a command at each of many points, each time in a fresh copy of an image, and then runs the command again.
 * The final state must be the same as without the interruption.
 */
final class CommandMatrix {
    static final String OLD = "5.14.0-1.el9";
    static final String NEW = "5.14.0-2.el9";

    private final Path directory;
    private final Path root;
    private SortedMap<String, String> before;

    CommandMatrix(Path directory) {
        this.directory = directory;
        this.root = directory.resolve("image");
        this.before = new TreeMap<>();
    }

    /** A command, which changes files with these settings. */
    interface Given {
        WholeRun with(TransactionSettings transactions) throws IOException;

        /** Runs the command with the program's own settings. */
        default WholeRun run() throws IOException {
            return with(TransactionSettings.DEFAULT);
        }
    }

    /** A run of a command that is interrupted. */
    interface Attempt {
        /** Returns the place of the interruption; null if the command ended before the point. */
        @Nullable
        String at(int point) throws IOException;
    }

    /** Returns the program's settings, with interruptions at fault points and without waiting for locks. */
    static TransactionSettings faulty(FaultPoint faults) {
        return TransactionSettings.DEFAULT.withLockWait(Duration.ZERO).withFaults(faults);
    }

    Path root() {
        return root;
    }

    static Given words(String... words) {
        return reading("", words);
    }

    static Given reading(String stdin, String... words) {
        return transactions -> WholeRun.of(transactions, stdin.getBytes(StandardCharsets.UTF_8), Map.of(), words);
    }

    /** Creates two kernels. The old kernel's modules a and b load on the new kernel, and c does not. */
    TreeBuilder redHat() throws IOException {
        TreeBuilder image = TreeBuilder.in(Files.createDirectories(root));
        for (String release : List.of(OLD, NEW)) {
            image.module(release, "kernel/own.ko", built("own", release))
                    .modulesOrder(release, List.of("kernel/own.ko"))
                    .builtin(release, List.of("kernel/inside.ko"))
                    .file(
                            "lib/modules/" + release + "/modules.builtin.modinfo",
                            "inside.license=GPL\0".getBytes(StandardCharsets.UTF_8))
                    .symvers(
                            SymversPlace.MODULES_XZ,
                            release,
                            new SymversBuilder(SymversBuilder.Layout.NAMESPACE_LAST)
                                    .kernel("module_layout", SymversBuilder.Kind.EXPORT_SYMBOL, 0x11223344)
                                    .kernel("_printk", SymversBuilder.Kind.EXPORT_SYMBOL, 5));
        }
        return image.module(OLD, "extra/demo/a.ko", built("a", OLD).importing("_printk", 5))
                .module(OLD, "extra/demo/b.ko", built("b", OLD).importing("_printk", 5))
                .module(OLD, "extra/c/c.ko", built("c", OLD).importing("_printk", 6));
    }

    private static ModuleBuilder built(String name, String release) {
        return ModuleBuilder.typical(Machine.X86_64, name)
                .withoutModInfo("vermagic")
                .modInfo("vermagic=" + release + " SMP mod_unload modversions ");
    }

    /** Returns an attempt that interrupts the command in this process, at a fault point. */
    Attempt atFaultPoints(Given command) {
        return point -> {
            InterruptedTransaction faults = InterruptedTransaction.at(point);
            try {
                command.with(faulty(faults));
                return null;
            } catch (InterruptedTransaction.Kill kill) {
                return faults.where();
            }
        };
    }

    /**
     * Interrupts a command at every {@code stride}th fault point and runs it again.
     *
     * @param status the exit status of the command if it is not interrupted
     * @param undoable whether undo restores the state before the command
     * @return the first tried point that the command does not reach
     */
    int everywhere(Given command, int status, int stride, boolean undoable) throws IOException {
        SortedMap<String, String> after = prepare(command, status);
        int point = 1;
        while (afterKill(atFaultPoints(command), point, command, status, after, undoable)) {
            point += stride;
        }
        return point;
    }

    /** Saves the image, and returns its state after the command. */
    SortedMap<String, String> prepare(Given command, int status) throws IOException {
        copy(root, directory.resolve("template"));
        before = snapshot();
        WholeRun whole = command.run();
        assertThat(whole.status()).as("%s", whole).isEqualTo(status);
        SortedMap<String, String> after = snapshot();
        assertThat(after).isNotEqualTo(before);
        return after;
    }

    /** Interrupts the command once and tests the state; returns false if the command does not reach the point. */
    boolean afterKill(
            Attempt attempt, int point, Given command, int status, SortedMap<String, String> after, boolean undoable)
            throws IOException {
        copy(directory.resolve("template"), root);
        String where = attempt.at(point);
        if (where == null) {
            return false;
        }
        if (isUndone()) {
            assertThat(snapshot()).as("its last step is done: %s", where).isEqualTo(after);
            return true;
        }
        assertLookingOnlyLooks(where);
        WholeRun again = command.run();
        assertThat(again.status()).as("%s: %s", where, again).isEqualTo(status);
        assertThat(snapshot()).as("broken off at %s", where).isEqualTo(after);
        assertThat(leftovers()).as("broken off at %s", where).isEmpty();
        if (undoable) {
            assertUndoLeadsBack(where);
        }
        return true;
    }

    private void assertUndoLeadsBack(String where) throws IOException {
        WholeRun undo = words("undo", "--root", root.toString()).run();
        assertThat(undo.status()).as("undo after %s: %s", where, undo).isZero();
        assertThat(snapshot()).as("undone after %s", where).isEqualTo(before);
    }

    /** Returns whether the last transaction is a complete undo. Another undo would undo something else. */
    private boolean isUndone() throws IOException {
        List<HistoryEntry> entries = History.read(Root.of(root)).entries();
        HistoryEntry last = entries.isEmpty() ? null : entries.get(entries.size() - 1);
        return last != null && last.undoes() > 0 && last.state() == TransactionState.DONE;
    }

    private void assertLookingOnlyLooks(String where) throws IOException {
        SortedMap<String, String> broken = TreeSnapshot.of(root);
        HistoryEntry interrupted = History.interrupted(Root.of(root));
        String base = root.toString();
        for (Given look : List.of(words("plan", "--root", base), words("status", "--root", base))) {
            WholeRun run = look.run();
            if (interrupted != null) {
                assertThat(run.out() + run.err())
                        .as(where)
                        .contains("transaction " + interrupted.number() + ": was interrupted (");
                assertThat(run.status()).as("%s: %s", where, run).isEqualTo(1);
            }
        }
        assertThat(TreeSnapshot.of(root)).as("looked at %s", where).isEqualTo(broken);
    }

    /** Returns the files that a command may change, and the files that it must not change. */
    SortedMap<String, String> snapshot() throws IOException {
        SortedMap<String, String> all = TreeSnapshot.of(root);
        all.keySet().removeIf(path -> path.startsWith("var/") || path.startsWith("run"));
        return all;
    }

    private List<String> leftovers() throws IOException {
        return TreeSnapshot.of(root).keySet().stream()
                .filter(CommandMatrix::isLeftover)
                .toList();
    }

    private static boolean isLeftover(String path) {
        String name = path.substring(path.lastIndexOf('/', path.length() - 2) + 1);
        return name.startsWith(WeakUpdates.TEMPORARY)
                || name.endsWith(".weaklink-new")
                || name.endsWith(".new")
                || name.equals("depmod/") && path.startsWith("var/")
                || name.equals("reserve");
    }

    static void copy(Path from, Path to) throws IOException {
        DurableFiles.deleteTree(to);
        List<String> words = List.of("cp", "-a", from.toString(), to.toString());
        assertThat(ExternalCommand.of(words, Duration.ofMinutes(1)).run().succeeded())
                .isTrue();
    }
}
