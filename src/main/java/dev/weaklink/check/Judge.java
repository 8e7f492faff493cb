package dev.weaklink.check;

import dev.weaklink.format.btf.Btf;
import dev.weaklink.format.btf.BtfValidity.BtfAnswer;
import dev.weaklink.kernel.LoaderRule;
import dev.weaklink.kernel.TargetKernel;
import dev.weaklink.kernel.image.KernelImage.ImageTypes;
import dev.weaklink.loader.ExportRowCache;
import dev.weaklink.loader.Finding;
import dev.weaklink.loader.FindingKind;
import dev.weaklink.loader.Layer;
import dev.weaklink.loader.LoadSet;
import dev.weaklink.loader.NeededModules;
import dev.weaklink.loader.Outcome;
import dev.weaklink.loader.Verdict;
import dev.weaklink.module.KernelModule;
import dev.weaklink.module.Origin;
import dev.weaklink.sys.Root;
import dev.weaklink.system.cache.FactsCache;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Judges modules on one target, together with the target's own modules that the verdicts depend on. */
public final class Judge {
    private Judge() {}

    /**
     * Returns a verdict for each file on one target, in the order of the files. The verdict on an unreadable file is
     * undetermined.
     *
     * @param root the root directory of the machine that would load the modules
     */
    static List<Verdict> files(
            Root root, CheckTarget target, ModuleFacts reading, SignatureCheck.Proofs proofs, CheckRequest request) {
        List<Verdict> first = readable(target, reading, proofs, request);
        List<Verdict> judged = examined(target, reading, proofs, request, first);
        if (!request.alone()) {
            int threads = request.reading().threads();
            judged = Replacements.judged(root, target, readableFiles(reading), judged, threads);
        }
        List<Verdict> verdicts = new ArrayList<>();
        int next = 0;
        for (int i = 0; i < reading.size(); i++) {
            String failure = reading.failure(i);
            verdicts.add(
                    failure == null
                            ? judged.get(next++)
                            : unreadable(reading.source(i).origin(), failure, target));
        }
        return verdicts;
    }

    private static List<Path> readableFiles(ModuleFacts reading) {
        List<Path> files = new ArrayList<>();
        for (int i = 0; i < reading.size(); i++) {
            if (reading.failure(i) == null) {
                files.add(reading.source(i).file());
            }
        }
        return files;
    }

    static List<Verdict> readable(
            CheckTarget target, ModuleFacts reading, SignatureCheck.Proofs proofs, CheckRequest request) {
        return readable(target, reading, proofs, unclear(reading), request);
    }

    private static List<Verdict> readable(
            CheckTarget target,
            ModuleFacts reading,
            SignatureCheck.Proofs proofs,
            BtfAnswer[] types,
            CheckRequest request) {
        Set<String> unreadable = new HashSet<>();
        List<KernelModule> modules = modules(reading, proofs, types, unreadable);
        return judge(target, modules, unreadable, request);
    }

    /**
     * Returns the verdicts on the readable modules, which would be installed together. As soon as one of them is
     * refused, returns only the verdict on this module.
     */
    static List<Verdict> untilRefused(
            CheckTarget target, ModuleFacts reading, SignatureCheck.Proofs proofs, int threads) {
        Set<String> unreadable = new HashSet<>();
        List<KernelModule> modules = modules(reading, proofs, unclear(reading), unreadable);
        ExportRowCache rows = new ExportRowCache(target.kernel().exports());
        return together(target, modules, unreadable, rows, threads, true);
    }

    /** Returns the readable modules. Adds the names of the others to {@code unreadable}. */
    private static List<KernelModule> modules(
            ModuleFacts reading, SignatureCheck.Proofs proofs, BtfAnswer[] types, Set<String> unreadable) {
        List<KernelModule> modules = new ArrayList<>(reading.size());
        for (int i = 0; i < reading.size(); i++) {
            KernelModule module = reading.module(i);
            if (module != null) {
                KernelModule proven = proofs.applied(i, module);
                modules.add(types[i].isObjection() ? proven.with(types[i]) : proven);
            } else {
                unreadable.add(reading.source(i).origin().moduleName());
            }
        }
        return modules;
    }

