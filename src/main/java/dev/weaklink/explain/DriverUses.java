package dev.weaklink.explain;

import dev.weaklink.explain.KernelSide.Definition;
import dev.weaklink.explain.TypeUse.UseKind;
import dev.weaklink.format.btf.Btf;
import dev.weaklink.format.btf.BtfKind;
import dev.weaklink.format.btf.TypeGraph;
import dev.weaklink.loader.TypeChange;
import dev.weaklink.module.DataObject;
import dev.weaklink.module.ModuleData;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Finds the uses of changed types in a module. The evidence is the module's symbol table, relocations and own types,
 * and the prototypes of the functions that the module imports.
 */
final class DriverUses {
    private static final int MAX_DEPTH = 16;

    /** The variable that modpost adds to every module (scripts/mod/modpost.c, add_header). */
    private static final String OF_EVERY_MODULE = "__this_module";

    private static final int MAX_STEPS = 2_000_000;

    private static final class UseEvidence {
        final UseKind kind;
        final boolean certain;
        final Set<String> places = new TreeSet<>();
        final Set<String> set = new TreeSet<>();
        final Set<String> fitting = new TreeSet<>();

        /**
         * The names of callbacks that the module sets to imported functions. If a callback's prototype changes, the
         * prototypes of these functions change, too.
         */
        final Set<String> borrowed = new TreeSet<>();

        final Set<String> implemented = new TreeSet<>();

        /** The definition of the used type; null for a typedef. */
        @Nullable
        Definition definition;

        UseEvidence(UseKind kind, boolean certain) {
            this.kind = kind;
            this.certain = certain;
        }
    }

    private final KernelSide before;
    private final KernelSide after;

    private final Map<String, UseEvidence> evidence = new LinkedHashMap<>();

    private int steps;

    private DriverUses(KernelSide before, KernelSide after) {
        this.before = before;
        this.after = after;
    }

    static List<TypeUse> find(
            KernelSide before,
            KernelSide after,
            @Nullable TypeGraph own,
            ModuleData data,
            Collection<String> imports,
            Collection<TypeChange> causes) {
        DriverUses uses = new DriverUses(before, after);
        List<Types> types = new ArrayList<>();
        types.add(uses.new Types(own == null ? before.types() : own));
        // The module's own BTF includes the types that the module uses from other modules. If the module has no BTF,
        // the BTF of the other modules is searched.
        for (TypeGraph module : own == null ? before.modules() : List.<TypeGraph>of()) {
            types.add(uses.new Types(module));
        }
        for (Variable variable : uses.typed(types, data)) {
            variable.types.addObject(variable.typed);
        }
        if (own != null) {
            uses.new Types(own).addOwnTypes();
        }
        return uses.found(imports, causes, onlyInTables(data));
    }

    private record Variable(Types types, ObjectTypes.Typed typed) {}

    private List<Variable> typed(List<Types> types, ModuleData data) {
        Map<Integer, Variable> found = new TreeMap<>();
        for (Types one : types) {
            for (ObjectTypes.Typed typed : new ObjectTypes(one.types, one.pointers, before, data.variables()).find()) {
                if (!typed.object().name().equals(OF_EVERY_MODULE)) {
                    found.putIfAbsent(typed.number(), new Variable(one, typed));
                }
            }
        }
        return List.copyOf(found.values());
    }

    private List<TypeUse> found(Collection<String> imports, Collection<TypeChange> causes, Set<String> onlyInTables) {
        Map<String, TypeChange> changes = new LinkedHashMap<>();
        Set<String> fitting = new HashSet<>();
        for (String symbol : new TreeSet<>(imports)) {
            Definition was = before.prototype(symbol);
            Definition is = after.prototype(symbol);
            if (was != null) {
                new Types(was.graph()).addImport(was.type(), symbol);
            }
            if (was != null && is != null && was.fingerprint() != is.fingerprint()) {
                TypeComparison comparison = new TypeComparison(was.btf(), is.btf());
                changes.put(symbol, comparison.comparePrototypes(was.type(), is.type(), symbol));
                if (onlyInTables.contains(symbol) || Callers.fit(was, is)) {
                    fitting.add(symbol);
                }
            }
        }
        causes.forEach(cause -> changes.putIfAbsent(cause.title(), cause));
        // Changes of these types replace causes of the same title, because they also include changed callbacks.
        changedTypes().forEach(change -> changes.put(change.title(), change));
        List<TypeUse> found = new ArrayList<>();
        changes.forEach((title, change) -> found.add(use(title, change, fitting.contains(title))));
        found.sort(Comparator.comparing(TypeUse::kind)
                .thenComparing(use -> use.firm().isEmpty())
                .thenComparing(use -> use.change().change())
                .thenComparing(use -> use.change().title()));
        return found;
    }

