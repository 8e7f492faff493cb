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
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/** A kernel's files, whose symvers may be being read already. */
public final class KernelReading {
    /** What becomes of a file that somebody else put into its place. */
    static final String NOT_USED = "not used";

    private record Result(@Nullable UsableSymvers usable, List<InputProblem> problems) {}

    private final KernelFiles files;
    private final @Nullable BackgroundTask<Result> started;

    private KernelReading(KernelFiles files, @Nullable BackgroundTask<Result> started) {
        this.files = files;
        this.started = started;
    }

    /**
     * The files of every kernel that could be found, in order; one named twice counts once.
     *
     * @param store where kernels are kept that were seen before, null for the root's own
     * @param packages what is known of packages already
     * @param problems takes what is wrong with those that could not be found
     */
    public static List<KernelReading> find(
            Root root,
            @Nullable Path store,
            List<String> kernels,
            GivenPackages packages,
            List<InputProblem> problems) {
        StoredTargets stored = StoredTargets.in(root, store, problems);
        return new TargetFinder(root, stored, packages, problems).find(kernels);
    }

    /**
     * Reads the kernel.
     *
     * @param given loader rules set by the user
     * @param problems takes what is wrong with the files
     * @return null if nothing can be judged on it; a problem then says why
     */
    public @Nullable OpenTarget open(Map<LoaderRule, String> given, ReadOptions options, List<InputProblem> problems) {
        TargetKernel stored = files.stored();
        return stored == null
                ? new TargetReader(this, given, options, problems).read()
                : StoredTargets.open(files.label(), stored, given);
    }

    /** They are read when asked for, and not before. */
    static KernelReading later(KernelFiles files) {
        return new KernelReading(files, null);
    }

    /** The symvers is read from now on, while the caller looks for the kernel's modules. */
    static KernelReading start(KernelFiles files) {
        List<FoundFile> symvers = files.all(KernelFiles.Role.SYMVERS);
        if (symvers.isEmpty()) {
            return later(files);
        }
        BackgroundTask<Result> started = BackgroundTask.start(new Callable<>() {
            @Override
            public Result call() {
                List<InputProblem> problems = new ArrayList<>();
                UsableSymvers usable =
                        UsableSymvers.first(symvers, advice(files), new FileContents(Limits.TEXT), problems);
                return new Result(usable, problems);
            }
        });
        return new KernelReading(files, started);
    }

    /** The same with the kernel's modules, called and noted otherwise. */
    KernelReading with(String label, ModuleTree tree, List<String> notes) {
        return new KernelReading(files.with(label, tree, notes), started);
    }

    /** What to do about a file that is no symvers file. */
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
     * The first usable symvers file and what it says.
     *
     * @param contents room to read into
     * @param problems takes what is wrong with the files tried
     * @return null if none is usable
     */
    @Nullable
    UsableSymvers symvers(FileContents contents, List<InputProblem> problems) {
        if (started == null) {
            return UsableSymvers.first(files.all(KernelFiles.Role.SYMVERS), advice(files), contents, problems);
        }
        Result result = started.get();
        problems.addAll(result.problems());
        return result.usable();
    }
}
