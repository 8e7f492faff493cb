package dev.weaklink.loader;

import dev.weaklink.kernel.TargetKernel;
import dev.weaklink.module.Exports;
import dev.weaklink.module.KernelModule;
import dev.weaklink.module.ModInfo;
import dev.weaklink.module.Origin;
import dev.weaklink.module.SymbolNames;
import java.util.Arrays;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A kernel and the modules installed on it, with an index of the symbols that these modules export. If several modules
 * export one symbol, the index has an entry for each: first the modules being checked, then the target's own modules,
 * each group sorted by name. An entry of the index is called an offer.
 */
public final class ModuleEnvironment {
    public static final int NONE = -1;

    private final TargetKernel target;
    private final List<EnvironmentMember> members;
    private final Set<String> unreadable;
    private final ExportRowCache rows;
    private final Set<String> names = new HashSet<>();
    private boolean exportsKnown = true;
    private boolean sharedSymbols;
    private final Map<KernelModule, Rival> refused = new IdentityHashMap<>();
    private final int[] memberOf;
    private final int[] exportOf;
    private final int[] next;
    private final int[] slots;

    /**
     * Builds the index of exports.
     *
     * @param unreadable the names of modules that exist but could not be read
     * @param rows the cache of lookups in the target's export table
     */
    public ModuleEnvironment(
            TargetKernel target, List<EnvironmentMember> members, Set<String> unreadable, ExportRowCache rows) {
        this.target = target;
        this.members = members;
        this.unreadable = unreadable;
        this.rows = rows;
        int exports = 0;
        for (EnvironmentMember member : members) {
            names.add(member.name());
            exportsKnown &= member.module().exports().known() != Exports.KnownExports.NOTHING;
            exports += member.module().exports().names().size();
        }
        memberOf = new int[exports];
        exportOf = new int[exports];
        next = new int[exports];
        slots = new int[Integer.highestOneBit(Math.max(exports, 1) * 2) * 2];
        Arrays.fill(next, NONE);
        Arrays.fill(slots, NONE);
        fill();
    }

    private void fill() {
        int offer = 0;
        for (int m = 0; m < members.size(); m++) {
            SymbolNames exported = members.get(m).module().exports().names();
            int counted = ExportStep.counted(members.get(m).module().exports(), target.rules());
            for (int e = 0; e < counted; e++) {
                memberOf[offer] = m;
                exportOf[offer] = e;
                link(offer++, exported, e);
            }
        }
    }

    /**
     * Inserts an offer in order among the offers of the same symbol. If a module exports a symbol twice, the first
     * export counts.
     */
    private void link(int offer, SymbolNames exported, int index) {
        int slot = slot(exported, index);
        int before = NONE;
        int after = slots[slot];
        sharedSymbols |= after != NONE && member(after).given() && memberOf[after] != memberOf[offer];
        while (after != NONE && !comesBefore(member(offer), member(after))) {
            if (memberOf[after] == memberOf[offer]) {
                return;
            }
            before = after;
            after = next[after];
        }
        next[offer] = after;
        if (before == NONE) {
            slots[slot] = offer;
        } else {
            next[before] = offer;
        }
    }

    private static boolean comesBefore(EnvironmentMember one, EnvironmentMember other) {
        return one.given() == other.given() ? one.name().compareTo(other.name()) < 0 : one.given();
    }

    private int slot(SymbolNames wanted, int index) {
        int mask = slots.length - 1;
        int slot = wanted.slot(index, mask);
        while (slots[slot] != NONE) {
            int offer = slots[slot];
            SymbolNames exported =
                    members.get(memberOf[offer]).module().exports().names();
            if (exported.same(exportOf[offer], wanted, index)) {
                return slot;
            }
            slot = (slot + 1) & mask;
        }
        return slot;
    }

    /**
     * A module because of which another module is refused: both export the same symbol, and the rival is loaded first.
     *
     * @param symbol the symbol that both modules export
     * @param owner the name of the rival
     */
    record Rival(String symbol, String owner) {}

    /**
     * Refuses checked modules that would load, but export the same symbol as an earlier module that would load. The
     * kernel refuses the module that is loaded second. weaklink assumes that the first of the list is loaded first.
     *
     * @return true if a module was refused, so that all members have to be judged again
     */
    boolean refuseRivals() {
        int before = refused.size();
        for (int m = 0; sharedSymbols && m < members.size() && members.get(m).given(); m++) {
            Rival rival = members.get(m).loads() ? rivalOf(m) : null;
            if (rival != null) {
                refused.put(members.get(m).module(), rival);
            }
        }
        if (refused.size() == before) {
            return false;
        }
        members.forEach(EnvironmentMember::reset);
        return true;
    }

    private @Nullable Rival rivalOf(int m) {
        EnvironmentMember member = members.get(m);
        SymbolNames exported = member.module().exports().names();
        int counted = ExportStep.counted(member.module().exports(), target.rules());
        for (int e = 0; e < counted; e++) {
            for (int offer = offer(exported, e); offer != NONE; offer = next[offer]) {
                EnvironmentMember other = member(offer);
                if (memberOf[offer] < m
                        && other.loads()
                        && !refused.containsKey(other.module())
                        && !other.name().equals(member.name())) {
                    return new Rival(exported.name(e), other.name());
                }
            }
        }
        return null;
    }

    @Nullable
    Rival rivalOf(KernelModule module) {
        return refused.get(module);
    }

    public TargetKernel target() {
        return target;
    }

    boolean exportsKnown() {
        return exportsKnown;
    }

    public ExportRowCache rows() {
        return rows;
    }

    List<EnvironmentMember> members() {
        return members;
    }

    boolean hasMember(String name) {
        return names.contains(name) || unreadable.contains(name);
    }

    boolean isUnreadable(String name) {
        return unreadable.contains(name);
    }

    /**
     * Returns whether an unreadable module may export a module's missing symbols. This is the case if {@code depends},
     * a list of modules that modpost writes into the module, is unknown or names an unreadable module.
     */
    boolean mayNeedUnreadable(KernelModule module) {
        if (unreadable.isEmpty()) {
            return false;
        }
        ModInfo info = module.modInfo();
        if (!info.knows("depends")) {
            return true;
        }
        for (String name : info.depends()) {
            if (unreadable.contains(Origin.moduleName(name))) {
                return true;
            }
        }
        return false;
    }

    public int offer(SymbolNames wanted, int index) {
        return slots[slot(wanted, index)];
    }

    public int nextOffer(int offer) {
        return next[offer];
    }

    public int memberIndex(int offer) {
        return memberOf[offer];
    }

    EnvironmentMember member(int offer) {
        return members.get(memberOf[offer]);
    }

    int export(int offer) {
        return exportOf[offer];
    }
}