    /**
     * Returns the verdicts after the loader's last steps: the checks of relocations, and of BTF if the kernel parses
     * BTF. These steps run only on modules that no other check refuses. If a module fails one of these steps, all
     * modules are judged again.
     *
     * @param judged the verdicts on the readable modules before these steps
     */
    private static List<Verdict> examined(
            CheckTarget target,
            ModuleFacts reading,
            SignatureCheck.Proofs proofs,
            CheckRequest request,
            List<Verdict> judged) {
        BitSet passing = new BitSet();
        BitSet typed = new BitSet();
        int next = 0;
        for (int i = 0; i < reading.size(); i++) {
            if (reading.failure(i) == null) {
                Verdict verdict = judged.get(next++);
                passing.set(i, isUnexamined(verdict, target));
                typed.set(i, verdict.errno() == null && verdict.unchecked().contains(Layer.BTF.id()));
            }
        }
        int firstString =
                typed.isEmpty() ? -1 : firstString(target, request.reading().cache());
        reading.examine(passing, typed, firstString);
        BtfAnswer[] types = unclear(reading);
        List<Verdict> completed = new ArrayList<>();
        boolean isAccepted = true;
        for (int i = 0; i < reading.size(); i++) {
            KernelModule module = reading.module(i);
            if (module == null) {
                continue;
            }
            if (typed.get(i)) {
                types[i] = reading.types(i, firstString);
                isAccepted &= !types[i].isObjection();
            }
            Verdict verdict = judged.get(completed.size());
            boolean isNew = passing.get(i) && module.relocations().examined();
            isAccepted &= !isNew || LoadSet.acceptsRelocations(target.kernel(), module.relocations());
            completed.add(isNew ? verdict.withRelocationsInOrder(module) : verdict);
        }
        return isAccepted ? completed : readable(target, reading, proofs, types, request);
    }

    /**
     * Returns the offset at which the BTF strings of the target's modules start. The target's own modules show the
     * offset, or else the target's image; -1 if neither does.
     */
    private static int firstString(CheckTarget target, FactsCache cache) {
        InTreeModules modules = target.inTreeModules();
        int first = modules == null ? -1 : modules.firstString();
        if (first >= 0) {
            return first;
        }
        ImageTypes image =
                ImageTypesReader.first(target.images(), target.kernel().release(), false, cache, new ArrayList<>());
        return image == null || image.section() == null ? -1 : Btf.stringsLength(image.section());
    }

    private static BtfAnswer[] unclear(ModuleFacts reading) {
        BtfAnswer[] types = new BtfAnswer[reading.size()];
        Arrays.fill(types, BtfAnswer.UNCLEAR);
        return types;
    }

    private static boolean isUnexamined(Verdict verdict, CheckTarget target) {
        return verdict.errno() == null
                && !verdict.module().relocations().examined()
                && LoadSet.looksAtRelocations(target.kernel());
    }

    private static Verdict unreadable(Origin origin, String failure, CheckTarget target) {
        Finding finding = new Finding(
                FindingKind.INPUT_UNREADABLE, Finding.Effect.UNPROVEN, null, null, null, null, null, null, failure);
        return new Verdict(
                KernelModule.unread(origin),
                target.kernel().label(),
                Outcome.UNDETERMINED,
                null,
                List.of(finding),
                List.of(),
                List.of(),
                List.of());
    }

