package dev.weaklink.links;

import dev.weaklink.links.plan.KernelPlan;
import dev.weaklink.links.plan.KernelPlan.LinkEdit;
import dev.weaklink.links.transaction.Change;
import dev.weaklink.links.transaction.History;
import dev.weaklink.links.transaction.HistoryEntry;
import dev.weaklink.links.transaction.HistoryEntry.TransactionState;
import dev.weaklink.links.transaction.LinkTransaction;
import dev.weaklink.links.transaction.PathChange;
import dev.weaklink.links.transaction.TransactionGroup;
import dev.weaklink.links.transaction.TransactionListener;
import dev.weaklink.links.transaction.TransactionOutcome;
import dev.weaklink.links.transaction.TransactionRunner;
import dev.weaklink.links.transaction.TransactionRunner.Renewals;
import dev.weaklink.links.transaction.TransactionRunner.UndoRequest;
import dev.weaklink.links.transaction.TransactionSettings;
import dev.weaklink.sys.NotDoneException;
import dev.weaklink.sys.Root;
import dev.weaklink.system.WeakUpdates;
import dev.weaklink.system.initramfs.InitramfsPlanner.InitramfsStep;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Changes the weak-updates links below a root directory in transactions. Most methods first finish or roll back an
 * interrupted transaction, so that links and indexes are consistent when they are read.
 */
public final class LinkChanges {
    private final LinkManager manager = new LinkManager();
    private final TransactionSettings settings;

    public LinkChanges() {
        this(TransactionSettings.DEFAULT);
    }

    public LinkChanges(TransactionSettings settings) {
        this.settings = settings;
    }

    /**
     * Finishes or rolls back an interrupted transaction.
     *
     * @param initramfs true to regenerate the initramfs images of the interrupted transaction
     * @return the entry of that transaction in the history, null if no transaction was interrupted
     * @throws NotDoneException if the transaction can be neither finished nor rolled back
     */
    public @Nullable HistoryEntry recover(Root root, boolean initramfs, TransactionListener listener)
            throws NotDoneException {
        return runner(root, listener).recover(initramfs ? entry -> renewals(root, entry, listener) : Renewals.NONE);
    }

    private List<InitramfsStep> renewals(Root root, HistoryEntry entry, TransactionListener listener) {
        ChangedModules changed = new ChangedModules();
        for (PathChange change : entry.changes()) {
            if (change.isLink()) {
                changed.add(change.path());
            }
        }
        changed.addInstalled(entry);
        return changed.renewals(root, listener);
    }

    /**
     * Plans changes and applies them as one transaction. Recovers an interrupted transaction first. If there is
     * anything to change, plans again under the lock.
     *
     * @param title the command line, for the history
     * @throws NotDoneException if the transaction was refused or failed; the exception describes the state of the links
     * @throws IOException if the root directory or a kernel's module directory cannot be read
     */
    public AppliedPlan apply(PlanRequest request, String title, boolean initramfs, TransactionListener listener)
            throws NotDoneException, IOException {
        return apply(request, title, initramfs, null, listener);
    }

    public AppliedPlan apply(
            PlanRequest request,
            String title,
            boolean initramfs,
            @Nullable TransactionGroup group,
            TransactionListener listener)
            throws NotDoneException, IOException {
        Root root = LinkManager.root(request);
        HistoryEntry recovered = recover(root, initramfs, listener);
        PlanResult[] planned = {manager.plan(request)};
        ChangedModules installed = new ChangedModules();
        HistoryEntry entry = group == null ? null : History.read(root).of(group);
        if (entry != null) {
            installed.addInstalled(entry);
        }
        TransactionOutcome outcome = TransactionOutcome.NOTHING;
        if (!planned[0].plan().changesNothing() || !installed.byKernel().isEmpty()) {
            outcome = runner(root, listener).run(title, () -> {
                planned[0] = manager.plan(request);
                return transaction(planned[0], title, initramfs, installed, group, listener);
            });
        }
        return new AppliedPlan(recovered, planned[0], outcome);
    }

    /**
     * Applies a plan as one transaction.
     *
     * @param title the command line, for the history
     * @throws NotDoneException if the transaction was refused or failed; the exception describes the state of the links
     */
    public TransactionOutcome apply(
            PlanResult result, String title, boolean initramfs, TransactionGroup group, TransactionListener listener)
            throws NotDoneException {
        ChangedModules installed = new ChangedModules();
        return runner(result.root(), listener)
                .run(title, () -> transaction(result, title, initramfs, installed, group, listener));
    }

    private static @Nullable LinkTransaction transaction(
            PlanResult result,
            String title,
            boolean initramfs,
            ChangedModules changed,
            @Nullable TransactionGroup group,
            TransactionListener listener) {
        List<Change> changes = new ArrayList<>();
        Set<String> kernels = new LinkedHashSet<>();
        for (KernelPlan kernel : result.plan().kernels()) {
            for (LinkEdit edit : kernel.edits()) {
                changes.add(change(edit));
                changed.add(edit.path());
            }
            if (!kernel.edits().isEmpty() || !kernel.needsDepmod().isEmpty()) {
                kernels.add(kernel.kernel());
            }
        }
        kernels.addAll(result.plan().mendedKernels());
        List<String> overrides = result.plan().overrides();
        if (!overrides.isEmpty()) {
            changes.add(new Change.AddLines(Change.OVERRIDES, overrides));
        }
        List<InitramfsStep> images = initramfs ? changed.renewals(result.root(), listener) : List.of();
        return new LinkTransaction(title, changes, List.copyOf(kernels), images, List.of(), List.of(), group);
    }

