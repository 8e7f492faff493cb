package dev.weaklink.links.transaction;

import dev.weaklink.links.transaction.IndexFiles.IndexSet;
import dev.weaklink.links.transaction.ManagedPath.KernelDirectory;
import dev.weaklink.links.transaction.TransactionRunner.TransactionContext;
import dev.weaklink.sys.DurableFiles;
import dev.weaklink.sys.ExternalCommand;
import dev.weaklink.sys.IoReason;
import dev.weaklink.sys.Root;
import dev.weaklink.system.ModuleTree;
import dev.weaklink.system.ModuleTree.ModuleFile;
import dev.weaklink.system.WeakUpdates;
import dev.weaklink.system.WeakUpdates.WeakLink;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Renews and restores the index files of all kernels of one transaction. */
final class Indexing {
    private final TransactionContext context;
    private final TransactionDirectory directory;
    private final TransactionRecord record;

    Indexing(TransactionContext context, TransactionDirectory directory, TransactionRecord record) {
        this.context = context;
        this.directory = directory;
        this.record = record;
    }

    /**
     * Updates the index files of each kernel. If the record lists the kernel as restored, restores the files that the
     * undone transaction saved. Otherwise, or if the saved files are not intact, runs depmod.
     *
     * @return the index files as they are now, without kernels that no longer exist
     */
    List<IndexSet> renew() throws IOException {
        List<IndexSet> written = new ArrayList<>();
        for (String release : record.kernels()) {
            KernelDirectory kernel = KernelDirectory.find(context.root(), release);
            if (kernel == null) {
                context.listener().warning(release + ": kernel directory no longer exists; depmod was not run");
                continue;
            }
            if (!record.restored().contains(release) || !restoreUndone(kernel)) {
                new DepmodRunner(context).run(kernel, directory.work());
            }
            written.add(new IndexFiles(kernel, context.faults()).contents());
        }
        return written;
    }

    private boolean restoreUndone(KernelDirectory kernel) throws IOException {
        TransactionLog log = new TransactionLog(context.root(), context.faults());
        TransactionRecord last = log.open(record.undoes()).record();
        for (TransactionDirectory one : last == null ? List.<TransactionDirectory>of() : log.joined(last)) {
            TransactionRecord what = one.record();
            IndexSet saved = what == null ? null : of(kernel.release(), what.saved());
            if (saved != null) {
                return restore(kernel, one.indexes(), saved);
            }
        }
        return false;
    }

    /**
     * Restores the index files that the transaction saved. Runs depmod for a kernel whose saved files are not intact.
     */
    void takeBack() throws IOException {
        DurableFiles.deleteTree(directory.work());
        for (IndexSet saved : record.saved()) {
            KernelDirectory kernel = KernelDirectory.find(context.root(), saved.kernel());
            if (kernel != null && !restore(kernel, directory.indexes(), saved)) {
                new DepmodRunner(context).run(kernel, directory.work());
            }
        }
    }

    private boolean restore(KernelDirectory kernel, Path store, IndexSet saved) throws IOException {
        if (!IndexFiles.isIntact(store, saved)) {
            return false;
        }
        new IndexFiles(kernel, context.faults()).restore(store, saved);
        return true;
    }

    static @Nullable IndexSet of(String release, List<IndexSet> sets) {
        for (IndexSet set : sets) {
            if (set.kernel().equals(release)) {
                return set;
            }
        }
        return null;
    }

    /**
     * Runs the system's depmod(8).
     *
     * <p>If the kernel's directory is below {@code /lib/modules} of the running system, depmod changes the directory
     * itself. In all other cases, depmod runs on a {@link Mirror}, and the results are copied back. One reason is that
     * depmod would follow links out of another root directory. The other is that depmod before version 34 knows only
     * one of {@code /lib/modules} and {@code /usr/lib/modules}.
     */
    private record DepmodRunner(TransactionContext context) {
        private static final String PATH = "/usr/sbin:/sbin:/usr/bin:/bin";

        private static final int MAX_LINES = 20;

        /**
         * Updates a kernel's index files.
         *
         * @param work a directory for temporary files; any present contents may be deleted
         * @throws IOException if the update fails, for example because depmod is missing; the files may then be old,
         *     new or mixed
         */
        void run(KernelDirectory kernel, Path work) throws IOException {
            context.listener().depmod(kernel.release());
            IndexFiles files = new IndexFiles(kernel, context.faults());
            files.removeTemporaries();
            context.faults().at("before depmod");
            if (isWhereDepmodLooks(kernel)) {
                depmod(List.of(kernel.release()), kernel.release());
            } else {
                DurableFiles.deleteTree(work);
                Mirror mirror = Mirror.make(context.root(), kernel, work);
                context.faults().at("after making a mirror");
                depmod(mirror.arguments(), kernel.release());
                files.install(mirror.modules());
                DurableFiles.deleteTree(work);
            }
            context.faults().at("after depmod");
            files.sync();
        }

        private boolean isWhereDepmodLooks(KernelDirectory kernel) throws IOException {
            return context.root().isHost()
                    && Path.of("/lib/modules", kernel.release()).toRealPath().equals(kernel.host());
        }

