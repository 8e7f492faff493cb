package dev.weaklink.explain;

import dev.weaklink.explain.TypePointers.Pointer;
import dev.weaklink.format.btf.Btf;
import dev.weaklink.loader.TypeChange;
import dev.weaklink.loader.TypeChange.MemberChange;
import dev.weaklink.loader.TypeChange.TypeChangeKind;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Compares the prototypes of the callbacks that a module sets in a table, such as a {@code struct file_operations}. The
 * definition of the table's type can stay the same although a callback no longer fits. For example, the table may
 * declare a member with a typedef whose prototype changed.
 */
final class Callbacks {
    private final TypePointers before;
    private final TypePointers after;
    private final TypeComparison comparison;

    Callbacks(Btf old, Btf now) {
        this.before = new TypePointers(old);
        this.after = new TypePointers(now);
        this.comparison = new TypeComparison(old, now);
    }

    /**
     * Returns the change of a table, including changed prototypes of the callbacks that the table sets.
     *
     * @param own the change of the table's definition, null if the definition did not change
     * @param set the names of the members that the table sets
     * @return null if nothing changed
     */
    @Nullable
    TypeChange with(@Nullable TypeChange own, int old, int now, Set<String> set) {
        List<MemberChange> callbacks = set.isEmpty() ? List.of() : changed(old, now, set);
        if (callbacks.isEmpty()) {
            return own;
        }
        TypeChange whole = own == null ? comparison.compare(old, now) : own;
        Set<String> named = new TreeSet<>();
        List<MemberChange> members = new ArrayList<>(own == null ? List.of() : own.members());
        members.forEach(member -> named.add(member.name()));
        callbacks.stream().filter(one -> !named.contains(one.name())).forEach(members::add);
        return new TypeChange(
                whole.kind(),
                whole.name(),
                whole.change().worse(TypeChangeKind.SIGNATURE),
                members,
                whole.sizeBefore(),
                whole.sizeAfter());
    }

    /** Returns the callbacks in {@code set} whose old and new prototypes are the same for compiled code. */
    Set<String> fitting(int old, int now, Set<String> set) {
        Map<String, Pointer> olds = functions(before, old);
        Map<String, Pointer> news = functions(after, now);
        Set<String> fitting = new TreeSet<>();
        for (String name : set) {
            Pointer was = olds.get(name);
            Pointer is = news.get(name);
            if (was != null
                    && is != null
                    && comparison.comparePrototypes(was.to(), is.to(), name).change() == TypeChangeKind.SPELLING) {
                fitting.add(name);
            }
        }
        return fitting;
    }

    private List<MemberChange> changed(int old, int now, Set<String> set) {
        Map<String, Pointer> olds = functions(before, old);
        Map<String, Pointer> news = functions(after, now);
        List<MemberChange> changed = new ArrayList<>();
        for (String name : set) {
            Pointer was = olds.get(name);
            Pointer is = news.get(name);
            if (was != null && is != null) {
                TypeChange prototype = comparison.comparePrototypes(was.to(), is.to(), "(*" + name + ")");
                if (prototype.change() != TypeChangeKind.SPELLING) {
                    MemberChange whole = prototype.members().get(0);
                    changed.add(new MemberChange(name, whole.before(), whole.after()));
                }
            }
        }
        return changed;
    }

    private static Map<String, Pointer> functions(TypePointers pointers, int type) {
        Map<String, Pointer> functions = new HashMap<>();
        for (Pointer pointer : pointers.of(type).values()) {
            if (pointer.own() && pointers.isFunction(pointer)) {
                functions.putIfAbsent(pointer.name(), pointer);
            }
        }
        return functions;
    }
}
