package dev.weaklink.compat;

import dev.weaklink.check.InstalledTarget;
import dev.weaklink.check.ReadOptions;
import dev.weaklink.check.SignaturePolicy;
import dev.weaklink.compat.ModuleLinks.LinkBatch;
import dev.weaklink.compat.ModuleLinks.ModuleLink;
import dev.weaklink.kernel.ExportTable;
import dev.weaklink.links.LinkSimulation;
import dev.weaklink.links.selection.Candidate;
import dev.weaklink.links.selection.Selection;
import dev.weaklink.links.transaction.Change;
import dev.weaklink.loader.Outcome;
import dev.weaklink.loader.Verdict;
import dev.weaklink.module.Exports;
import dev.weaklink.module.KernelModule;
import dev.weaklink.module.SymbolNames;
import dev.weaklink.module.VersionTable;
import dev.weaklink.sys.InputProblem;
import dev.weaklink.system.ModuleTree;
import dev.weaklink.system.WeakUpdates;
import dev.weaklink.system.WeakUpdates.WeakLink;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * A simulation of a kernel's weak-updates links. It starts with the present links, and yields a list of changes; it
 * writes nothing to disk.
 */
final class LinkDraft {
    private final String release;
    private final ModuleTree tree;
    private final InstalledTarget view;
    private final LinkJudge judge;
    private final Map<String, String> before;
    private final Set<String> removed = new HashSet<>();
    private final NativeProtection protection;
    private Map<String, ModuleLink> links = new TreeMap<>();
    private final List<Rejection> refused = new ArrayList<>();
    private final List<ModuleLink> failing = new ArrayList<>();

    private LinkDraft(String release, ModuleTree tree, InstalledTarget view, int threads, Map<String, String> before) {
        this.release = release;
        this.tree = tree;
        this.view = view;
        LinkSimulation kernel = new LinkSimulation(view, tree.directory(), threads);
        this.judge = new LinkJudge(view, kernel);
        this.before = before;
        this.protection = new NativeProtection(kernel);
    }

    /**
     * Opens an installed kernel. The simulation ignores dangling links and links to directories.
     *
     * @param trust the kernel's policy for module signatures
     * @param problems receives an entry for each unreadable file
     * @return null if too little is known about the kernel to judge modules
     * @throws IOException if the kernel's module directory cannot be read
     */
    static @Nullable LinkDraft open(
            BaseDirectory base, String release, SignaturePolicy trust, int threads, List<InputProblem> problems)
            throws IOException {
        WeakUpdates weak = WeakUpdates.scan(base.root(), release);
        InstalledTarget.Opening opening = InstalledTarget.open(base.root(), release);
        ModuleTree tree = ModuleTree.scan(base.root(), release);
        ModuleTree own = tree.changed(weak::leadTo, List.of());
        InstalledTarget view = opening.with(own, trust, ReadOptions.uncached(threads), problems);
        if (view == null) {
            return null;
        }
        LinkDraft trial = new LinkDraft(release, tree, view, threads, new TreeMap<>());
        for (ModuleLink link : trial.proven(trial.present(base, weak.links(), threads))) {
            trial.put(link);
        }
        Map<String, ModuleLink> all = trial.links();
        trial.withoutRefused().forEach(rejection -> trial.failing.add(rejection.link()));
        trial.protection.startWith(trial.links.values());
        trial.links = all;
        trial.refused.clear();
        return trial;
    }

    private LinkBatch present(BaseDirectory base, List<WeakLink> present, int threads) throws IOException {
        List<WeakLink> read = new ArrayList<>();
        for (WeakLink link : present) {
            before.put(link.place(), link.target());
            if (!link.directory() && base.exists(absolute(link))) {
                read.add(link);
            }
        }
        return new ModuleLinks(base, threads).at(read, LinkDraft::absolute);
    }

    private static String absolute(WeakLink link) {
        String target = link.target();
        if (target.startsWith("/")) {
            return target;
        }
        return PathFormat.clean(link.inside().substring(0, link.inside().lastIndexOf('/')) + "/" + target);
    }

