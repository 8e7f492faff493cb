package dev.weaklink.compat;

import dev.weaklink.links.transaction.History;
import dev.weaklink.links.transaction.HistoryEntry;
import dev.weaklink.links.transaction.LinkTransaction;
import dev.weaklink.links.transaction.PathChange;
import dev.weaklink.links.transaction.TransactionListener;
import dev.weaklink.links.transaction.TransactionOutcome;
import dev.weaklink.links.transaction.TransactionRunner;
import dev.weaklink.links.transaction.TransactionRunner.TransactionSource;
import dev.weaklink.links.transaction.TransactionSettings;
import dev.weaklink.sys.NotDoneException;
import dev.weaklink.system.ModulesDirectory;
import dev.weaklink.system.initramfs.InitramfsPlanner.InitramfsStep;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Carries out planned changes as one transaction: changes links, runs depmod and renews initramfs images. */
final class DialectCommit {
    private final StandardStreams streams;
    private final BaseDirectory base;
    private final TransactionSettings settings;
    private @Nullable HistoryEntry recovered;

    DialectCommit(StandardStreams streams, BaseDirectory base, TransactionSettings settings) {
        this.streams = streams;
        this.base = base;
        this.settings = settings;
    }

    /**
     * Recovers the transaction of a killed process before anything else is read.
     *
     * @param dryRun whether to only report the interrupted transaction
     * @return false if the recovery failed
     */
    boolean recover(boolean dryRun) throws IOException {
        if (dryRun) {
            HistoryEntry entry = History.interrupted(base.root());
            if (entry != null) {
                streams.complain("transaction " + entry.number() + " was interrupted (" + entry.title() + ")");
            }
            return true;
        }
        try {
            recovered = runner().recover();
            return true;
        } catch (NotDoneException e) {
            return report(e);
        }
    }

    boolean hasRecovered() {
        return recovered != null;
    }

    void addPending(PendingChanges work) {
        if (recovered == null) {
            return;
        }
        for (PathChange change : recovered.changes()) {
            for (String kernel : recovered.initramfsPending()) {
                if (change.isLink() && change.path().contains("/" + kernel + "/")) {
                    work.changed(kernel, PathFormat.fileName(change.path()));
                }
            }
        }
    }

    private TransactionRunner runner() {
        return new TransactionRunner(base.root(), settings, new Messages(streams));
    }

    List<String> installed(PendingChanges work) throws IOException {
        List<String> installed = new ArrayList<>();
        for (String kernel : work.kernels()) {
            if (isInstalled(kernel)) {
                installed.add(kernel);
            }
        }
        return installed;
    }

    /**
     * Returns whether the module directory of this release belongs to an installed kernel and is not a mere leftover.
     */
    boolean isInstalled(String kernel) throws IOException {
        return isInstalled(base, kernel);
    }

    static boolean isInstalled(BaseDirectory base, String kernel) throws IOException {
        ModulesDirectory directory = ModulesDirectory.find(base.root(), kernel);
        return directory != null && directory.isKernel();
    }

    /** Returns whether the kernel has no module directory at all, so that no lock is needed. */
    boolean isNowhere(String kernel) throws IOException {
        return ModulesDirectory.find(base.root(), kernel) == null;
    }

    /**
     * A function that plans the changes and prints messages about them. In a run that writes, the transaction lock
     * keeps other processes from changing links meanwhile.
     */
    interface Planning {
        /** Returns the planned changes; null if the planning failed and the error has been printed. */
        @Nullable
        LinkTransaction make() throws IOException;
    }

    LinkTransaction transaction(String title, PendingChanges work, List<InitramfsStep> images) throws IOException {
        List<String> installed = installed(work);
        boolean isNothing = work.changes().isEmpty() && installed.isEmpty();
        return new LinkTransaction(title, work.changes(), installed, isNothing ? List.of() : images);
    }

    /**
     * Plans the changes and carries them out.
     *
     * @return whether everything succeeded
     * @throws IOException from the planning
     */
    boolean run(String title, Planning planning) throws IOException {
        Planned planned = new Planned(planning);
        try {
            return report(runner().run(title, planned)) && planned.made;
        } catch (NotDoneException e) {
            if (planned.failure != null) {
                throw planned.failure;
            }
            return report(e);
        }
    }

    private static final class Planned implements TransactionSource {
        private final Planning planning;
        private boolean made;
        private @Nullable IOException failure;

        Planned(Planning planning) {
            this.planning = planning;
        }

        @Override
        public @Nullable LinkTransaction make() throws IOException {
            try {
                LinkTransaction transaction = planning.make();
                made = transaction != null;
                return transaction;
            } catch (IOException e) {
                failure = e;
                throw e;
            }
        }
    }

    private boolean report(NotDoneException failure) {
        streams.complain(String.valueOf(failure.getMessage()));
        for (String detail : failure.details()) {
            streams.log("  " + detail);
        }
        return false;
    }

    private boolean report(TransactionOutcome outcome) {
        for (TransactionOutcome.InitramfsFailure failure : outcome.initramfsFailures()) {
            streams.complain("the initramfs of " + failure.kernel() + " could not be renewed: " + failure.reason());
            for (String line : failure.output()) {
                streams.log("  " + line);
            }
        }
        return outcome.initramfsFailures().isEmpty();
    }

    private record Messages(StandardStreams streams) implements TransactionListener {
        @Override
        public void warning(String message) {
            streams.complain(message);
        }
    }
}
