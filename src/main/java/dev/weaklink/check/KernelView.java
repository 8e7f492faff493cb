package dev.weaklink.check;

import dev.weaklink.kernel.TargetKernel;
import dev.weaklink.loader.Demand;
import dev.weaklink.loader.KernelRows;
import dev.weaklink.loader.Verdict;
import dev.weaklink.module.KernelModule;
import dev.weaklink.sys.InputProblem;
import dev.weaklink.sys.Root;
import dev.weaklink.system.KernelFiles;
import dev.weaklink.system.ModuleTree;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** An installed kernel to plan for: what it offers, and its own modules, read as they are needed. */
public final class KernelView {
    private final Root root;
    private final OpenTarget target;
    private final NativeModules natives;
    private final TargetKeys keys;

    private KernelView(Root root, OpenTarget target, NativeModules natives, TargetKeys keys) {
        this.root = root;
        this.target = target;
        this.natives = natives;
        this.keys = keys;
    }

    /** Opens an installed kernel; its symvers is read while the caller looks for its modules. */
    public static final class Opening {
        private final Root root;
        private final KernelReading reading;

        private Opening(Root root, KernelReading reading) {
            this.root = root;
            this.reading = reading;
        }

        /**
         * The kernel with these modules.
         *
         * @param tree the modules to be taken for the kernel's own
         * @param trust what it is to make of signatures
         * @param problems takes what is wrong with its files
         * @return null if nothing can be judged on it; a problem then says why
         */
        public @Nullable KernelView with(
                ModuleTree tree, Trust trust, ReadOptions options, List<InputProblem> problems) {
            KernelReading whole = reading.with(reading.files().label(), tree, List.of());
            OpenTarget target = whole.open(trust.loader(), options, problems);
            Root machine = trust.machine();
            MachinePolicy policy = machine == null ? null : MachinePolicy.read(machine);
            if (target != null && policy != null) {
                target = target.on(policy);
            }
            NativeModules natives = target == null ? null : target.natives();
            return target == null || natives == null
                    ? null
                    : new KernelView(root, target, natives, target.keys(trust.certificates(), machine));
        }
    }

    /**
     * Begins to open an installed kernel.
     *
     * @throws IOException if the release is not a plain name
     */
    public static Opening open(Root root, String release) throws IOException {
        return new Opening(root, KernelReading.start(KernelFiles.locate(root, release)));
    }

    /** Whether it refuses modules for signatures that others merely frown at. */
    public boolean insistsOnSignatures() {
        return target.insistsOnSignatures();
    }

    TargetKeys keys() {
        return keys;
    }

    /** What it offers. */
    public TargetKernel kernel() {
        return target.kernel();
    }

    /** Its own modules of these names, in this order; those that cannot be read are left out. */
    public List<KernelModule> named(Collection<String> names) {
        return natives.proven(names);
    }

    /** All its own modules, sorted by name. */
    public List<KernelModule> all() {
        return natives.proven(natives.names());
    }

    /** Whether it has a module of its own by this name. */
    public boolean has(String name) {
        return natives.has(name);
    }

    /** Its own modules that these need, directly or through others. */
    public List<KernelModule> neededBy(Collection<KernelModule> modules, KernelRows rows) {
        Demand demand = new Demand(target.kernel(), List.of(), target.known(), rows);
        List<String> needed = new ArrayList<>();
        Collection<KernelModule> asking = modules;
        while (!asking.isEmpty()) {
            Collection<String> wanted = demand.wantedBy(asking);
            needed.addAll(wanted);
            asking = natives.named(wanted);
        }
        return natives.proven(needed);
    }

    /**
     * Verdicts on it with what would no longer load if these modules were in place.
     *
     * @param files where the modules lie that the verdicts are about, in order
     */
    public List<Verdict> withBroken(List<Path> files, List<Verdict> verdicts, int threads) {
        return Replacements.judged(root, target, files, verdicts, threads);
    }

    /**
     * Verdicts on it with the causes of changed CRCs, by the types of the root's other kernels.
     *
     * @param reading its cache has the types of images that were unpacked before
     * @param notes takes where causes come from, and why others are not known
     */
    public List<Verdict> explained(Root root, List<Verdict> verdicts, ReadOptions reading, List<String> notes) {
        CauseSource.TargetCauses explainer = reading.causesOn(root, null, target);
        List<Verdict> explained = explainer.explain(verdicts);
        notes.addAll(explainer.notes());
        return explained;
    }

    /** Own files that could not be read so far, and why, by path. */
    public Map<String, String> failures() {
        return natives.failures();
    }

    /** Names of own modules that could not be read so far. */
    public Set<String> unreadable() {
        return natives.unreadableNames();
    }
}