    String release() {
        return release;
    }

    List<ModuleLink> proven(LinkBatch batch) {
        return batch.provenOn(view);
    }

    Map<String, ModuleLink> links() {
        return new TreeMap<>(links);
    }

    void restore(Map<String, ModuleLink> earlier) {
        links = new TreeMap<>(earlier);
    }

    /**
     * Returns whether the link's module also exists below this kernel's {@code extra}, at the same path as below the
     * {@code extra} of its own kernel.
     */
    boolean hasOwn(ModuleLink link) {
        String extra = "/lib/modules/" + link.release() + "/extra/";
        int at = link.target().indexOf(extra);
        if (at < 0) {
            return false;
        }
        String place = link.target().substring(at + extra.length());
        String own = tree.directory().inside() + "/extra/" + place;
        return tree.all().stream().anyMatch(file -> file.inside().equals(own));
    }

    boolean isTaken(String place) {
        return links.containsKey(place);
    }

    boolean isLinked(ModuleLink link) {
        ModuleLink present = links.get(link.place());
        return present != null && present.target().equals(link.target());
    }

    boolean isRemoved(String place) {
        return removed.contains(place) && !links.containsKey(place);
    }

    void put(ModuleLink link) {
        links.put(link.place(), link);
    }

    /**
     * Removes links from the simulation until all remaining links load together and none of the kernel's own modules
     * stops loading. Existing links that the kernel would certainly refuse are also marked for removal from the disk.
     *
     * @return the removed links, each with the reason
     */
    List<Rejection> settle() {
        List<Rejection> rejections = withoutRefused();
        rejections.addAll(withoutHarmful());
        for (Rejection rejection : rejections) {
            // An existing link is removed from the disk only if the kernel would certainly refuse the module.
            if (rejection.certain() && wasThere(rejection)) {
                removed.add(rejection.link().place());
            }
        }
        return rejections;
    }

    private boolean wasThere(Rejection rejection) {
        return rejection.link().target().equals(before.get(rejection.link().place()));
    }

    /** Returns whether all rejected links existed before this run, and would not have loaded before this run either. */
    boolean areOld(List<Rejection> rejections) {
        return rejections.stream().allMatch(rejection -> failing.contains(rejection.link()));
    }

    List<Rejection> refused() {
        return refused.stream().filter(rejection -> !wasThere(rejection)).toList();
    }

    List<Rejection> removed() {
        return refused.stream()
                .filter(rejection ->
                        wasThere(rejection) && isRemoved(rejection.link().place()))
                .toList();
    }

    /**
     * Removes links as {@link #settle} does, but marks no existing link for removal from the disk. If {@link #areOld}
     * is false for the result, the caller must undo all changes: the check for harm to the kernel's own modules was
     * skipped.
     */
    List<Rejection> settleWhole() {
        List<Rejection> rejections = withoutRefused();
        if (areOld(rejections)) {
            rejections.addAll(withoutHarmful());
        }
        return rejections;
    }

    private List<Rejection> withoutHarmful() {
        List<Rejection> harmful = protection.harmful(links.values());
        harmful.forEach(rejection -> links.remove(rejection.link().place()));
        return harmful;
    }

    private List<Rejection> withoutRefused() {
        List<Rejection> rejections = new ArrayList<>();
        int known;
        do {
            known = rejections.size();
            rejections.addAll(judge.refused(new ArrayList<>(links.values())));
            for (Rejection rejection : rejections.subList(known, rejections.size())) {
                links.remove(rejection.link().place());
            }
        } while (rejections.size() > known);
        refused.addAll(rejections);
        return rejections;
    }

    Set<String> lost() {
        return protection.lostBy(links.values());
    }

