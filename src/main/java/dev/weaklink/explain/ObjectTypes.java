package dev.weaklink.explain;

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
 * Finds the types of a module's variables: BTF names no variables of modules. A type fits if its
 * size is the variable's and it has pointers wherever the variable has some, those to functions of
 * the same prototype as far as that is known, those to other variables of their types.
 */
final class ObjectTypes {
  /** Pointers of one type that are looked at, nested types included. */
  private static final int MAX_POINTERS = 4_096;

  private static final int MAX_DEPTH = 16;
  private static final int MAX_OBJECTS = 4_000;

  /** Members and pointers that are looked at in all; a large module takes a tenth of that. */
  private static final int MAX_STEPS = 50_000_000;

  /** Each round lets the types of some variables tell those of others. */
  private static final int ROUNDS = 4;

  /** Where no prototype is known, tables with less say too little. */
  private static final int FEW_CALLBACKS = 3;

  private static final long FEW_BYTES = 64;

  /**
   * A variable's type.
   *
   * @param certain whether prototypes or other variables agree with it
   */
  record Typed(DataObject object, int type, boolean certain) {}

  /**
   * A pointer in a type.
   *
   * @param to what it points to, without typedefs and qualifiers
   */
  record Pointer(String name, int to) {}

  private final TypeGraph types;
  private final TypeGraph kernel;
  private final Btf btf;
  private final List<DataObject> objects;
  private final Map<Integer, Map<Integer, Pointer>> pointers = new HashMap<>();
  private final Map<Integer, Typed> found = new TreeMap<>();
  private int steps;

  /**
   * @param types the module's, or the kernel's if the module has none
   */
  ObjectTypes(TypeGraph types, TypeGraph kernel, List<DataObject> objects) {
    this.types = types;
    this.kernel = kernel;
    this.btf = types.btf();
    this.objects = objects.subList(0, Math.min(objects.size(), MAX_OBJECTS));
  }

  /** Those that are known. */
  List<Typed> find() {
    Map<Integer, List<Integer>> candidates = candidates();
    int before = -1;
    for (int round = 0; round < ROUNDS && found.size() > before; round++) {
      before = found.size();
      candidates.forEach(
          (number, fitting) -> {
            if (!found.containsKey(number)) {
              choose(number, fitting, false);
            }
          });
      List.copyOf(found.values()).forEach(this::tell);
    }
    candidates.forEach(
        (number, fitting) -> {
          if (!found.containsKey(number)) {
            choose(number, fitting, true);
          }
        });
    return List.copyOf(found.values());
  }

  /** The pointers of a struct by their offsets in bytes, those of types in it included. */
  Map<Integer, Pointer> pointers(int type) {
    return pointers.computeIfAbsent(
        type,
        any -> {
          Map<Integer, Pointer> all = new TreeMap<>();
          addPointers(type, "", 0, 0, all);
          return all;
        });
  }

  private void addPointers(
      int type, String name, int offset, int depth, Map<Integer, Pointer> all) {
    int bare = TypeComparison.bare(btf, type).type();
    BtfKind kind = btf.kind(bare);
    if (depth > MAX_DEPTH || all.size() >= MAX_POINTERS || ++steps > MAX_STEPS) {
      return;
    }
    if (kind == BtfKind.PTR) {
      all.putIfAbsent(offset, new Pointer(name, TypeComparison.bare(btf, btf.type(bare)).type()));
    } else if (kind == BtfKind.ARRAY && btf.length(bare) > 0) {
      // Elements beyond the first would be as good; tables have none.
      addPointers(btf.element(bare), name, offset, depth + 1, all);
    } else if (kind.isComposite()) {
      for (int i = 0; i < btf.members(bare) && all.size() < MAX_POINTERS; i++) {
        String member = btf.memberName(bare, i);
        String path = name.isEmpty() || member.isEmpty() ? name + member : name + "." + member;
        int at = offset + btf.bitOffset(bare, i) / Byte.SIZE;
        addPointers(btf.memberType(bare, i), path, at, depth + 1, all);
      }
    }
  }

  boolean isFunction(Pointer pointer) {
    return btf.kind(pointer.to()) == BtfKind.FUNC_PROTO;
  }

  /** The types of each variable's size that have pointers where it has some. */
  private Map<Integer, List<Integer>> candidates() {
    Map<Long, List<Integer>> bySize = new HashMap<>();
    for (int i = 0; i < objects.size(); i++) {
      bySize.computeIfAbsent(objects.get(i).size(), size -> new ArrayList<>()).add(i);
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

  /** How many pointers have what the type says; -1 if one cannot be there. */
  private int score(DataObject object, int type) {
    Map<Integer, Pointer> all = pointers(type);
    int score = 0;
    for (Slot slot : object.slots()) {
      Pointer pointer = all.get(slot.offset());
      if (pointer == null || slot.code() && !isFunction(pointer) || ++steps > MAX_STEPS) {
        return -1;
      }
      if (isFunction(pointer)) {
        Integer declared = declared(slot);
        if (!slot.code() && slot.name() == null
            || declared != null && types.fingerprint(declared) != types.fingerprint(pointer.to())) {
          return -1;
        }
        score += declared == null ? 0 : 1;
      } else {
        Typed target = found.get(slot.object());
        boolean same = target != null && target.certain() && sameName(target.type(), pointer.to());
        score += same ? 1 : 0;
      }
    }
    return score;
  }

  private boolean sameName(int type, int other) {
    return btf.kind(other).isComposite() && types.nameKey(type) == types.nameKey(other);
  }

  /** The prototype of the function that a slot points to. */
  private @Nullable Integer declared(Slot slot) {
    String name = slot.name();
    Integer declared = name == null ? null : types.declared(name);
    if (declared == null && name != null && !slot.code()) {
      declared = kernel.declared(name);
    }
    return declared != null && btf.kind(declared) == BtfKind.FUNC_PROTO ? declared : null;
  }

  /** Takes the one type that fits best, if there is one. */
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
    long callbacks = object.slots().stream().filter(Slot::code).count();
    boolean enough = callbacks >= FEW_CALLBACKS && object.size() >= FEW_BYTES;
    if (names.size() == 1 && (best > 0 || enough)) {
      found.put(number, new Typed(object, chosen, best > 0));
    }
  }

  /** What a variable of a known type points to is of the type that its pointers have. */
  private void tell(Typed typed) {
    for (Slot slot : typed.object().slots()) {
      Pointer pointer = pointers(typed.type()).get(slot.offset());
      if (typed.certain()
          && slot.object() >= 0
          && slot.object() < objects.size()
          && pointer != null
          && !found.containsKey(slot.object())) {
        DataObject object = objects.get(slot.object());
        boolean fits =
            btf.kind(pointer.to()) == BtfKind.STRUCT
                && Integer.toUnsignedLong(btf.byteSize(pointer.to())) == object.size()
                && score(object, pointer.to()) >= 0;
        if (fits) {
          found.put(slot.object(), new Typed(object, pointer.to(), true));
        }
      }
    }
  }
}
