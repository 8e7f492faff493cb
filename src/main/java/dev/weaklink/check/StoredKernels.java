package dev.weaklink.check;

import dev.weaklink.check.result.TargetSummary;
import dev.weaklink.kernel.LoaderBehavior;
import dev.weaklink.kernel.LoaderBehaviorReader;
import dev.weaklink.kernel.LoaderRule;
import dev.weaklink.kernel.TargetKernel;
import dev.weaklink.kernel.store.KernelStore;
import dev.weaklink.kernel.store.StoreEntry;
import dev.weaklink.sys.InputProblem;
import dev.weaklink.sys.IoReason;
import dev.weaklink.sys.Root;
import dev.weaklink.sys.UnreadableException;
import dev.weaklink.system.KernelFiles;
import dev.weaklink.system.TargetKind;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

final class StoredKernels {
    private final KernelStore store;
    private final List<InputProblem> problems;

    private StoredKernels(KernelStore store, List<InputProblem> problems) {
        this.store = store;
        this.problems = problems;
    }

    static StoredKernels in(Root root, @Nullable Path given, List<InputProblem> problems) {
        return new StoredKernels(new KernelStore(directory(root, given)), problems);
    }

    static Path directory(Root root, @Nullable Path given) {
        if (given != null) {
            return given;
        }
        try {
            return root.resolve(KernelStore.USUAL);
        } catch (IOException e) {
            // A dangling or looping link counts as an empty store.
            return root.top().resolve(KernelStore.USUAL.substring(1));
        }
    }

    boolean has(String name) {
        try {
            return !store.named(name).isEmpty();
        } catch (IOException e) {
            problems.add(new InputProblem(store.directory().toString(), IoReason.of(e)));
            return false;
        }
    }

    /** Finds the only readable kernel with this name; returns null if there are none or several. */
    @Nullable
    KernelFiles find(String name) throws IOException {
        List<KernelFiles> found = new ArrayList<>();
        List<StoreEntry> entries = store.named(name);
        for (StoreEntry entry : entries) {
            try {
                found.add(KernelFiles.stored(name, store.read(entry), entry.file()));
            } catch (UnreadableException e) {
                problems.add(store.skipped(entry, e.reason()));
            }
        }
        if (found.size() == 1) {
            return found.get(0);
        }
        if (found.size() > 1) {
            problems.add(new InputProblem(
                    name,
                    "several kernels of that name are in the store; name one, such as "
                            + entries.get(0).name()));
        }
        return null;
    }

    static CheckTarget open(String label, TargetKernel kernel, Map<LoaderRule, String> given) {
        LoaderBehavior rules = LoaderBehaviorReader.changed(kernel.rules(), String.valueOf(kernel.release()), given);
        TargetSummary summary = new TargetSummary(
                label,
                kernel.release(),
                TargetKind.STORED_KERNEL,
                null,
                kernel.exports().ofVmlinux(),
                0,
                rules,
                List.of());
        TargetKernel target = kernel.named(label).with(rules);
        return new CheckTarget(target, kernel.exports(), null, true, List.of(), null, summary);
    }
}
