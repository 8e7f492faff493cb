package dev.weaklink.check;

import dev.weaklink.format.codec.FileContents;
import dev.weaklink.format.codec.Limits;
import dev.weaklink.kernel.LoaderRule;
import dev.weaklink.kernel.TargetKernel;
import dev.weaklink.sys.BackgroundTask;
import dev.weaklink.sys.InputProblem;
import dev.weaklink.sys.Root;
import dev.weaklink.system.FoundFile;
import dev.weaklink.system.GivenPackages;
import dev.weaklink.system.KernelFiles;
import dev.weaklink.system.ModuleTree;
import dev.weaklink.system.cache.FactsCache;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/** The files of a kernel. Background threads may already be reading the symvers file and the kernel image. */
public final class FoundKernel {
    /** The end of a message about a symvers file that weaklink skips because the user did not name the file. */
    static final String NOT_USED = "not used";

    private record ReadSymvers(@Nullable UsableSymvers usable, List<InputProblem> problems) {}

    private final KernelFiles files;
    private final @Nullable BackgroundTask<ReadSymvers> started;
    private final @Nullable KeptImage image;

    private FoundKernel(KernelFiles files, @Nullable BackgroundTask<ReadSymvers> started, @Nullable KeptImage image) {
        this.files = files;
        this.started = started;
        this.image = image;
    }

    /**
     * Returns the files of every kernel that can be found, in the order given. Kernels in packages are together at the
     * place of the first package, because several packages may be parts of one kernel.
     *
     * @param kernels releases and paths as typed; empty for the newest installed kernel
     * @param store the directory of stored kernels, null for the root's default store
     * @param packages the packages read so far
     * @param problems receives a problem for each kernel that is not found
     */
    public static List<FoundKernel> find(
            Root root,
            @Nullable Path store,
            List<String> kernels,
            GivenPackages packages,
            List<InputProblem> problems) {
        StoredKernels stored = StoredKernels.in(root, store, problems);
        return new TargetFinder(root, stored, packages, problems).find(kernels);
    }

    /**
     * Returns the files of every kernel like {@link #find}, for a caller that will open each kernel. If a single
     * installed kernel is requested, background threads start to read its symvers file and its image.
     */
    static List<FoundKernel> findToOpen(
            Root root,
            @Nullable Path store,
            List<String> kernels,
            GivenPackages packages,
            FactsCache cache,
            List<InputProblem> problems) {
        StoredKernels stored = StoredKernels.in(root, store, problems);
        return new TargetFinder(root, stored, packages, problems).opening(cache).find(kernels);
    }

    /**
     * Opens the kernel.
     *
     * @param given loader rules set by the user
     * @param problems receives problems with the files
     * @return null if no module can be judged on the kernel; a problem then gives the reason
     */
    public @Nullable CheckTarget open(Map<LoaderRule, String> given, ReadOptions options, List<InputProblem> problems) {
        TargetKernel stored = files.stored();
        return stored == null
                ? new TargetReader(this, given, options, problems).read()
                : StoredKernels.open(files.label(), stored, given);
    }

    static FoundKernel later(KernelFiles files) {
        return new FoundKernel(files, null, null);
    }

    static FoundKernel start(KernelFiles files) {
        return new FoundKernel(files, startSymvers(files), null);
    }

    /** Starts to read the symvers file and, unless the cache has its facts, the image. */
    static FoundKernel start(KernelFiles files, FactsCache cache) {
        BackgroundTask<ReadSymvers> symvers = startSymvers(files);
        KeptImage image = new KeptImage(files.all(KernelFiles.Role.IMAGE), files.release(), cache);
        image.startUnlessKept();
        return new FoundKernel(files, symvers, image);
    }

    private static @Nullable BackgroundTask<ReadSymvers> startSymvers(KernelFiles files) {
        List<FoundFile> symvers = files.all(KernelFiles.Role.SYMVERS);
        if (symvers.isEmpty()) {
            return null;
        }
        return BackgroundTask.start(new Callable<>() {
            @Override
            public ReadSymvers call() {
                List<InputProblem> problems = new ArrayList<>();
                UsableSymvers usable =
                        UsableSymvers.first(symvers, advice(files), new FileContents(Limits.TEXT), problems);
                return new ReadSymvers(usable, problems);
            }
        });
    }

    /**
     * Returns the image, whose unpacking may already have started; starts it otherwise, unless the cache has its facts.
     */
    KeptImage image(FactsCache cache) {
        if (image != null) {
            return image;
        }
        KeptImage opened = new KeptImage(files.all(KernelFiles.Role.IMAGE), files.release(), cache);
        opened.startUnlessKept();
        return opened;
    }

    FoundKernel with(String label, ModuleTree tree, List<String> notes) {
        return new FoundKernel(files.with(label, tree, notes), started, image);
    }

    private static String advice(KernelFiles files) {
        return switch (files.kind()) {
            case INSTALLED_KERNEL, PACKAGE -> NOT_USED;
            default -> TargetFinder.WHAT_TO_GIVE;
        };
    }

    KernelFiles files() {
        return files;
    }

    /**
     * Returns the first usable symvers file.
     *
     * @param contents a reusable buffer
     * @param problems receives problems with the files that were tried
     * @return null if no file is usable
     */
    @Nullable
    UsableSymvers symvers(FileContents contents, List<InputProblem> problems) {
        if (started == null) {
            return UsableSymvers.first(files.all(KernelFiles.Role.SYMVERS), advice(files), contents, problems);
        }
        ReadSymvers result = started.get();
        problems.addAll(result.problems());
        return result.usable();
    }
}