    List<Change> changes() {
        List<Change> changes = new ArrayList<>();
        for (Map.Entry<String, String> link : before.entrySet()) {
            if (isRemoved(link.getKey())) {
                changes.add(new Change.RemoveLink(path(link.getKey()), link.getValue()));
            }
        }
        for (ModuleLink link : links.values()) {
            if (!link.target().equals(before.get(link.place()))) {
                changes.add(new Change.PutLink(path(link.place()), link.target(), true));
            }
        }
        return changes;
    }

    private String path(String place) {
        return tree.directory().inside() + "/" + place;
    }

    private record LinkJudge(InstalledTarget view, LinkSimulation kernel) {
        /**
         * Returns the links to modules that cannot be read, or that the kernel would or might refuse. Modules that are
         * refused only because of their dependencies may load once the other links are removed. So the links to these
         * modules are returned only if there are no other links to return.
         */
        List<Rejection> refused(List<ModuleLink> tried) {
            List<Verdict> verdicts = judge(tried);
            List<Rejection> alone = new ArrayList<>();
            List<Rejection> withOthers = new ArrayList<>();
            SymbolObjections unfit = null;
            for (int i = 0; i < tried.size(); i++) {
                ModuleLink link = tried.get(i);
                Verdict verdict = verdicts.get(i);
                if (verdict.outcome() != Outcome.COMPATIBLE || !link.readable()) {
                    unfit = unfit == null ? SymbolObjections.on(view, ModuleLink.modules(tried), kernel) : unfit;
                    List<String> symbols = unfit.of(link.module());
                    boolean forOthers = symbols.isEmpty() && Rejection.isForOthersOnly(verdict);
                    (forOthers ? withOthers : alone).add(Rejection.of(link, verdict, symbols));
                }
            }
            return alone.isEmpty() ? withOthers : alone;
        }

        private List<Verdict> judge(List<ModuleLink> tried) {
            if (tried.isEmpty()) {
                return List.of();
            }
            List<KernelModule> given = ModuleLink.modules(tried);
            Set<String> unreadable = new HashSet<>(view.unreadable());
            for (ModuleLink link : tried) {
                if (!link.readable()) {
                    unreadable.add(link.module().origin().moduleName());
                }
            }
            return kernel.sideBySide(given, unreadable);
        }
    }

    /**
     * Finds the symbols of a module that depmod(8) would report: all unknown symbols that are not weak, and all symbols
     * with another CRC. The kernel's loader, in contrast, stops at the first error.
     */
    private static final class SymbolObjections {
        private static final String MODULE_LAYOUT = "module_layout";

        private final ExportTable kernel;
        private final Map<String, @Nullable Long> exported = new HashMap<>();

        static SymbolObjections on(InstalledTarget view, List<KernelModule> given, LinkSimulation kernel) {
            Set<String> replaced = new HashSet<>();
            for (KernelModule module : given) {
                replaced.add(module.name());
            }
            List<KernelModule> present = new ArrayList<>(given);
            for (KernelModule own : kernel.neededBy(given)) {
                if (!replaced.contains(own.name())) {
                    present.add(own);
                }
            }
            return new SymbolObjections(view.kernel().exports(), present);
        }

        SymbolObjections(ExportTable kernel, Collection<KernelModule> modules) {
            this.kernel = kernel;
            for (KernelModule module : modules) {
                Exports exports = module.exports();
                for (int i = 0; i < exports.names().size(); i++) {
                    Long crc = exports.hasCrc().get(i) ? exports.crcs()[i] & 0xffffffffL : null;
                    exported.putIfAbsent(exports.names().name(i), crc);
                }
            }
        }

        /** Returns the symbols in the order of the symbol table, module_layout last. */
        List<String> of(KernelModule module) {
            Map<String, Long> wanted = versions(module.versions());
            SymbolNames imports = module.imports().names();
            List<String> objections = new ArrayList<>();
            for (int i = 0; i < imports.size(); i++) {
                String symbol = imports.name(i);
                if (!isKnown(symbol)) {
                    if (!module.imports().weak().get(i)) {
                        objections.add(symbol);
                    }
                } else if (disagrees(symbol, wanted)) {
                    objections.add(symbol);
                }
            }
            if (isKnown(MODULE_LAYOUT) && disagrees(MODULE_LAYOUT, wanted)) {
                objections.add(MODULE_LAYOUT);
            }
            return objections;
        }