    private TypeUse use(String title, TypeChange change, boolean fits) {
        if (change.kind().equals("prototype")) {
            List<String> fitting = fits ? List.of(change.name()) : List.of();
            return new TypeUse(change, UseKind.CALLS, true, List.of(), List.of(), fitting);
        }
        UseEvidence found = evidence.get(title);
        return found == null
                ? new TypeUse(change, UseKind.UNKNOWN, true, List.of(), List.of(), List.of())
                : new TypeUse(
                        change,
                        found.kind,
                        found.certain,
                        List.copyOf(found.places),
                        List.copyOf(found.set),
                        List.copyOf(found.fitting));
    }

    private List<TypeChange> changedTypes() {
        Map<String, List<Definition>> olds = before.named(evidence.keySet());
        Map<String, List<Definition>> news = after.named(evidence.keySet());
        List<TypeChange> changes = new ArrayList<>();
        evidence.forEach((title, known) -> {
            Definition seen = known.definition;
            List<Definition> none = seen == null ? List.of() : List.of(seen);
            List<Definition> was = olds.getOrDefault(title, none);
            List<Definition> is = news.getOrDefault(title, List.of());
            // Several types of one name cannot be told apart, so their changes are left out.
            if (seen != null && was.size() == 1 && is.size() == 1) {
                TypeChange change = change(was.get(0), is.get(0), seen, known);
                if (change != null) {
                    changes.add(change);
                }
            }
        });
        return changes;
    }

    private static @Nullable TypeChange change(Definition was, Definition is, Definition seen, UseEvidence known) {
        TypeChange own = was.fingerprint() == is.fingerprint()
                ? null
                : new TypeComparison(was.btf(), is.btf()).compare(was.type(), is.type());
        Callbacks callbacks = new Callbacks(seen.btf(), is.btf());
        known.fitting.addAll(callbacks.fitting(seen.type(), is.type(), known.set));
        known.borrowed.stream()
                .filter(callback -> !known.implemented.contains(callback))
                .forEach(known.fitting::add);
        return callbacks.with(own, seen.type(), is.type(), known.set);
    }

    private static Map<String, Boolean> below(Map<String, Boolean> set, String member) {
        if (member.isEmpty() || set.isEmpty()) {
            return set;
        }
        String prefix = member + ".";
        Map<String, Boolean> below = new TreeMap<>();
        set.forEach((name, function) -> {
            if (name.startsWith(prefix)) {
                below.put(name.substring(prefix.length()), function);
            }
        });
        return below;
    }

    private static boolean isImported(DataObject.Slot slot) {
        return slot.name() != null && !slot.code();
    }

    private static Set<String> onlyInTables(ModuleData data) {
        Set<String> functions = new HashSet<>();
        for (DataObject variable : data.variables()) {
            variable.slots().stream()
                    .filter(DriverUses::isImported)
                    .forEach(slot -> functions.add(String.valueOf(slot.name())));
        }
        functions.removeAll(data.usedByCode());
        return functions;
    }

    private final class Types {
        private final TypeGraph types;
        private final Btf btf;
        private final TypePointers pointers;

        Types(TypeGraph types) {
            this.types = types;
            this.btf = types.btf();
            this.pointers = new TypePointers(btf);
        }

        private UseEvidence evidence(int type, UseKind kind, boolean certain) {
            UseEvidence found = evidence.merge(
                    TypeText.tag(btf.kind(type)) + " " + btf.name(type), new UseEvidence(kind, certain), (old, now) -> {
                        int order = now.kind.compareTo(old.kind);
                        return order < 0 || order == 0 && now.certain && !old.certain ? now : old;
                    });
            if (found.definition == null) {
                found.definition = new Definition(types, type);
            }
            return found;
        }

