package dev.weaklink.check;

import dev.weaklink.kernel.TargetKernel;
import dev.weaklink.loader.BrokenImporters;
import dev.weaklink.loader.ExportRowCache;
import dev.weaklink.loader.Finding;
import dev.weaklink.loader.NeededModules;
import dev.weaklink.loader.Outcome;
import dev.weaklink.loader.Verdict;
import dev.weaklink.module.KernelModule;
import dev.weaklink.sys.Root;
import dev.weaklink.system.Dependants;
import dev.weaklink.system.ModuleTree.ModuleFile;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Finds the modules that stop loading because given modules replace the kernel's own: the importers of the replaced
 * modules. Importers are read only if a replacing module is refused or may change exports.
 */
final class Replacements {
    private final @Nullable Root root;
    private final List<Path> files;
    private final CheckTarget target;
    private final InTreeModules own;

    /** The modules that depmod would select if the given files were not installed. */
    private final InTreeModules without;

    private final int threads;

    private Replacements(@Nullable Root root, CheckTarget target, InTreeModules own, List<Path> files, int threads) {
        this.root = root;
        this.files = files;
        this.target = target;
        this.own = own;
        this.without = own.without(files);
        this.threads = threads;
    }

    /**
     * Adds to the verdicts the modules that would no longer load if the given modules were installed.
     *
     * @param root the root in which to look up whether the machine uses a broken module; null if another machine would
     *     load the modules
     * @param files the files of the judged modules, in the order of the verdicts; empty if they are not on this machine
     */
    static List<Verdict> judged(
            @Nullable Root root, CheckTarget target, List<Path> files, List<Verdict> verdicts, int threads) {
        InTreeModules own = target.inTreeModules();
        return own == null || !own.hasInTree()
                ? UnseenImporters.marked(target, verdicts)
                : new Replacements(root, target, own, files, threads).judged(verdicts);
    }

    private List<Verdict> judged(List<Verdict> verdicts) {
        Map<String, Verdict> given = given(verdicts);
        Set<String> replaced = new TreeSet<>();
        boolean lacking = false;
        for (Verdict verdict : given.values()) {
            KernelModule module = verdict.module();
            for (KernelModule before : without.named(List.of(module.name()))) {
                BrokenImporters.Exchange exchange = BrokenImporters.Exchange.of(before, module);
                if (verdict.outcome() == Outcome.INCOMPATIBLE || exchange.mayBreak()) {
                    replaced.add(module.name());
                    lacking |= exchange.lacking() > 0;
                }
            }
        }
        return replaced.isEmpty() ? verdicts : judged(verdicts, given, replaced, lacking);
    }

    /**
     * Returns the verdicts on the judged modules that replace a module of the kernel, by module name. A judged file
     * that depmod selects replaces the kernel's module, even if the file is refused. A file that is not installed
     * replaces the kernel's module unless the file is refused. All other files replace nothing. Of several such files
     * of one module, the selected one counts, else the first.
     */
    private Map<String, Verdict> given(List<Verdict> verdicts) {
        Map<String, Verdict> given = new LinkedHashMap<>();
        Set<Path> judged = new HashSet<>(files);
        Set<Path> installed = new HashSet<>();
        for (ModuleFile file : own.tree().inOrder()) {
            if (judged.contains(file.host())) {
                installed.add(file.host());
            }
        }
        for (int i = 0; i < verdicts.size(); i++) {
            Verdict verdict = verdicts.get(i);
            String name = verdict.module().name();
            ModuleFile chosen = own.tree().chosen(name);
            Path file = files.isEmpty() ? null : files.get(i);
            boolean inPlace = chosen != null && chosen.host().equals(file);
            if (!without.has(name) || !inPlace && file != null && installed.contains(file)) {
                continue;
            }
            if (inPlace) {
                given.put(name, verdict);
            } else if (verdict.outcome() != Outcome.INCOMPATIBLE) {
                given.putIfAbsent(name, verdict);
            }
        }
        return given;
    }

    private List<Verdict> judged(
            List<Verdict> verdicts, Map<String, Verdict> given, Set<String> replaced, boolean all) {
        List<KernelModule> placed = new ArrayList<>();
        Set<String> names = new TreeSet<>();
        for (Verdict verdict : verdicts) {
            KernelModule chosen =
                    given.getOrDefault(verdict.module().name(), verdict).module();
            if (names.add(chosen.name())) {
                placed.add(chosen);
            }
        }
        ExportRowCache rows = new ExportRowCache(target.kernel().exports());
        List<KernelModule> before = before(replaced, all, rows);
        rows.prepare(before, threads);
        TargetKernel kernel = Judge.kernel(target, placed, before);
        Map<String, List<Finding>> found =
                BrokenImporters.of(kernel, placed, before, without.unreadableNames(), rows, threads);
        markUsed(found);
        List<Verdict> judged = new ArrayList<>();
        for (Verdict verdict : verdicts) {
            KernelModule module = verdict.module();
            List<Finding> broken = found.get(module.name());
            boolean blamed = broken != null && given.get(module.name()) == verdict;
            judged.add(blamed && broken != null ? verdict.with(broken) : verdict);
        }
        return judged;
    }

    private void markUsed(Map<String, List<Finding>> found) {
        Set<String> names = new TreeSet<>();
        for (List<Finding> findings : found.values()) {
            for (Finding finding : findings) {
                if (finding.importer() != null) {
                    names.add(finding.importer().name());
                }
            }
        }
        if (root == null || names.isEmpty()) {
            return;
        }
        Set<String> used = UsedModules.among(names, root, own.tree().directory().inside());
        for (List<Finding> findings : found.values()) {
            findings.replaceAll(finding -> finding.used(used));
            findings.sort(Comparator.comparing(Replacements::isUsed).reversed());
        }
    }

    private static boolean isUsed(Finding finding) {
        return finding.importer() != null && finding.importer().used();
    }

    /**
     * Returns the replaced modules and their importers, with all modules that these depend on. Returns all modules if
     * modules.dep cannot be read.
     *
     * @param all true if a replacing module lacks an export of the replaced module. The result is then all modules,
     *     because depmod no longer lists the importers of that export
     */
    private List<KernelModule> before(Set<String> replaced, boolean all, ExportRowCache rows) {
        Set<String> users = all ? null : Dependants.of(own.tree().directory(), replaced);
        Set<String> names = new LinkedHashSet<>(replaced);
        names.addAll(users == null ? without.names() : users);
        List<KernelModule> importing = without.proven(names);
        List<KernelModule> known = target.known(without, importing, rows);
        NeededModules needed = new NeededModules(target.kernel(), List.of(), known, rows);
        names.addAll(needed.neededBy(importing, without::named));
        return without.proven(names);
    }
}
