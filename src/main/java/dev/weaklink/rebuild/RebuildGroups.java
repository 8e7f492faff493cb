package dev.weaklink.rebuild;

import dev.weaklink.kernel.KernelReleaseOrder;
import dev.weaklink.links.plan.KernelPlan;
import dev.weaklink.links.plan.ModulePlan;
import dev.weaklink.links.plan.ModulePlan.Action;
import dev.weaklink.links.plan.Plan;
import dev.weaklink.links.plan.RebuildGroup;
import dev.weaklink.loader.CrcCause;
import dev.weaklink.loader.Finding;
import dev.weaklink.loader.Outcome;
import dev.weaklink.loader.TypeChange.TypeChangeKind;
import dev.weaklink.loader.Verdict;
import dev.weaklink.rebuild.SourceChooser.Source;
import dev.weaklink.system.ModulesDirectory;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** Groups the modules that must be rebuilt: one rebuild for each kernel and source. */
public final class RebuildGroups {
    private static final int FEW = 3;

    private RebuildGroups() {}

    public static boolean isNeeded(Plan plan) {
        for (KernelPlan kernel : plan.kernels()) {
            for (ModulePlan module : kernel.modules()) {
                if (needsRebuild(module)) {
                    return true;
                }
            }
        }
        return false;
    }

    /**
     * Returns the rebuilds that a plan calls for, in the plan's order of kernels.
     *
     * @param bootable releases of the kernels that can be booted and whose installation is finished
     */
    public static List<RebuildGroup> of(Plan plan, Evidence evidence, Set<String> bootable) {
        SourceChooser chooser = new SourceChooser(evidence);
        List<RebuildGroup> groups = new ArrayList<>();
        for (KernelPlan kernel : plan.kernels()) {
            Map<Source, List<ModulePlan>> bySource = new LinkedHashMap<>();
            byUnit(kernel)
                    .forEach((unit, modules) -> bySource.computeIfAbsent(
                                    chooser.ofUnit(unit, modules.get(0).unit().product(), files(modules)),
                                    source -> new ArrayList<>())
                            .addAll(modules));
            bySource.forEach((source, modules) -> groups.add(
                    group(kernel.kernel(), source, modules, older(kernel.kernel(), modules, plan, bootable))));
        }
        return groups;
    }

    private static Map<String, List<ModulePlan>> byUnit(KernelPlan kernel) {
        Map<String, List<ModulePlan>> units = new TreeMap<>();
        for (ModulePlan module : kernel.modules()) {
            if (needsRebuild(module)) {
                units.computeIfAbsent(module.unit().name(), unit -> new ArrayList<>())
                        .add(module);
            }
        }
        return units;
    }

    /**
     * Returns whether the plan calls for a new build of the module. A removed link counts only if weaklink checked a
     * build and the kernel's own directory contains no build that loads.
     */
    public static boolean needsRebuild(ModulePlan module) {
        return switch (module.action()) {
            case REBUILD, BUILD -> true;
            case UNLINK -> module.verdict() != null && !module.isServed();
            default -> false;
        };
    }

    private static List<String> files(List<ModulePlan> modules) {
        return modules.stream().map(ModulePlan::build).toList();
    }

    private static RebuildGroup group(String kernel, Source source, List<ModulePlan> modules, String older) {
        Set<String> names = new TreeSet<>();
        Set<String> units = new TreeSet<>();
        for (ModulePlan module : modules) {
            names.add(module.module());
            units.add(module.unit().name());
        }
        return new RebuildGroup(
                kernel,
                new ArrayList<>(units),
                new ArrayList<>(names),
                cause(modules),
                why(modules),
                source.backend(),
                source.product(),
                source.packages(),
                source.reason(),
                older);
    }