        private void add(int type, UseKind kind, boolean certain, String place) {
            UseEvidence known = evidence(type, kind, certain);
            if (known.kind == kind && known.certain == certain) {
                known.places.add(place);
            }
        }

        void addObject(ObjectTypes.Typed typed) {
            Map<Integer, TypePointers.Pointer> places = pointers.of(typed.type());
            Map<String, Boolean> set = new TreeMap<>();
            for (DataObject.Slot slot : typed.object().slots()) {
                TypePointers.Pointer pointer = places.get(slot.offset());
                if (pointer != null) {
                    set.put(pointer.name(), pointers.isFunction(pointer));
                    addTypedef(pointer, typed);
                }
            }
            addSet(typed.type(), set, typed.certain(), typed.object().name());
            addCallbacks(typed, places);
            addInner(typed.type(), set, typed.certain(), typed.object().name(), new HashSet<>(), 0);
        }

        private void addCallbacks(ObjectTypes.Typed typed, Map<Integer, TypePointers.Pointer> places) {
            for (DataObject.Slot slot : typed.object().slots()) {
                TypePointers.Pointer pointer = places.get(slot.offset());
                if (pointer != null && pointers.isFunction(pointer)) {
                    UseEvidence known = evidence(typed.type(), UseKind.IMPLEMENTS, typed.certain());
                    (isImported(slot) ? known.borrowed : known.implemented).add(pointer.name());
                }
            }
        }

        private void addTypedef(TypePointers.Pointer pointer, ObjectTypes.Typed typed) {
            String typedef = pointer.typedef();
            if (typedef != null && pointers.isFunction(pointer)) {
                evidence.computeIfAbsent(
                                "typedef " + typedef, title -> new UseEvidence(UseKind.IMPLEMENTS, typed.certain()))
                        .places
                        .add(typed.object().name());
            }
        }

        private void addSet(int type, Map<String, Boolean> set, boolean certain, String place) {
            UseKind kind = set.containsValue(true) ? UseKind.IMPLEMENTS : UseKind.EMBEDS;
            add(type, kind, certain, place);
            UseEvidence known = evidence(type, kind, certain);
            if (known.kind == kind) {
                known.set.addAll(set.keySet());
            }
        }

        void addOwnTypes() {
            Map<String, Integer> own = new LinkedHashMap<>();
            for (int id = Math.max(1, types.first()); id < btf.size(); id++) {
                if (btf.kind(id).isComposite() && btf.isNamed(id)) {
                    own.put(TypeText.tag(btf.kind(id)) + " " + btf.name(id), id);
                }
            }
            own.forEach((name, id) -> addInner(id, Map.of(), true, name, new HashSet<>(), 0));
        }

        private void addInner(
                int type, Map<String, Boolean> set, boolean certain, String place, Set<Integer> seen, int depth) {
            for (int i = 0; i < btf.members(type) && steps < MAX_STEPS; i++) {
                steps++;
                int of = TypeComparison.bare(btf, btf.memberType(type, i)).type();
                while (btf.kind(of) == BtfKind.ARRAY && steps++ < MAX_STEPS) {
                    of = TypeComparison.bare(btf, btf.element(of)).type();
                }
                if (btf.kind(of).isComposite() && depth < MAX_DEPTH && seen.add(of)) {
                    Map<String, Boolean> inside = below(set, btf.memberName(type, i));
                    if (btf.isNamed(of)) {
                        addSet(of, inside, certain, place);
                    }
                    addInner(of, inside, certain, place, seen, depth + 1);
                }
            }
        }

        void addImport(int prototype, String symbol) {
            addPointer(btf.type(prototype), symbol);
            for (int i = 0; i < btf.members(prototype); i++) {
                addPointer(btf.memberType(prototype, i), symbol);
            }
        }

        private void addPointer(int type, String symbol) {
            int bare = TypeComparison.bare(btf, type).type();
            for (int i = 0; btf.kind(bare) == BtfKind.PTR && i < MAX_DEPTH; i++) {
                bare = TypeComparison.bare(btf, btf.type(bare)).type();
                if (btf.kind(bare).isComposite() && btf.isNamed(bare)) {
                    add(bare, UseKind.PASSES_THROUGH, true, symbol);
                }
            }
        }
    }
}
