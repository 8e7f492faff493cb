package dev.weaklink.links.transaction;

import dev.weaklink.links.transaction.LinkTransaction.ExternalInstallation;
import java.util.List;

/**
 * The result of an executed transaction.
 *
 * @param number the number in the history, or 0 if the transaction is not in the history
 * @param changes the changes of links, files and directories, sorted by path
 * @param kernels the kernels whose index files were renewed
 * @param external for an undo, the installations that other programs still have to remove
 * @param initramfsFailures the failed initramfs commands; the link changes stay
 */
public record TransactionOutcome(
        int number,
        List<PathChange> changes,
        List<String> kernels,
        List<ExternalInstallation> external,
        List<InitramfsFailure> initramfsFailures) {
    public static final TransactionOutcome NOTHING =
            new TransactionOutcome(0, List.of(), List.of(), List.of(), List.of());

    public TransactionOutcome {
        changes = List.copyOf(changes);
        kernels = List.copyOf(kernels);
        external = List.copyOf(external);
        initramfsFailures = List.copyOf(initramfsFailures);
    }

    public boolean isNothing() {
        return changes.isEmpty() && kernels.isEmpty();
    }

    /**
     * A failed regeneration of an initramfs.
     *
     * @param reason one line for people
     * @param output the end of the command's output, empty if the command did not run
     */
    public record InitramfsFailure(String kernel, String reason, List<String> output) {
        public InitramfsFailure {
            output = List.copyOf(output);
        }
    }
}