    private static List<Verdict> judge(
            CheckTarget target, List<KernelModule> given, Set<String> unreadable, CheckRequest request) {
        int threads = request.reading().threads();
        ExportRowCache rows = new ExportRowCache(target.kernel().exports());
        rows.prepare(given, threads);
        if (request.sideBySide()) {
            List<KernelModule> inTreeModules = inTreeModules(target, given, given, rows);
            Set<String> unknown = withNatives(unreadable, target.inTreeModules(), given);
            return LoadSet.sideBySide(
                    kernel(target, given, inTreeModules), given, inTreeModules, unknown, rows, threads);
        }
        if (request.alone()) {
            List<KernelModule> inTreeModules = inTreeModules(target, List.of(), given, rows);
            Set<String> unknown = withNatives(Set.of(), target.inTreeModules(), List.of());
            return LoadSet.alone(kernel(target, given, inTreeModules), given, inTreeModules, unknown, rows, threads);
        }
        return together(target, given, unreadable, rows, threads, false);
    }

    /**
     * Judges modules that would be installed together. The result also contains findings about other modules that would
     * then no longer load.
     *
     * @param rows the cache of symbol lookups in the export table, shared between calls
     */
    public static List<Verdict> withReplaced(
            CheckTarget target, List<KernelModule> given, Set<String> unreadable, ExportRowCache rows, int threads) {
        List<Verdict> verdicts = together(target, given, unreadable, rows, threads, false);
        return Replacements.judged(null, target, List.of(), verdicts, threads);
    }

    private static List<Verdict> together(
            CheckTarget target,
            List<KernelModule> given,
            Set<String> unreadable,
            ExportRowCache rows,
            int threads,
            boolean untilRefused) {
        List<KernelModule> inTreeModules = inTreeModules(target, given, given, rows);
        Set<String> unknown = withNatives(unreadable, target.inTreeModules(), given);
        TargetKernel kernel = kernel(target, given, inTreeModules);
        return untilRefused
                ? LoadSet.untilRefused(kernel, given, inTreeModules, unknown, rows, threads)
                : LoadSet.together(kernel, given, inTreeModules, unknown, rows, threads);
    }

    /**
     * Returns the kernel with the build ids of its in-tree modules that have the name of a judged or needed module.
     * {@link TargetKernel#isOwn} recognises modules of the kernel's own build by these ids. Returns the kernel
     * unchanged if its loader is known to compare CRCs.
     */
    static TargetKernel kernel(CheckTarget target, List<KernelModule> given, List<KernelModule> inTreeModules) {
        InTreeModules own = target.inTreeModules();
        TargetKernel kernel = target.kernel();
        if (own == null || kernel.rules().is(LoaderRule.MODVERSIONS, "yes")) {
            return kernel;
        }
        Set<String> names = new HashSet<>();
        given.forEach(module -> addNames(module, names));
        inTreeModules.forEach(module -> addNames(module, names));
        Set<String> builds = new HashSet<>();
        for (KernelModule module : own.inTree(names)) {
            // only a path below kernel/ shows that a module is in-tree; in a flat directory, no path shows it
            if (module.buildId() != null && module.origin().file().contains("/kernel/")) {
                builds.add(module.buildId());
            }
        }
        return kernel.withOwnBuilds(builds);
    }

    /**
     * Adds the module's name and the name of the module's file. The two names differ if the file name contains a comma,
     * which the kernel build replaces by an underscore.
     */
    private static void addNames(KernelModule module, Set<String> names) {
        names.add(module.name());
        names.add(module.origin().moduleName());
    }

    private static Set<String> withNatives(
            Set<String> unreadable, @Nullable InTreeModules inTreeModules, List<KernelModule> given) {
        if (inTreeModules == null || inTreeModules.failures().isEmpty()) {
            return unreadable;
        }
        Set<String> all = new HashSet<>();
        for (String file : inTreeModules.failures().keySet()) {
            all.add(Origin.moduleName(file));
        }
        for (KernelModule module : given) {
            all.remove(module.name());
        }
        all.addAll(unreadable);
        return all;
    }

    private static List<KernelModule> inTreeModules(
            CheckTarget target, List<KernelModule> replacing, Collection<KernelModule> needing, ExportRowCache rows) {
        InTreeModules own = target.inTreeModules();
        if (own == null) {
            return List.of();
        }
        NeededModules needed = new NeededModules(target.kernel(), replacing, target.known(needing, rows), rows);
        return own.proven(needed.neededBy(needing, own::named));
    }
}
