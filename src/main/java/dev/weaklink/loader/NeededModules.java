package dev.weaklink.loader;

import dev.weaklink.kernel.ExportTable;
import dev.weaklink.kernel.TargetKernel;
import dev.weaklink.module.KernelModule;
import dev.weaklink.module.Origin;
import dev.weaklink.module.SymbolNames;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Function;

/**
 * Finds the target kernel's own modules that a judgement needs, so that only these modules are read. A module is needed
 * if a judged module may import a symbol from it. Symbols that vmlinux exports do not count.
 */
public final class NeededModules {
    private final TargetKernel target;
    private final ModuleEnvironment environment;
    private final Set<String> replaced;
    private final Set<String> asked = new HashSet<>();

    /**
     * Creates a search for needed modules of a target.
     *
     * @param given the modules that replace the target's modules of the same names; empty if each module is judged
     *     alone
     * @param known the target's own modules that have been read; the exports of the other modules come from the
     *     target's symvers
     * @param rows the cache of lookups, shared with {@link LoadSet}
     */
    public NeededModules(
            TargetKernel target, List<KernelModule> given, Collection<KernelModule> known, ExportRowCache rows) {
        this.target = target;
        this.replaced = new HashSet<>();
        List<EnvironmentMember> members = new ArrayList<>();
        for (KernelModule module : given) {
            members.add(new EnvironmentMember(module, true));
            replaced.add(module.name());
        }
        for (KernelModule module : known) {
            if (!replaced.contains(module.name())) {
                members.add(new EnvironmentMember(module, false));
            }
        }
        this.environment = new ModuleEnvironment(target, members, Set.of(), rows);
    }

    /**
     * Returns whether vmlinux or a known module exports each symbol that these modules import.
     *
     * @param known the target's own modules that have been read
     */
    public static boolean areExported(
            TargetKernel target,
            Collection<KernelModule> modules,
            Collection<KernelModule> known,
            ExportRowCache rows) {
        NeededModules own = new NeededModules(target, List.of(), known, rows);
        for (KernelModule module : modules) {
            SymbolNames imports = module.imports().names();
            int[] found = rows.of(module);
            for (int i = 0; i < imports.size(); i++) {
                boolean isOfVmlinux = found[i] >= 0 && target.exports().isVmlinux(found[i]);
                if (!isOfVmlinux && own.environment.offer(imports, i) == ModuleEnvironment.NONE) {
                    return false;
                }
            }
        }
        return true;
    }

    /**
     * Returns the names of the target's own modules that these modules need, directly or through other modules. Leaves
     * out names that an earlier call returned.
     *
     * @param reader reads the target's own modules by name
     */
    public List<String> neededBy(
            Collection<KernelModule> modules, Function<Collection<String>, List<KernelModule>> reader) {
        List<String> needed = new ArrayList<>();
        Collection<KernelModule> asking = modules;
        while (!asking.isEmpty()) {
            Collection<String> wanted = wantedBy(asking);
            needed.addAll(wanted);
            asking = reader.apply(wanted);
        }
        return needed;
    }

    /**
     * Returns the names of the target's own modules from which these modules may import symbols. Leaves out names that
     * an earlier call returned.
     */
    SortedSet<String> wantedBy(Collection<KernelModule> modules) {
        SortedSet<String> wanted = new TreeSet<>();
        for (KernelModule module : modules) {
            SymbolNames imports = module.imports().names();
            int[] rows = environment.rows().of(module);
            for (int i = 0; i < imports.size(); i++) {
                want(imports, i, rows[i], wanted);
            }
        }
        return wanted;
    }

    private void want(SymbolNames imports, int index, int row, SortedSet<String> wanted) {
        ExportTable exports = target.exports();
        if (row >= 0 && exports.isVmlinux(row)) {
            return;
        }
        int offer = environment.offer(imports, index);
        for (int o = offer; o != ModuleEnvironment.NONE; o = environment.nextOffer(o)) {
            EnvironmentMember member = environment.member(o);
            if (!member.given()) {
                ask(member.name(), wanted);
            }
        }
        if (offer == ModuleEnvironment.NONE && row >= 0) {
            ask(Origin.moduleName(exports.owner(row)), wanted);
        }
    }

    private void ask(String name, SortedSet<String> wanted) {
        if (!replaced.contains(name) && asked.add(name)) {
            wanted.add(name);
        }
    }
}
