package dev.weaklink.explain;

import dev.weaklink.explain.TypeUse.Kind;
import dev.weaklink.format.btf.Btf;
import dev.weaklink.format.btf.BtfKind;
import dev.weaklink.format.btf.TypeGraph;
import dev.weaklink.loader.TypeChange;
import dev.weaklink.module.DataObject;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Finds out what a module does with types that changed, by its symbol table and relocations, its
 * own types if it has some, and the prototypes of what it imports.
 */
final class DriverUses {
  private static final int MAX_DEPTH = 16;

  /** Types of a module that are gone through, with those in them. */
  private static final int MAX_STEPS = 2_000_000;

  /** What shows a use. */
  private static final class Evidence {
    final Kind kind;
    final boolean certain;
    final Set<String> places = new TreeSet<>();
    final Set<String> set = new TreeSet<>();

    /** One of its types of that name, the module's own if there is one. */
    int type;

    Evidence(Kind kind, boolean certain) {
      this.kind = kind;
      this.certain = certain;
    }
  }

  private final TypeGraph before;
  private final TypeGraph types;
  private final Btf btf;
  private final int firstOwn;
  private final Pointers pointers;

  /** By the type as in C, such as {@code struct file_operations}; the strongest only. */
  private final Map<String, Evidence> evidence = new LinkedHashMap<>();

  private int steps;

  private DriverUses(TypeGraph before, @Nullable TypeGraph own) {
    this.before = before;
    this.types = own == null ? before : own;
    this.btf = types.btf();
    this.firstOwn = own == null ? btf.size() : own.first();
    this.pointers = new Pointers(btf);
  }

  /** As {@link DriverReport#of}. */
  static List<TypeUse> find(
      TypeGraph before,
      TypeGraph after,
      @Nullable TypeGraph own,
      List<DataObject> objects,
      Collection<String> imports,
      Collection<TypeChange> causes) {
    DriverUses uses = new DriverUses(before, own);
    uses.addObjects(objects);
    uses.addOwnTypes();
    Map<String, TypeChange> changes = new LinkedHashMap<>();
    for (String symbol : new TreeSet<>(imports)) {
      uses.addImport(symbol);
      TypeChange other = uses.otherPrototype(symbol, after);
      if (other != null) {
        changes.put(other.title(), other);
      }
    }
    causes.forEach(cause -> changes.putIfAbsent(cause.title(), cause));
    // With the callbacks that a table sets, a change says more than as a cause.
    uses.changes(after).forEach(change -> changes.put(change.title(), change));
    List<TypeUse> found = new ArrayList<>();
    changes.forEach((title, change) -> found.add(uses.use(title, change)));
    found.sort(
        Comparator.comparing(TypeUse::kind)
            .thenComparing(use -> use.firm().isEmpty())
            .thenComparing(use -> use.change().change())
            .thenComparing(use -> use.change().title()));
    return found;
  }

  private TypeUse use(String title, TypeChange change) {
    if (change.kind().equals("prototype")) {
      return new TypeUse(change, Kind.CALLS, true, List.of(), List.of());
    }
    Evidence found = evidence.get(title);
    return found == null
        ? new TypeUse(change, Kind.UNKNOWN, true, List.of(), List.of())
        : new TypeUse(
            change, found.kind, found.certain, List.copyOf(found.places), List.copyOf(found.set));
  }

  private Evidence evidence(int type, Kind kind, boolean certain) {
    Evidence found =
        evidence.merge(
            TypeText.tag(btf.kind(type)) + " " + btf.name(type),
            new Evidence(kind, certain),
            (old, now) -> {
              int order = now.kind.compareTo(old.kind);
              return order < 0 || order == 0 && now.certain && !old.certain ? now : old;
            });
    found.type = found.type == 0 ? type : found.type;
    return found;
  }

  private void add(int type, Kind kind, boolean certain, String place) {
    Evidence known = evidence(type, kind, certain);
    if (known.kind == kind && known.certain == certain) {
      known.places.add(place);
    }
  }

  private void addObjects(List<DataObject> objects) {
    ObjectTypes finder = new ObjectTypes(types, before, objects);
    for (ObjectTypes.Typed typed : finder.find()) {
      Map<Integer, Pointers.Pointer> known = pointers.of(typed.type());
      Map<String, Boolean> set = new TreeMap<>();
      for (DataObject.Slot slot : typed.object().slots()) {
        Pointers.Pointer pointer = known.get(slot.offset());
        if (pointer != null) {
          set.put(pointer.name(), pointers.isFunction(pointer));
          addTypedef(pointer, typed);
        }
      }
      addSet(typed.type(), set, typed.certain(), typed.object().name());
      addInner(typed.type(), set, typed.certain(), typed.object().name(), new HashSet<>(), 0);
    }
  }