        private static Map<String, Long> versions(@Nullable VersionTable table) {
            Map<String, Long> versions = new HashMap<>();
            for (int i = 0; table != null && i < table.names().size(); i++) {
                versions.putIfAbsent(table.names().name(i), table.crcs()[i]);
            }
            return versions;
        }

        private boolean isKnown(String symbol) {
            return ofKernel(symbol) >= 0 || exported.containsKey(symbol);
        }

        private int ofKernel(String symbol) {
            int row = kernel.find(symbol);
            return row >= 0 && kernel.isVmlinux(row) ? row : -1;
        }

        private boolean disagrees(String symbol, Map<String, Long> wanted) {
            int row = ofKernel(symbol);
            Long offered = exported.get(symbol);
            if (row >= 0) {
                offered = kernel.hasCrc(row) ? kernel.crc(row) & 0xffffffffL : null;
            }
            Long version = wanted.get(symbol);
            return offered != null && version != null && !version.equals(offered);
        }
    }

    /**
     * Keeps a kernel's own modules loadable. If a linked module replaces one of the kernel's modules, the kernel's
     * other modules use the symbols of the linked module.
     */
    private static final class NativeProtection {
        private final LinkSimulation kernel;
        private final Set<String> lost = new HashSet<>();

        NativeProtection(LinkSimulation kernel) {
            this.kernel = kernel;
        }

        void startWith(Collection<ModuleLink> links) {
            List<KernelModule> modules = ModuleLink.modules(links);
            lost.addAll(notLoading(modules, kernel.dependants(modules)));
        }

        Set<String> lostBy(Collection<ModuleLink> links) {
            if (lost.isEmpty()) {
                return Set.of();
            }
            List<KernelModule> modules = ModuleLink.modules(links);
            List<KernelModule> dependants = kernel.dependants(modules);
            Set<String> names = new TreeSet<>(notLoading(modules, dependants));
            names.removeAll(notLoading(List.of(), dependants));
            return names;
        }

        private Set<String> notLoading(List<KernelModule> modules, List<KernelModule> dependants) {
            Set<String> linked = new HashSet<>();
            for (KernelModule module : modules) {
                linked.add(module.name());
            }
            List<KernelModule> judged = new ArrayList<>(modules);
            for (KernelModule dependant : dependants) {
                if (!linked.contains(dependant.name())) {
                    judged.add(dependant);
                }
            }
            Set<String> names = new HashSet<>();
            if (judged.size() == modules.size()) {
                return names;
            }
            List<Verdict> verdicts = kernel.sideBySide(judged);
            for (int i = modules.size(); i < judged.size(); i++) {
                if (verdicts.get(i).outcome() != Outcome.COMPATIBLE) {
                    names.add(judged.get(i).name());
                }
            }
            return names;
        }

        /**
         * Returns the links to remove, so that each of the kernel's own modules that loaded before still loads.
         *
         * @param links links to modules that would load together
         */
        List<Rejection> harmful(Collection<ModuleLink> links) {
            List<ModuleLink> tried = new ArrayList<>(links);
            List<KernelModule> modules = ModuleLink.modules(tried);
            if (lost.containsAll(notLoading(modules, kernel.dependants(modules)))) {
                return List.of();
            }
            List<Candidate> candidates = new ArrayList<>();
            modules.forEach(module -> candidates.add(Candidate.of(module)));
            Selection selection = kernel.choose(candidates, lost);
            List<Rejection> harmful = new ArrayList<>();
            for (int i = 0; i < tried.size(); i++) {
                Selection.LinkDecision decision = selection.decisions().get(i);
                if (!decision.chosen()) {
                    harmful.add(Rejection.harmful(tried.get(i), decision.status()));
                }
            }
            return harmful;
        }
    }
}