    /**
     * Returns the other bootable kernel to stay with; empty if there is none. The first choice is the newest kernel
     * whose directory contains the {@link ModulePlan#build} of one of these modules, and that needs no rebuild of this
     * module. The second choice is the newest kernel that already loads all of these modules.
     */
    private static String older(String kernel, List<ModulePlan> modules, Plan plan, Set<String> bootable) {
        String older = "";
        for (ModulePlan module : modules) {
            String release = release(module.build());
            boolean isUsable = !release.equals(kernel) && bootable.contains(release);
            if (isUsable
                    && !isRefused(module.module(), release, plan)
                    && (older.isEmpty() || KernelReleaseOrder.INSTANCE.compare(older, release) < 0)) {
                older = release;
            }
        }
        for (KernelPlan other : older.isEmpty() ? plan.kernels() : List.<KernelPlan>of()) {
            boolean isUsable = !other.kernel().equals(kernel) && bootable.contains(other.kernel());
            older = isUsable && loads(other, modules) ? other.kernel() : older;
        }
        return older;
    }

    private static boolean loads(KernelPlan kernel, List<ModulePlan> modules) {
        Set<String> loaded = new HashSet<>();
        for (ModulePlan module : kernel.modules()) {
            if (module.action() == Action.KEEP && module.outcome() == Outcome.COMPATIBLE && !module.staysUnused()) {
                loaded.add(module.module());
            }
        }
        return modules.stream().allMatch(module -> loaded.contains(module.module()));
    }

    private static boolean isRefused(String name, String release, Plan plan) {
        for (KernelPlan kernel : plan.kernels()) {
            for (ModulePlan module : kernel.modules()) {
                if (kernel.kernel().equals(release) && module.module().equals(name) && needsRebuild(module)) {
                    return true;
                }
            }
        }
        return false;
    }

    private static String release(String file) {
        for (String parent : ModulesDirectory.PARENTS) {
            int slash = file.indexOf('/', parent.length() + 1);
            if (file.startsWith(parent + "/") && slash > 0) {
                return file.substring(parent.length() + 1, slash);
            }
        }
        return "";
    }

    /** Returns the failed checks with their symbols, such as "module-layout" or "symbol-crc: a, b, c and 4 more". */
    private static String cause(List<ModulePlan> modules) {
        Map<String, Set<String>> symbols = new TreeMap<>();
        for (ModulePlan module : modules) {
            Verdict verdict = module.verdict();
            for (Finding finding : verdict == null ? List.<Finding>of() : verdict.findings()) {
                if (finding.effect() == Finding.Effect.REFUSES) {
                    Set<String> named = symbols.computeIfAbsent(finding.layer().id(), id -> new TreeSet<>());
                    String symbol = finding.symbol();
                    if (symbol != null && !symbol.equals("module_layout")) {
                        named.add(symbol);
                    }
                }
            }
        }
        List<String> parts = new ArrayList<>();
        symbols.forEach((layer, named) -> parts.add(layer + words(new ArrayList<>(named))));
        return String.join("; ", parts);
    }

    /**
     * Returns the kernel changes behind the findings, starting with the change that affects most modules. Adds a note
     * if all refusals result from types with new names but the same layout.
     */
    private static String why(List<ModulePlan> modules) {
        Map<String, Integer> clauses = new TreeMap<>();
        boolean matters = false;
        for (ModulePlan module : modules) {
            Verdict verdict = module.verdict();
            Set<String> own = new TreeSet<>();
            for (Finding finding : verdict == null ? List.<Finding>of() : verdict.findings()) {
                CrcCause cause = finding.cause();
                if (cause != null) {
                    own.add(cause.clause());
                }
                boolean spelled = cause != null && cause.worst().change() == TypeChangeKind.SPELLING;
                matters |= finding.effect() == Finding.Effect.REFUSES && !spelled;
            }
            own.forEach(clause -> clauses.merge(clause, 1, Integer::sum));
        }
        List<String> sorted = new ArrayList<>(clauses.keySet());
        sorted.sort(Comparator.comparing(clause -> -clauses.getOrDefault(clause, 0)));
        return String.join(", ", sorted)
                + (sorted.isEmpty() || matters
                        ? ""
                        : ": no layout change is visible, but the rebuild is needed anyway");
    }

    private static String words(List<String> symbols) {
        if (symbols.isEmpty()) {
            return "";
        }
        int shown = symbols.size() > FEW + 1 ? FEW : symbols.size();
        String list = String.join(", ", symbols.subList(0, shown));
        return ": " + list + (shown < symbols.size() ? " and " + (symbols.size() - shown) + " more" : "");
    }
}
