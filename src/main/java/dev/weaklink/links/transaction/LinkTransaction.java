package dev.weaklink.links.transaction;

import dev.weaklink.system.initramfs.InitramfsPlanner.InitramfsStep;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A set of changes that are made completely or not at all.
 *
 * @param title the command line, for the history and for waiting processes
 * @param changes at most one change for each path, in any order
 * @param kernels the releases for which depmod runs afterwards, even if no link changes
 * @param initramfs the commands that run after depmod, at most one for each kernel
 * @param installed the rebuild runs, as {@code KERNEL/N}, whose modules the transaction installs or another program
 *     installed just before
 * @param external the installations that other programs will make next
 * @param group the group of the transaction; null for a separate history entry
 */
public record LinkTransaction(
        String title,
        List<Change> changes,
        List<String> kernels,
        List<InitramfsStep> initramfs,
        List<String> installed,
        List<ExternalInstallation> external,
        @Nullable TransactionGroup group) {
    public LinkTransaction {
        changes = List.copyOf(changes);
        kernels = List.copyOf(kernels);
        initramfs = List.copyOf(initramfs);
        installed = List.copyOf(installed);
        external = List.copyOf(external);
    }

    public LinkTransaction(String title, List<Change> changes, List<String> kernels, List<InitramfsStep> initramfs) {
        this(title, changes, kernels, initramfs, List.of(), List.of(), null);
    }

    /**
     * An installation by another program, such as a package manager or DKMS. Only that program can undo the
     * installation.
     *
     * @param run the rebuild run, as {@code KERNEL/N}
     * @param modules the names of the modules
     * @param removal the commands that remove the modules, for the administrator
     */
    public record ExternalInstallation(String run, List<String> modules, List<String> removal) {
        public ExternalInstallation {
            modules = List.copyOf(modules);
            removal = List.copyOf(removal);
        }

        public String kernel() {
            return run.substring(0, Math.max(0, run.lastIndexOf('/')));
        }
    }
}
