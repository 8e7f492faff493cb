package dev.weaklink.links;

import dev.weaklink.check.result.ExitCode;
import dev.weaklink.links.plan.CheckedLink;
import dev.weaklink.links.plan.CheckedLink.LinkDefect;
import dev.weaklink.links.transaction.Change;
import dev.weaklink.links.transaction.HistoryEntry;
import dev.weaklink.links.transaction.LinkTransaction;
import dev.weaklink.links.transaction.PathChange;
import dev.weaklink.links.transaction.TransactionListener;
import dev.weaklink.links.transaction.TransactionOutcome;
import dev.weaklink.system.ListedModules;
import dev.weaklink.system.initramfs.InitramfsPlanner.InitramfsStep;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A repair of links: the planned removals and depmod runs, and their outcome.
 *
 * @param audit the state of the links before the repair
 * @param removed the links to remove
 * @param depmod the kernels that need a depmod run because modules.dep does not match their links; empty if links were
 *     named
 * @param unknown the named links that do not exist
 * @param recovered the interrupted transaction that was finished or rolled back first, null if there was none
 * @param outcome the outcome of the repair's transaction
 */
public record Repair(
        LinkDefects audit,
        List<CheckedLink> removed,
        List<String> depmod,
        List<String> unknown,
        @Nullable HistoryEntry recovered,
        TransactionOutcome outcome) {
    public Repair {
        removed = List.copyOf(removed);
        depmod = List.copyOf(depmod);
        unknown = List.copyOf(unknown);
    }

    /**
     * Plans a repair. Removing a link makes depmod run for the link's kernel. So the repair also removes links of that
     * kernel that would then keep other modules from loading.
     *
     * @param named the paths of the links to remove in any case; if empty, the repair removes links that are proven
     *     useless
     */
    public static Repair of(LinkDefects audit, List<String> named) {
        List<CheckedLink> removed = new ArrayList<>();
        List<String> unknown = new ArrayList<>(named);
        for (CheckedLink link : audit.links()) {
            unknown.remove(link.path());
            if (named.isEmpty() ? link.mayBeRemoved() : named.contains(link.path())) {
                removed.add(link);
            }
        }
        List<String> depmod = named.isEmpty() ? audit.needsDepmod() : List.of();
        // depmod runs for each kernel that loses a link. If depmod would activate other links of such a kernel that
        // break modules, these links are removed too.
        Set<String> kernels = new LinkedHashSet<>();
        removed.forEach(link -> kernels.add(link.kernel()));
        for (CheckedLink link : audit.links()) {
            boolean breaks = link.defects().contains(LinkDefect.BREAKS_WHEN_SEEN);
            if (breaks && kernels.contains(link.kernel()) && !removed.contains(link)) {
                removed.add(link);
            }
        }
        return new Repair(audit, removed, depmod, unknown, null, TransactionOutcome.NOTHING);
    }

    /** Returns the kernels for which depmod must run although the repair removes none of their links. */
    public List<String> depmodOnly() {
        List<String> kernels = new ArrayList<>(depmod);
        for (CheckedLink link : removed) {
            kernels.remove(link.kernel());
        }
        return kernels;
    }

    /** Returns whether the repair changes nothing, because nothing needs a repair or a named link does not exist. */
    boolean isEmpty() {
        return !unknown.isEmpty() || removed.isEmpty() && depmod.isEmpty();
    }

    /**
     * Returns this repair after recovery of an interrupted transaction; links that the transaction removed no longer
     * count as unknown.
     */
    Repair recovered(@Nullable HistoryEntry entry) {
        List<String> left = new ArrayList<>(unknown);
        if (entry != null && entry.isDone()) {
            for (PathChange change : entry.changes()) {
                if (change.isLink() && change.target() == null) {
                    left.remove(change.path());
                }
            }
        }
        return new Repair(audit, removed, depmod, left, entry, outcome);
    }

    Repair done(TransactionOutcome now) {
        return new Repair(audit, removed, depmod, unknown, recovered, now);
    }

    @Nullable
    LinkTransaction transaction(String title, boolean initramfs, TransactionListener listener) {
        if (isEmpty()) {
            return null;
        }
        List<Change> changes = new ArrayList<>();
        ChangedModules changed = new ChangedModules();
        Set<String> kernels = new LinkedHashSet<>(depmod);
        for (CheckedLink link : removed) {
            changes.add(new Change.RemoveLink(link.path(), link.target()));
            if (!link.defects().contains(LinkDefect.ONLY_LINKS)) {
                kernels.add(link.kernel());
                changed.add(link.path());
            }
        }
        List<InitramfsStep> images = initramfs ? changed.renewals(audit.root(), listener) : List.of();
        return new LinkTransaction(title, changes, List.copyOf(kernels), images);
    }

    public ExitCode exitCode() throws IOException {
        if (removed.isEmpty() && depmod.isEmpty()) {
            return audit.exitCode();
        }
        for (CheckedLink link : audit.links()) {
            boolean fixed = removed.contains(link) || !depmod.isEmpty() && link.onlyNeedsDepmod();
            if (link.isDefective() && !fixed) {
                return ExitCode.INCOMPATIBLE;
            }
        }
        for (String kernel : depmod) {
            if (!ListedModules.unseen(audit.root(), kernel).isEmpty()) {
                return ExitCode.INCOMPATIBLE;
            }
        }
        return ExitCode.COMPATIBLE;
    }
}