    /**
     * Undoes a transaction by a new transaction. Recovers an interrupted transaction first; if this recovery already
     * has the wanted effect, the undo is complete.
     *
     * @param number the transaction to undo; 0 for the interrupted transaction, or else the last one
     * @param force true to restore links and files that were changed since
     * @return the outcome; null if the transaction does not exist
     * @throws NotDoneException if the transaction was refused or failed; the exception describes the state of the links
     * @throws IOException if the history cannot be read
     */
    public @Nullable TransactionOutcome undo(
            Root root, int number, boolean force, boolean initramfs, TransactionListener listener)
            throws NotDoneException, IOException {
        HistoryEntry recovered = recover(root, initramfs, listener);
        History history = History.read(root);
        boolean isPart = number == 0 && recovered != null && recovered.open() && history.open() != null;
        if (recovered != null && !isPart && recovered.settlesUndoOf(number)) {
            return recovered.state() == TransactionState.DONE
                    ? new TransactionOutcome(
                            recovered.number(),
                            recovered.changes(),
                            recovered.kernels(),
                            recovered.external(),
                            List.of())
                    : TransactionOutcome.NOTHING;
        }
        HistoryEntry entry = number == 0 ? history.last() : history.entry(number);
        if (entry == null) {
            return null;
        }
        List<InitramfsStep> images = initramfs ? renewals(root, entry, listener) : List.of();
        return runner(root, listener)
                .undo(new UndoRequest("weaklink undo " + entry.number(), entry.number(), force, images));
    }

    public static Map<String, Set<String>> installed(HistoryEntry entry) {
        ChangedModules installed = new ChangedModules();
        installed.addInstalled(entry);
        return installed.byKernel();
    }

    public void close(Root root, TransactionGroup group, TransactionListener listener) throws NotDoneException {
        runner(root, listener).close(group);
    }

    private TransactionRunner runner(Root root, TransactionListener listener) {
        return new TransactionRunner(root, settings, listener);
    }

    /**
     * Removes links, and runs depmod for their kernels, as one transaction. Recovers an interrupted transaction first.
     *
     * <p>If {@code named} is empty, removes all links that are proven useless, and temporary links of transactions
     * whose journal no longer exists. In this case, depmod also runs for each kernel whose modules.dep does not match
     * its links.
     *
     * @param named the paths of the links to remove, useless or not; if one of them does not exist, no link is removed
     * @param title the command line, for the history
     * @throws NotDoneException if the transaction was refused or failed; the exception describes the state of the links
     * @throws IOException if the root directory or a kernel's module directory cannot be read
     */
    public Repair repair(
            PlanRequest request, List<String> named, String title, boolean initramfs, TransactionListener listener)
            throws NotDoneException, IOException {
        Root root = LinkManager.root(request);
        HistoryEntry recovered = recover(root, initramfs, listener);
        if (named.isEmpty()) {
            removeLeftovers(root, title, listener);
        }
        Repair[] repair = {Repair.of(manager.audit(request), named)};
        if (repair[0].isEmpty()) {
            return repair[0].recovered(recovered);
        }
        TransactionOutcome outcome = runner(root, listener).run(title, () -> {
            repair[0] = Repair.of(manager.audit(request), named);
            return repair[0].transaction(title, initramfs, listener);
        });
        return repair[0].recovered(recovered).done(outcome);
    }

    private void removeLeftovers(Root root, String title, TransactionListener listener)
            throws NotDoneException, IOException {
        List<Path> temporary = new ArrayList<>();
        for (String release : LinkManager.linked(root)) {
            temporary.addAll(WeakUpdates.scan(root, release).leftovers());
        }
        temporary.removeIf(path -> !Files.isSymbolicLink(path));
        if (temporary.isEmpty()) {
            return;
        }
        runner(root, listener).run(title, () -> {
            for (Path link : History.withoutJournal(root, temporary)) {
                if (Files.deleteIfExists(link)) {
                    listener.warning(root.inside(link)
                            + ": removed; it was left by a transaction whose journal no longer exists");
                }
            }
            return null;
        });
    }

    private static Change change(LinkEdit edit) {
        String after = edit.after();
        return after == null
                ? new Change.RemoveLink(edit.path(), String.valueOf(edit.before()))
                : new Change.PutLink(edit.path(), after);
    }

    /**
     * An applied plan.
     *
     * @param recovered the interrupted transaction that was finished or rolled back first, null if there was none
     * @param outcome the outcome of the plan's transaction
     */
    public record AppliedPlan(@Nullable HistoryEntry recovered, PlanResult planned, TransactionOutcome outcome) {}
}
