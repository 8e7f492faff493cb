package dev.weaklink.explain;

import dev.weaklink.explain.TypePointers.Pointer;
import dev.weaklink.format.btf.Btf;
import dev.weaklink.format.btf.BtfKind;
import dev.weaklink.format.btf.TypeGraph;
import dev.weaklink.module.DataObject;
import dev.weaklink.module.DataObject.Slot;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Finds the types of a module's variables, which BTF does not record. A type fits if it has the size of the variable
 * and a pointer wherever the variable has one. A function pointer must have the prototype of the function that it leads
 * to, if this prototype is known.
 */
final class ObjectTypes {
    private static final int MAX_OBJECTS = 4_000;

    /** The maximum number of pointers visited; the driver amdgpu needs 2,400,000. */
    private static final int MAX_STEPS = 20_000_000;

    /**
     * The maximum number of rounds. In each round, variables with a known type determine the types of variables that
     * they point to.
     */
    private static final int ROUNDS = 4;

    /** The minimum number of callbacks in a variable that no prototype confirms; with fewer, too many types fit. */
    private static final int FEW_CALLBACKS = 3;

    private static final long FEW_BYTES = 64;

    /**
     * The type of a variable.
     *
     * @param number the variable's index
     * @param certain whether known prototypes or other variables confirm the type; else only the variable's size,
     *     pointers and possibly name fit the type
     */
    record Typed(int number, DataObject object, int type, boolean certain) {}

    private final TypeGraph types;
    private final KernelSide kernel;
    private final Btf btf;
    private final List<DataObject> objects;
    private final TypePointers pointers;

    private final boolean ofModule;

    private final Map<Integer, Typed> found = new TreeMap<>();
    private int steps;

    ObjectTypes(TypeGraph types, TypePointers pointers, KernelSide kernel, List<DataObject> objects) {
        this.types = types;
        this.kernel = kernel;
        this.ofModule = types != kernel.types() && !kernel.modules().contains(types);
        this.btf = types.btf();
        this.pointers = pointers;
        this.objects = objects.subList(0, Math.min(objects.size(), MAX_OBJECTS));
    }

    List<Typed> find() {
        Map<Integer, List<Integer>> candidates = candidates();
        int before = -1;
        for (int round = 0; round < ROUNDS && found.size() > before; round++) {
            before = found.size();
            candidates.forEach((number, fitting) -> {
                if (!found.containsKey(number)) {
                    choose(number, fitting, false);
                }
            });
            List.copyOf(found.values()).forEach(this::tell);
        }
        candidates.forEach((number, fitting) -> {
            if (!found.containsKey(number)) {
                choose(number, fitting, true);
            }
        });
        return List.copyOf(found.values());
    }

    private Map<Integer, List<Integer>> candidates() {
        Map<Long, List<Integer>> bySize = new HashMap<>();
        for (int i = 0; i < objects.size(); i++) {
            bySize.computeIfAbsent(objects.get(i).size(), size -> new ArrayList<>())
                    .add(i);
        }
        Map<Integer, List<Integer>> candidates = new TreeMap<>();
        for (int id = 1; id < btf.size(); id++) {
            boolean struct = btf.kind(id) == BtfKind.STRUCT && btf.isNamed(id);
            long size = struct ? Integer.toUnsignedLong(btf.byteSize(id)) : -1;
            for (int number : bySize.getOrDefault(size, List.of())) {
                if (score(objects.get(number), id) >= 0) {
                    candidates.computeIfAbsent(number, key -> new ArrayList<>()).add(id);
                }
            }
        }
        return candidates;
    }

    /**
     * Returns the number of pointers that confirm the type, because they lead to a function or variable of a known,
     * matching type. Returns -1 if a pointer contradicts the type or a limit is reached.
     */
    private int score(DataObject object, int type) {
        Map<Integer, Pointer> all = pointers.of(type);
        int score = 0;
        for (Slot slot : object.slots()) {
            Pointer pointer = all.get(slot.offset());
            if (pointer == null || slot.code() && !pointers.isFunction(pointer) || ++steps > MAX_STEPS) {
                return -1;
            }
            if (pointers.isFunction(pointer)) {
                Long declared = declared(slot);
                if (!slot.code() && slot.name() == null
                        || declared != null && declared != types.fingerprint(pointer.to())) {
                    return -1;
                }
                score += declared == null ? 0 : 1;
            } else {
                Typed target = slot.code() ? null : found.get(slot.variable());
                boolean same = target != null && target.certain() && sameName(target.type(), pointer.to());
                score += same ? 1 : 0;
            }
        }
        return score;
    }

    private boolean sameName(int type, int other) {
        return btf.kind(other).isComposite() && types.nameKey(type) == types.nameKey(other);
    }

    private @Nullable Long declared(Slot slot) {
        String name = slot.name();
        if (name == null) {
            return null;
        }
        if (slot.code()) {
            Integer own = ofModule ? types.declared(name) : null;
            boolean function = own != null && btf.kind(own) == BtfKind.FUNC_PROTO;
            return own == null || !function ? null : (Long) types.fingerprint(own);
        }
        KernelSide.Definition declared = kernel.prototype(name);
        return declared == null ? null : (Long) declared.fingerprint();
    }

    private void choose(int number, List<Integer> fitting, boolean bySize) {
        DataObject object = objects.get(number);
        int best = bySize ? 0 : 1;
        Set<Long> names = new HashSet<>();
        int chosen = 0;
        for (int type : fitting) {
            int score = score(object, type);
            if (score >= best) {
                if (score > best) {
                    names.clear();
                }
                chosen = names.isEmpty() ? type : chosen;
                names.add(types.nameKey(type));
                best = score;
            }
        }
        if (names.size() > 1 && bySize) {
            int named = named(object.name(), fitting);
            if (named > 0) {
                found.put(number, new Typed(number, object, named, false));
            }
            return;
        }
        long callbacks = object.slots().stream().filter(Slot::code).count();
        boolean enough = callbacks >= FEW_CALLBACKS && object.size() >= FEW_BYTES;
        if (names.size() == 1 && (best > 0 || enough)) {
            found.put(number, new Typed(number, object, chosen, best > 0));
        }
    }

    private int named(String variable, List<Integer> fitting) {
        int longest = 0;
        int chosen = 0;
        for (int type : fitting) {
            String name = btf.name(type);
            if (name.length() > longest && variable.contains(name)) {
                longest = name.length();
                chosen = type;
            }
        }
        return chosen;
    }

    private void tell(Typed typed) {
        for (Slot slot : typed.object().slots()) {
            Pointer pointer = pointers.of(typed.type()).get(slot.offset());
            if (typed.certain()
                    && !slot.code()
                    && slot.variable() >= 0
                    && slot.variable() < objects.size()
                    && pointer != null
                    && !found.containsKey(slot.variable())) {
                DataObject object = objects.get(slot.variable());
                boolean fits = btf.kind(pointer.to()) == BtfKind.STRUCT
                        && Integer.toUnsignedLong(btf.byteSize(pointer.to())) == object.size()
                        && score(object, pointer.to()) >= 0;
                if (fits) {
                    found.put(slot.variable(), new Typed(slot.variable(), object, pointer.to(), true));
                }
            }
        }
    }
}
