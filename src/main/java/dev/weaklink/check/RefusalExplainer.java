package dev.weaklink.check;

import dev.weaklink.check.result.ModuleUse;
import dev.weaklink.explain.DifferenceJson;
import dev.weaklink.explain.DriverReport;
import dev.weaklink.explain.DriverText;
import dev.weaklink.explain.KernelDifference;
import dev.weaklink.kernel.ExportTable;
import dev.weaklink.loader.CrcCause;
import dev.weaklink.loader.Finding;
import dev.weaklink.loader.FindingKind;
import dev.weaklink.loader.Outcome;
import dev.weaklink.loader.TypeChange;
import dev.weaklink.loader.Verdict;
import dev.weaklink.module.SymbolNames;
import dev.weaklink.sys.BackgroundTask;
import dev.weaklink.sys.Numbers;
import dev.weaklink.sys.Root;
import dev.weaklink.system.InstalledKernels;
import dev.weaklink.system.TargetKind;
import dev.weaklink.system.cache.FactsCache;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Finds why a kernel's CRCs differ from the CRCs that refused modules expect. For that, it compares the kernel's types
 * with the types of other kernels, first the kernels that the modules were built for.
 *
 * <p>To save time, the search for causes skips a kernel if its symvers file contains none of the expected CRCs. Other
 * searches unpack the kernel anyway: {@link #readAhead} does not know the expected CRCs yet, and moved members do not
 * change a CRC.
 */
public final class RefusalExplainer implements CauseSource.TargetCauses {
    /** The maximum number of other kernels that are unpacked for a target; unpacking an image takes a second. */
    private static final int MOST_KERNELS = 4;

    private record WantedSymbol(String symbol, String crc) {}

    private record Older(KernelWithTypes kernel, KernelDifference.Causes causes) {}

    private final Root root;
    private final StoredKernels store;
    private final CheckTarget target;
    private final FactsCache cache;
    private final int threads;
    private final Map<String, Optional<Older>> read = new HashMap<>();
    private final Map<String, BackgroundTask<KernelWithTypes>> started = new HashMap<>();
    private final Map<String, ExportTable> exports = new HashMap<>();
    private final Set<String> compared = new LinkedHashSet<>();

    private final Map<String, Map<String, TypeChange>> moved = new HashMap<>();

    private final Set<WantedSymbol> unexplained = new HashSet<>();
    private boolean asked;
    private @Nullable BackgroundTask<KernelWithTypes> newer;

    public RefusalExplainer(Root root, @Nullable Path given, CheckTarget target, ReadOptions reading) {
        this.cache = reading.cache();
        this.threads = reading.threads();
        this.root = root;
        this.store = StoredKernels.in(root, given, new ArrayList<>());
        this.target = target;
    }

    @Override
    public void readAhead(@Nullable String builtFor) {
        kernels(builtFor == null ? Map.of() : Map.of(builtFor, 1)).stream()
                .findFirst()
                .ifPresent(kernel -> started.computeIfAbsent(kernel, name -> start(name, Set.of())));
    }

    @Override
    public List<Verdict> explain(List<Verdict> verdicts) {
        Set<WantedSymbol> open = new LinkedHashSet<>();
        Map<String, Integer> releases = new TreeMap<>();
        for (Verdict verdict : verdicts) {
            boolean found = false;
            for (Finding finding : verdict.findings()) {
                if (isAboutCrc(finding)) {
                    open.add(wanted(finding));
                    found = true;
                }
            }
            String release = verdict.module().release();
            if (found && release != null) {
                releases.merge(release, 1, Integer::sum);
            }
        }
        Map<WantedSymbol, CrcCause> causes = Map.of();
        if (!open.isEmpty()) {
            asked = true;
            causes = causes(kernels(releases), open);
            unexplained.addAll(open);
        }
        List<Verdict> explained = new ArrayList<>(verdicts.size());
        for (Verdict verdict : verdicts) {
            List<Finding> moved = moved(verdict);
            explained.add(moved.isEmpty() ? with(causes, verdict) : verdict.with(moved));
        }
        return explained;
    }

    /**
     * Returns notes for a module that would load but was built for another kernel. Each note names a type whose members
     * moved, although an imported symbol that uses the type has the same CRC in both kernels.
     */
    private List<Finding> moved(Verdict verdict) {
        String release = verdict.module().release();
        if (verdict.outcome() != Outcome.COMPATIBLE
                || release == null
                || release.equals(target.kernel().release())) {
            return List.of();
        }
        Map<String, TypeChange> changes = moved.computeIfAbsent(release, this::movedSince);
        Map<TypeChange, Finding> notes = new LinkedHashMap<>();
        SymbolNames imports = verdict.module().imports().names();
        for (int i = 0; i < imports.size() && !changes.isEmpty(); i++) {
            String symbol = imports.name(i);
            TypeChange change = changes.get(symbol);
            if (change != null) {
                notes.putIfAbsent(
                        change,
                        Finding.note(
                                FindingKind.SYMBOL_TYPE_MOVED,
                                symbol,
                                null,
                                change.clause()
                                        + ", but the symbol's CRC is unchanged, so the kernel loads the module: rebuild"
                                        + " the module if it uses members of this type"));
            }
        }
        return List.copyOf(notes.values());
    }

    private Map<String, TypeChange> movedSince(String release) {
        boolean few = started.containsKey(release) || started.size() < MOST_KERNELS;
        BackgroundTask<KernelWithTypes> reading =
                few ? started.computeIfAbsent(release, name -> start(name, Set.of())) : null;
        KernelWithTypes older = reading == null ? null : reading.get();
        ExportTable before = older == null ? null : older.exports();
        if (older == null || before == null || older.types() == null || !targetHasTypes()) {
            return Map.of();
        }
        Optional<Older> known = read.getOrDefault(release, Optional.empty());
        KernelDifference.Causes causes =
                known.isPresent() ? known.get().causes() : Explainer.causes(older, newer().get(), threads);
        return causes.unnoticed(Explainer.unchanged(older, newer().get()));
    }

    @Override
    public List<String> notes() {
        List<String> notes = new ArrayList<>();
        if (!asked) {
            return notes;
        }
        if (newer != null) {
            notes.addAll(newer.get().notes());
        }
        new TreeMap<>(read).forEach((name, older) -> older.ifPresent(one -> addMissing(name, one.kernel(), notes)));
        notes.add(
                compared.isEmpty()
                        ? "the reason for the changed CRCs is unknown: type information (BTF) of this kernel, or of"
                                + " a kernel with the old CRCs, was not found. Next: weaklink explain MODULE --from OLD"
                                + " --to NEW (kernel images or packages)"
                        : "causes from the types of " + String.join(", ", compared) + " and this kernel");
        if (!compared.isEmpty() && !unexplained.isEmpty()) {
            notes.add("no cause found for " + Numbers.of(unexplained.size(), "changed symbol"));
        }
        return notes;
    }

    @Override
    public @Nullable ModuleUse use(ModuleBatch module) {
        DriverFacts facts = DriverFacts.read(module);
        DriverReport report = facts == null ? null : report(facts);
        return report == null
                ? null
                : new ModuleUse(
                        DriverText.lines(report, false), DriverText.lines(report, true), DifferenceJson.driver(report));
    }

    private @Nullable DriverReport report(DriverFacts facts) {
        Optional<Older> older = read.getOrDefault(facts.module().release(), Optional.empty());
        KernelWithTypes from = older.map(Older::kernel).orElse(null);
        ExportTable before = from == null ? null : from.exports();
        if (older.isEmpty() || from == null || before == null || from.types() == null) {
            return null;
        }
        Set<String> imports = new HashSet<>(facts.imports());
        KernelDifference difference = KernelDifference.between(
                before,
                target.kernel().exports(),
                imports::contains,
                true,
                older.get().causes());
        return facts.report(from, newer().get(), difference);
    }

    private static void addMissing(String name, KernelWithTypes kernel, List<String> notes) {
        if (kernel.types() == null) {
            kernel.notes().forEach(note -> notes.add(name + ": " + note));
        }
    }

    private static boolean isAboutCrc(Finding finding) {
        return (finding.kind() == FindingKind.SYMBOL_CRC_MISMATCH || finding.kind() == FindingKind.LAYOUT_CRC_MISMATCH)
                && finding.symbol() != null
                && finding.wants() != null;
    }

    private static WantedSymbol wanted(Finding finding) {
        return new WantedSymbol(String.valueOf(finding.symbol()), String.valueOf(finding.wants()));
    }

    private static Verdict with(Map<WantedSymbol, CrcCause> causes, Verdict verdict) {
        List<Finding> findings = new ArrayList<>(verdict.findings());
        findings.replaceAll(finding -> {
            CrcCause cause = isAboutCrc(finding) ? causes.get(wanted(finding)) : null;
            return cause == null ? finding : finding.with(cause);
        });
        return verdict.withFindings(findings);
    }

    private List<String> kernels(Map<String, Integer> releases) {
        List<String> kernels = new ArrayList<>(releases.keySet());
        kernels.sort(Comparator.comparing(releases::get, Comparator.reverseOrder()));
        try {
            List<String> installed = new ArrayList<>(InstalledKernels.searchable(root));
            Collections.reverse(installed);
            kernels.addAll(installed);
        } catch (IOException e) {
            // The kernels that modules were built for remain.
        }
        String own = target.kernel().release();
        return kernels.stream().distinct().filter(kernel -> !kernel.equals(own)).toList();
    }

    private Map<WantedSymbol, CrcCause> causes(List<String> kernels, Set<WantedSymbol> open) {
        Map<WantedSymbol, CrcCause> causes = new HashMap<>();
        for (String kernel : kernels) {
            Older older = open.isEmpty() ? null : older(kernel, open);
            ExportTable before = older == null ? null : older.kernel().exports();
            if (older != null && before != null && older.kernel().types() != null && targetHasTypes()) {
                compared.add(kernel);
                addCauses(before, older.causes(), open, causes);
            }
        }
        return causes;
    }

    private boolean targetHasTypes() {
        return newer().get().types() != null;
    }

    /**
     * Returns a kernel to compare the target with; null if the comparison cannot find a cause, or after
     * {@link #MOST_KERNELS} kernels.
     */
    private @Nullable Older older(String kernel, Set<WantedSymbol> open) {
        Optional<Older> known = read.get(kernel);
        if (known != null) {
            return known.orElse(null);
        }
        boolean goesOn =
                started.containsKey(kernel) || started.size() < MOST_KERNELS && (read.isEmpty() || targetHasTypes());
        BackgroundTask<KernelWithTypes> reading =
                goesOn ? started.computeIfAbsent(kernel, name -> start(name, open)) : null;
        KernelWithTypes older = reading == null ? null : reading.get();
        if (older == null || isWithoutAny(older.exports(), open)) {
            return null;
        }
        Optional<Older> found = older.exports() == null
                ? Optional.empty()
                : Optional.of(new Older(older, Explainer.causes(older, newer().get(), threads)));
        read.put(kernel, found);
        return found.orElse(null);
    }

    private static boolean isWithoutAny(@Nullable ExportTable table, Set<WantedSymbol> open) {
        return table != null && open.stream().noneMatch(wanted -> has(table, wanted));
    }

    /**
     * Starts to read a kernel. Returns null if the kernel is not found, or if its known exports have none of the
     * expected CRCs.
     *
     * @param open the expected CRCs whose cause was not found yet; empty to read the kernel in any case
     */
    private @Nullable BackgroundTask<KernelWithTypes> start(String kernel, Set<WantedSymbol> open) {
        List<FoundKernel> found = new TargetFinder(root, store, new ArrayList<>()).find(List.of(kernel));
        if (found.isEmpty()) {
            return null;
        }
        FoundKernel kernelFiles = found.get(0);
        newer();
        if (open.isEmpty()) {
            return BackgroundTask.start(
                    () -> KernelWithTypes.read(kernelFiles, cache).orStored(store, cache));
        }
        ExportTable table =
                exports.computeIfAbsent(kernel, name -> KernelWithTypes.exports(kernelFiles, new ArrayList<>()));
        if (isWithoutAny(table, open)) {
            return null;
        }
        return BackgroundTask.start(() -> KernelWithTypes.read(kernelFiles, table, cache, new ArrayList<>())
                .orStored(store, cache));
    }

    private BackgroundTask<KernelWithTypes> newer() {
        BackgroundTask<KernelWithTypes> reading = newer == null ? BackgroundTask.start(this::readTarget) : newer;
        newer = reading;
        return reading;
    }

    private KernelWithTypes readTarget() {
        List<FoundKernel> stored = target.summary().kind() == TargetKind.STORED_KERNEL
                ? new TargetFinder(root, store, new ArrayList<>())
                        .find(List.of(target.summary().label()))
                : List.of();
        return stored.isEmpty()
                ? KernelWithTypes.of(target, cache).orStored(store, cache)
                : KernelWithTypes.read(stored.get(0), cache);
    }

    private void addCauses(
            ExportTable before,
            KernelDifference.Causes finder,
            Set<WantedSymbol> open,
            Map<WantedSymbol, CrcCause> causes) {
        ExportTable after = target.kernel().exports();
        Map<String, String> owners = new TreeMap<>();
        for (WantedSymbol wanted : open) {
            int now = after.find(wanted.symbol());
            boolean same = now >= 0
                    && has(before, wanted)
                    && KernelDifference.sameModule(before.owner(before.find(wanted.symbol())), after.owner(now));
            if (same) {
                owners.put(wanted.symbol(), after.owner(now));
            }
        }
        Map<String, CrcCause> found = finder.find(owners);
        for (WantedSymbol wanted : List.copyOf(open)) {
            CrcCause cause = has(before, wanted) ? found.get(wanted.symbol()) : null;
            if (cause != null) {
                causes.put(wanted, cause);
                open.remove(wanted);
            }
        }
    }

    private static boolean has(ExportTable table, WantedSymbol wanted) {
        int row = table.find(wanted.symbol());
        return row >= 0 && table.hasCrc(row) && Numbers.crc(table.crc(row)).equals(wanted.crc());
    }
}
