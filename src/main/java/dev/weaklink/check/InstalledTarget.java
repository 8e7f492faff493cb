package dev.weaklink.check;

import dev.weaklink.kernel.TargetKernel;
import dev.weaklink.loader.ExportRowCache;
import dev.weaklink.loader.NeededModules;
import dev.weaklink.loader.Verdict;
import dev.weaklink.module.KernelModule;
import dev.weaklink.sys.InputProblem;
import dev.weaklink.sys.Root;
import dev.weaklink.system.KernelFiles;
import dev.weaklink.system.ModuleTree;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** An installed kernel to judge modules on: its exports and its own modules. */
public final class InstalledTarget {
    private final Root root;
    private final CheckTarget target;
    private final InTreeModules inTreeModules;
    private final TrustedKeys keys;

    private InstalledTarget(Root root, CheckTarget target, InTreeModules inTreeModules, TrustedKeys keys) {
        this.root = root;
        this.target = target;
        this.inTreeModules = inTreeModules;
        this.keys = keys;
    }

    /** An installed kernel being opened, whose symvers file is read while the caller looks for the kernel's modules. */
    public static final class Opening {
        private final Root root;
        private final FoundKernel found;

        private Opening(Root root, FoundKernel found) {
            this.root = root;
            this.found = found;
        }

        /**
         * Opens the kernel with these modules.
         *
         * @param tree the modules that count as the kernel's own
         * @param trust the signature policy and the trusted keys
         * @param problems receives problems with the kernel's files
         * @return null if no module can be judged on the kernel; a problem then gives the reason
         */
        public @Nullable InstalledTarget with(
                ModuleTree tree, SignaturePolicy trust, ReadOptions options, List<InputProblem> problems) {
            FoundKernel whole = found.with(found.files().label(), tree, List.of());
            CheckTarget target = whole.open(trust.loader(), options, problems);
            Root machine = trust.machine();
            MachinePolicy policy = machine == null ? null : MachinePolicy.read(machine);
            if (target != null && policy != null) {
                target = target.on(policy);
            }
            InTreeModules inTreeModules = target == null ? null : target.inTreeModules();
            return target == null || inTreeModules == null
                    ? null
                    : new InstalledTarget(root, target, inTreeModules, target.keys(trust.certificates(), machine));
        }
    }

    /**
     * Starts to open an installed kernel.
     *
     * @throws IOException if the release is not a valid name, or links on the way to its directory form a cycle
     */
    public static Opening open(Root root, String release) throws IOException {
        return new Opening(root, FoundKernel.start(KernelFiles.locate(root, release)));
    }

    public boolean insistsOnSignatures() {
        return target.insistsOnSignatures();
    }

    TrustedKeys keys() {
        return keys;
    }

    public TargetKernel kernel() {
        return target.kernel();
    }

    public List<KernelModule> named(Collection<String> names) {
        return inTreeModules.proven(names);
    }

    public List<KernelModule> all() {
        return inTreeModules.proven(inTreeModules.names());
    }

    public boolean has(String name) {
        return inTreeModules.has(name);
    }

    public List<KernelModule> neededBy(Collection<KernelModule> modules, ExportRowCache rows) {
        NeededModules needed = new NeededModules(target.kernel(), List.of(), target.known(modules, rows), rows);
        return inTreeModules.proven(needed.neededBy(modules, inTreeModules::named));
    }

    public List<Verdict> withBroken(List<Path> files, List<Verdict> verdicts, int threads) {
        return Replacements.judged(root, target, files, verdicts, threads);
    }

    /**
     * Adds the causes of changed CRCs to verdicts, by comparing types with the root's other kernels.
     *
     * @param reading the options, which must contain a source of causes
     * @param notes receives the sources of the causes, and the reasons why some are unknown
     */
    public List<Verdict> explained(Root root, List<Verdict> verdicts, ReadOptions reading, List<String> notes) {
        CauseSource.TargetCauses explainer = reading.causesOn(root, null, target);
        List<Verdict> explained = explainer.explain(verdicts);
        notes.addAll(explainer.notes());
        return explained;
    }

    public Map<String, String> failures() {
        return inTreeModules.failures();
    }

    public Set<String> unreadable() {
        return inTreeModules.unreadableNames();
    }
}