  /** What declares a callback is implemented with it. */
  private void addTypedef(Pointers.Pointer pointer, ObjectTypes.Typed typed) {
    String typedef = pointer.typedef();
    if (typedef != null && pointers.isFunction(pointer)) {
      evidence
          .computeIfAbsent(
              "typedef " + typedef, title -> new Evidence(Kind.IMPLEMENTS, typed.certain()))
          .places
          .add(typed.object().name());
    }
  }

  /**
   * A table, or what lies in one.
   *
   * @param set which of its pointers are set, and whether that is to a function
   */
  private void addSet(int type, Map<String, Boolean> set, boolean certain, String place) {
    Kind kind = set.containsValue(true) ? Kind.IMPLEMENTS : Kind.EMBEDS;
    add(type, kind, certain, place);
    Evidence known = evidence(type, kind, certain);
    if (known.kind == kind) {
      known.set.addAll(set.keySet());
    }
  }

  /** Types of its own that hold one of the kernel's. */
  private void addOwnTypes() {
    for (int id = firstOwn; id < btf.size(); id++) {
      if (btf.kind(id).isComposite() && btf.isNamed(id)) {
        String name = TypeText.tag(btf.kind(id)) + " " + btf.name(id);
        addInner(id, Map.of(), true, name, new HashSet<>(), 0);
      }
    }
  }

  /** Named types that lie inside of one. */
  private void addInner(
      int type,
      Map<String, Boolean> set,
      boolean certain,
      String place,
      Set<Integer> seen,
      int depth) {
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

  /** Of the members that are set those that lie in one of them, by their names there. */
  private static Map<String, Boolean> below(Map<String, Boolean> set, String member) {
    if (member.isEmpty() || set.isEmpty()) {
      return set;
    }
    String prefix = member + ".";
    Map<String, Boolean> below = new TreeMap<>();
    set.forEach(
        (name, function) -> {
          if (name.startsWith(prefix)) {
            below.put(name.substring(prefix.length()), function);
          }
        });
    return below;
  }

  /** How a function of the kernel that the module calls is declared now; null if it is the same. */
  private @Nullable TypeChange otherPrototype(String symbol, TypeGraph after) {
    Integer was = before.declared(symbol);
    Integer is = after.declared(symbol);
    if (was == null
        || is == null
        || before.btf().kind(was) != BtfKind.FUNC_PROTO
        || after.btf().kind(is) != BtfKind.FUNC_PROTO
        || before.fingerprint(was) == after.fingerprint(is)) {
      return null;
    }
    return new TypeComparison(before.btf(), after.btf()).comparePrototypes(was, is, symbol);
  }

  /** What the function takes and returns pointers to. */
  private void addImport(String symbol) {
    Integer declared = before.declared(symbol);
    if (declared == null || btf.kind(declared) != BtfKind.FUNC_PROTO) {
      return;
    }
    addPointer(btf.type(declared), symbol);
    for (int i = 0; i < btf.members(declared); i++) {
      addPointer(btf.memberType(declared, i), symbol);
    }
  }

  private void addPointer(int type, String symbol) {
    int bare = TypeComparison.bare(btf, type).type();
    for (int i = 0; btf.kind(bare) == BtfKind.PTR && i < MAX_DEPTH; i++) {
      bare = TypeComparison.bare(btf, btf.type(bare)).type();
      if (btf.kind(bare).isComposite() && btf.isNamed(bare)) {
        add(bare, Kind.PASSES_THROUGH, true, symbol);
      }
    }
  }

  /** Which of the types in evidence the newer kernel defines differently. */
  private List<TypeChange> changes(TypeGraph after) {
    Map<String, List<Integer>> olds = named(before);
    Map<String, List<Integer>> news = named(after);
    TypeComparison comparison = new TypeComparison(before.btf(), after.btf());
    Callbacks callbacks = new Callbacks(btf, pointers, after.btf());
    List<TypeChange> changes = new ArrayList<>();
    evidence.forEach(
        (title, known) -> {
          List<Integer> was = olds.getOrDefault(title, List.of());
          List<Integer> is = news.getOrDefault(title, List.of());
          // Of several types of one name it cannot be said which one is meant.
          if (was.size() == 1 && is.size() == 1) {
            TypeChange own =
                before.fingerprint(was.get(0)) == after.fingerprint(is.get(0))
                    ? null
                    : comparison.compare(was.get(0), is.get(0));
            TypeChange all = callbacks.with(own, known.type, is.get(0), known.set);
            if (all != null) {
              changes.add(all);
            }
          }
        });
    return changes;
  }

  private Map<String, List<Integer>> named(TypeGraph graph) {
    Map<String, List<Integer>> all = new HashMap<>();
    Btf kernel = graph.btf();
    for (int id = 1; id < kernel.size(); id++) {
      if (kernel.kind(id).isComposite() && kernel.isNamed(id)) {
        String title = TypeText.tag(kernel.kind(id)) + " " + kernel.name(id);
        if (evidence.containsKey(title)) {
          all.computeIfAbsent(title, key -> new ArrayList<>(1)).add(id);
        }
      }
    }
    return all;
  }
}