        private void depmod(List<String> arguments, String release) throws IOException {
            List<String> words = new ArrayList<>();
            words.add(program());
            words.addAll(arguments);
            ExternalCommand.Result result;
            try {
                result = ExternalCommand.of(words, context.settings().depmodLimit())
                        .withEnvironment(Map.of("PATH", PATH, "LC_ALL", "C"))
                        .run();
            } catch (IOException e) {
                throw new IOException("depmod cannot be run: " + IoReason.of(e), e);
            }
            if (!result.succeeded()) {
                throw new Execution.StepFailure(
                        "depmod failed for kernel " + release + " (" + result.reason() + ")", result.lines());
            }
            passOn(result.lines());
        }

        /**
         * Reports only a few lines of output as warnings, because depmod may print a line for each of thousands of
         * modules. Omits warnings about temporary links, which are about to be removed.
         */
        private void passOn(List<String> lines) {
            lines.stream()
                    .filter(line -> !line.contains(WeakUpdates.TEMPORARY))
                    .limit(MAX_LINES)
                    .forEach(context.listener()::warning);
        }

        private String program() throws IOException {
            Path given = context.settings().depmod();
            if (given != null) {
                return given.toString();
            }
            String path = System.getenv("PATH");
            for (String directory : ((path == null ? "" : path + ":") + PATH).split(":", -1)) {
                Path program = Path.of(directory, "depmod");
                if (program.isAbsolute() && Files.isExecutable(program)) {
                    return program.toString();
                }
            }
            throw new IOException("depmod is not installed; install the package kmod");
        }

        /**
         * A copy of a kernel's module directory, made of symbolic links, on which depmod runs. For each module, the
         * copy contains only the file that depmod would choose with the depmod.d of the root directory. So depmod needs
         * no configuration, and reads nothing outside the root directory.
         *
         * @param base the copy's root directory, which depmod uses instead of the real one
         * @param modules the kernel's directory below {@code base}
         */
        private record Mirror(Path base, Path modules, String release) {
            private static final List<String> KERNELS_OWN =
                    List.of("modules.order", "modules.builtin", "modules.builtin.modinfo");

            private static final String CONFIGURATION = "depmod.conf";

            /**
             * Creates the mirror.
             *
             * @param base a directory that does not exist yet
             * @throws IOException if the mirror cannot be created, or if the depmod.d below {@code root} selects a
             *     module outside the kernel's directory
             */
            static Mirror make(Root root, KernelDirectory kernel, Path base) throws IOException {
                Path modules = base.resolve("usr/lib/modules").resolve(kernel.release());
                DurableFiles.createDirectories(modules);
                // depmod uses one of the two paths, depending on how it was built.
                Files.createSymbolicLink(base.resolve("lib"), Path.of("usr/lib"));
                Files.createFile(base.resolve(CONFIGURATION));
                for (String name : KERNELS_OWN) {
                    Path file = root.resolve(root.inside(kernel.host().resolve(name)));
                    if (Files.isRegularFile(file)) {
                        Files.createSymbolicLink(modules.resolve(name), file);
                    }
                }
                Mirror mirror = new Mirror(base, modules, kernel.release());
                ModuleTree tree = ModuleTree.scan(root, kernel.release());
                mirror.addModules(tree.changed(file -> false, spelledFromOutside(root, kernel.release())));
                return mirror;
            }

            /**
             * Returns the target files of links whose target begins with the root directory's own path on the host.
             * Such links dangle inside the root directory, but their targets exist as long as the root directory is not
             * moved.
             */
            private static List<ModuleFile> spelledFromOutside(Root root, String release) throws IOException {
                List<ModuleFile> files = new ArrayList<>();
                for (WeakLink link : WeakUpdates.scan(root, release).links()) {
                    String inside = link.dangles() ? root.withoutTop(link.target()) : null;
                    Path file = inside == null ? null : root.resolve(inside);
                    if (file != null && Files.isRegularFile(file)) {
                        files.add(new ModuleFile(link.name(), link.inside(), file));
                    }
                }
                return files;
            }

            private void addModules(ModuleTree tree) throws IOException {
                String prefix = tree.directory().inside() + "/";
                Set<Path> made = new HashSet<>();
                for (String name : tree.names()) {
                    ModuleFile file = tree.chosen(name);
                    if (file == null) {
                        continue;
                    }
                    if (!file.inside().startsWith(prefix)) {
                        throw new IOException(file.inside()
                                + " is in an external directory of depmod.d, for which weaklink cannot run depmod;"
                                + " run depmod yourself; for a --root directory, use chroot");
                    }
                    Path link = modules.resolve(file.inside().substring(prefix.length()));
                    if (made.add(link.resolveSibling(""))) {
                        Files.createDirectories(link.resolveSibling(""));
                    }
                    Files.createSymbolicLink(link, file.host());
                }
            }

            List<String> arguments() {
                List<String> arguments = new ArrayList<>();
                arguments.add("-b");
                arguments.add(base.toString());
                arguments.add("-C");
                arguments.add(base.resolve(CONFIGURATION).toString());
                arguments.add(release);
                return arguments;
            }
        }
    }
}
