package dev.weaklink.check;

import dev.weaklink.kernel.store.KernelStore;
import dev.weaklink.kernel.store.StoreEntry;
import dev.weaklink.sys.InputProblem;
import dev.weaklink.sys.Progress;
import dev.weaklink.sys.Root;
import dev.weaklink.system.GivenPackages;
import dev.weaklink.system.RepositoryKernel;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Opens stores and adds kernels to them. */
public final class StoreKeeper {
    private StoreKeeper() {}

    /**
     * Opens a store.
     *
     * @param root the system image, null for {@code /}
     * @param directory the store as typed, null for the root's default store
     * @throws IOException if the root cannot be opened
     */
    public static KernelStore open(@Nullable Path root, @Nullable Path directory) throws IOException {
        return new KernelStore(StoredKernels.directory(opened(root), directory));
    }

    private static Root opened(@Nullable Path root) throws IOException {
        return root == null ? Root.HOST : Root.of(root);
    }

    /**
     * Returns the kernels of a repository, from old to new, that are missing in the store. A release counts as missing
     * if the store has fewer entries for it than the repository, which may have several architectures.
     *
     * @throws IOException if the store cannot be read
     */
    public static List<RepositoryKernel> missing(KernelStore store, String repository, List<InputProblem> problems)
            throws IOException {
        List<RepositoryKernel> kernels = RepositoryKernel.below(repository, problems);
        Map<String, Integer> more = new HashMap<>();
        for (RepositoryKernel kernel : kernels) {
            more.merge(kernel.release(), 1, Integer::sum);
        }
        for (StoreEntry entry : store.entries()) {
            more.merge(entry.release(), -1, Integer::sum);
        }
        List<RepositoryKernel> missing = new ArrayList<>(kernels);
        missing.removeIf(kernel -> more.getOrDefault(kernel.release(), 0) <= 0);
        if (kernels.isEmpty() && problems.isEmpty()) {
            problems.add(new InputProblem(repository, "no packages of kernels below it"));
        }
        return missing;
    }

    /**
     * Adds kernels to a store.
     *
     * @param kernels releases and paths as typed; empty for the newest kernel in the root
     * @param problems receives problems with the kernels, and the reason why one was not stored
     * @return the kernels that were stored
     * @throws IOException if the root cannot be opened
     */
    public static List<StoreEntry> keep(
            KernelStore store,
            @Nullable Path root,
            List<String> kernels,
            ReadOptions reading,
            List<InputProblem> problems)
            throws IOException {
        Root opened = opened(root);
        KernelKeeper keeper = new KernelKeeper(store, reading.cache());
        List<StoreEntry> kept = new ArrayList<>();
        GivenPackages packages = reading.packages();
        packages.readAll(kernels, Progress.NONE);
        for (KernelReading files : KernelReading.find(opened, store.directory(), kernels, packages, problems)) {
            CheckTarget target = files.open(Map.of(), reading, problems);
            StoreEntry entry = target == null ? null : keeper.keep(target, problems);
            if (entry != null) {
                kept.add(entry);
            }
        }
        return kept;
    }
}
