package dev.weaklink.links.transaction;

import dev.weaklink.links.transaction.LinkTransaction.ExternalInstallation;
import java.util.List;

/**
 * A transaction that was carried out.
 *
 * @param number its number in the history, or 0 if no path was changed
 * @param changes what was done to links and directories, sorted by path
 * @param kernels for which depmod ran
 * @param external what other programs have to remove, if it undoes another
 * @param initramfsFailures commands that failed; the links are right nevertheless, and stay
 */
public record TransactionOutcome(
        int number,
        List<PathChange> changes,
        List<String> kernels,
        List<ExternalInstallation> external,
        List<InitramfsFailure> initramfsFailures) {
    /** Nothing was done. */
    public static final TransactionOutcome NOTHING =
            new TransactionOutcome(0, List.of(), List.of(), List.of(), List.of());

    public TransactionOutcome {
        changes = List.copyOf(changes);
        kernels = List.copyOf(kernels);
        external = List.copyOf(external);
        initramfsFailures = List.copyOf(initramfsFailures);
    }

    /** Whether no link changed, and depmod ran for no kernel. */
    public boolean isNothing() {
        return changes.isEmpty() && kernels.isEmpty();
    }

    /**
     * An initramfs that could not be renewed.
     *
     * @param reason one line
     * @param output the end of what the command printed
     */
    public record InitramfsFailure(String kernel, String reason, List<String> output) {
        public InitramfsFailure {
            output = List.copyOf(output);
        }
    }
}
