package dev.weaklink.links.transaction;

import dev.weaklink.system.initramfs.InitramfsPlanner.InitramfsStep;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What is to be done as one: all of it or nothing.
 *
 * @param title the words of the command line, for the history and for others who wait
 * @param changes at most one for a path; the order does not matter
 * @param kernels releases for which depmod runs afterwards, whether or not a link changes
 * @param initramfs what runs after depmod; at most one for a kernel
 * @param installed runs of rebuilds whose modules it installs, or were installed just before, as {@code KERNEL/N}
 * @param external what other programs will install next
 * @param group what it belongs to; null if it is an entry of its own
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

    /** Of links alone. */
    public LinkTransaction(String title, List<Change> changes, List<String> kernels, List<InitramfsStep> initramfs) {
        this(title, changes, kernels, initramfs, List.of(), List.of(), null);
    }

    /**
     * What another program was told to install, such as a package manager or DKMS, and only that one can take back.
     *
     * @param run the rebuild that made it, as {@code KERNEL/N}
     * @param modules names of the modules
     * @param removal commands that remove them, for the administrator
     */
    public record ExternalInstallation(String run, List<String> modules, List<String> removal) {
        public ExternalInstallation {
            modules = List.copyOf(modules);
            removal = List.copyOf(removal);
        }

        /** The kernel it is for. */
        public String kernel() {
            return run.substring(0, Math.max(0, run.lastIndexOf('/')));
        }
    }
}
