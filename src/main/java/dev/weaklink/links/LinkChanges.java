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
import dev.weaklink.system.initramfs.InitramfsPlanner.InitramfsStep;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Changes the links of a root, in transactions. Each first settles what a killed process left, so that what is looked
 * at is not half done.
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
     * Finishes or takes back what a killed process left, so that what is looked at next is not half done.
     *
     * @param initramfs whether images that it did not come to renew are renewed
     * @return how it ended; null if no transaction was interrupted
     * @throws NotDoneException if neither is possible
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
     * Plans, and carries that out as one transaction. What a killed process left is settled first, and planned is once
     * more when no other process can change links any more.
     *
     * @param title the words of the command line, for the history
     * @throws NotDoneException if it was refused or failed; says in what state the root is
     * @throws IOException if the root itself cannot be used
     */
    public AppliedPlan apply(PlanRequest request, String title, boolean initramfs, TransactionListener listener)
            throws NotDoneException, IOException {
        return apply(request, title, initramfs, null, listener);
    }

    /** The same, as a part of an entry of the history; renews images that hold what its group has installed, too. */
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
     * Carries out a plan as one transaction.
     *
     * @param title the words of the command line, for the history
     * @throws NotDoneException if it was refused or failed; says in what state the root is
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
     * Puts back what was there before a transaction, as a transaction of its own. One that a killed process left is
     * settled first; if that was what is to be undone, or an undo, it may be all.
     *
     * @param number the transaction; 0 for the interrupted one, else the last one
     * @param force whether links that others have changed since are put back, too
     * @return null if there is no such transaction
     * @throws NotDoneException if it was refused or failed; says in what state the root is
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

    /** Names of modules that an entry of the history installed, by kernel. */
    public static Map<String, Set<String>> installed(HistoryEntry entry) {
        ChangedModules installed = new ChangedModules();
        installed.addInstalled(entry);
        return installed.byKernel();
    }

    /** Writes down that nothing more belongs to a group. */
    public void close(Root root, TransactionGroup group, TransactionListener listener) throws NotDoneException {
        runner(root, listener).close(group);
    }

    private TransactionRunner runner(Root root, TransactionListener listener) {
        return new TransactionRunner(root, settings, listener);
    }

    /**
     * Removes links, and runs depmod where it has not seen all of them, as one transaction. What a killed process left
     * is settled first, and looked is once more when no other process can change links any more.
     *
     * @param named links to be removed whatever they are; if empty, those proven to be of no use
     * @param title the words of the command line, for the history
     * @throws NotDoneException if it was refused or failed; says in what state the root is
     * @throws IOException if the root itself cannot be used
     */
    public Repair repair(
            PlanRequest request, List<String> named, String title, boolean initramfs, TransactionListener listener)
            throws NotDoneException, IOException {
        Root root = LinkManager.root(request);
        HistoryEntry recovered = recover(root, initramfs, listener);
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

    private static Change change(LinkEdit edit) {
        String after = edit.after();
        return after == null
                ? new Change.RemoveLink(edit.path(), String.valueOf(edit.before()))
                : new Change.PutLink(edit.path(), after);
    }

    /**
     * A plan that was carried out.
     *
     * @param recovered the interrupted transaction that was finished or taken back first, or null
     * @param planned the plan
     * @param outcome what was done
     */
    public record AppliedPlan(@Nullable HistoryEntry recovered, PlanResult planned, TransactionOutcome outcome) {}
}
