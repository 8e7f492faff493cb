package dev.weaklink.explain;

import dev.weaklink.btf.Btf;
import dev.weaklink.btf.BtfKind;
import dev.weaklink.explain.TypeChange.Change;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Says what differs between the definitions of one type in two kernels. */
final class TypeComparison {
  /**
   * Members of types without a name count as those of the type around them, so deep and so many.
   */
  private static final int MAX_DEPTH = 8;

  private static final int MAX_MEMBERS = 20_000;
  private static final int MAX_CHANGES = 200;

  /** One side of the comparison. */
  private static final class Side {
    final Btf btf;
    final TypeText text;
    final Shapes shapes;

    Side(Btf btf) {
      this.btf = btf;
      this.text = new TypeText(btf);
      this.shapes = new Shapes(btf);
    }
  }

  /** A member with all that may differ. */
  private record Member(String text, int offset, int bits, String inMemory, String inFull) {
    boolean liesLike(Member other) {
      return offset == other.offset && bits == other.bits && inMemory.equals(other.inMemory);
    }
  }

  private final Side before;
  private final Side after;

  TypeComparison(Btf before, Btf after) {
    this.before = new Side(before);
    this.after = new Side(after);
  }

  /** Compares two types of one kind: named composites, enums or typedefs. */
  TypeChange compare(int old, int now) {
    BtfKind kind = before.btf.kind(old);
    String name = before.btf.name(old);
    if (kind == BtfKind.TYPEDEF) {
      return typedef(old, now, name);
    }
    boolean composite = kind.isComposite();
    Map<String, Member> olds = composite ? members(before, old) : constants(before, old);
    Map<String, Member> news = composite ? members(after, now) : constants(after, now);
    int oldSize = before.btf.byteSize(old);
    int newSize = after.btf.byteSize(now);
    Change change = oldSize == newSize ? change(olds, news, composite) : Change.LAYOUT;
    return new TypeChange(
        TypeText.tag(kind), name, change, changes(olds, news, composite), oldSize, newSize);
  }

  /** Compares two prototypes of the function of that name. */
  TypeChange comparePrototypes(int old, int now, String name) {
    boolean same = before.shapes.inFull(old).equals(after.shapes.inFull(now));
    MemberChange whole =
        new MemberChange(name, before.text.prototype(old, name), after.text.prototype(now, name));
    return new TypeChange(
        "prototype", name, same ? Change.SPELLING : Change.SIGNATURE, List.of(whole), -1, -1);
  }

  private TypeChange typedef(int old, int now, String name) {
    int was = before.btf.type(old);
    int is = after.btf.type(now);
    Change change = Change.SPELLING;
    if (!before.shapes.inMemory(was).equals(after.shapes.inMemory(is))) {
      change = Change.LAYOUT;
    } else if (!before.shapes.inFull(was).equals(after.shapes.inFull(is))) {
      change = Change.SIGNATURE;
    }
    MemberChange whole =
        new MemberChange(
            name, before.text.declaration(was, name), after.text.declaration(is, name));
    return new TypeChange("typedef", name, change, List.of(whole), -1, -1);
  }

  private static Map<String, Member> constants(Side side, int type) {
    Map<String, Member> all = new LinkedHashMap<>();
    for (int i = 0; i < side.btf.members(type); i++) {
      String name = side.btf.memberName(type, i);
      String value = Long.toString(side.btf.value(type, i));
      all.put(name, new Member(name + " = " + value, -1, 0, value, value));
    }
    return all;
  }

  private static Map<String, Member> members(Side side, int type) {
    Map<String, Member> all = new LinkedHashMap<>();
    addMembers(side, type, 0, 0, all);
    return all;
  }

  private static void addMembers(
      Side side, int type, int start, int depth, Map<String, Member> all) {
    Btf btf = side.btf;
    for (int i = 0; i < btf.members(type) && all.size() < MAX_MEMBERS; i++) {
      int of = btf.memberType(type, i);
      int bare = side.shapes.bare(of);
      String name = btf.memberName(type, i);
      int offset = start + btf.bitOffset(type, i);
      if (name.isEmpty() && btf.kind(bare).isComposite() && depth < MAX_DEPTH) {
        addMembers(side, bare, offset, depth + 1, all);
        continue;
      }
      int width = btf.bitWidth(type, i);
      String inMemory = side.shapes.inMemory(of);
      boolean number = inMemory.startsWith("int");
      int bits = width != 0 ? width : number ? btf.byteSize(bare) * Byte.SIZE : 0;
      // Of a bit-field only its place and width count, as of a whole number of that width.
      String shape = number ? "int" : inMemory;
      String sign = side.shapes.isSigned(bare) ? "signed" : "int";
      String full = number ? sign : side.shapes.inFull(of);
      String key = name.isEmpty() ? "(unnamed at bit " + offset + ")" : name;
      all.put(key, new Member(side.text.member(of, name, width), offset, bits, shape, full));
    }
  }

  /**
   * Members are compared by name. One that went must have left another like it in its place, and
   * one that came must have found one: nobody else has set what fills a gap.
   */
  private static Change change(
      Map<String, Member> olds, Map<String, Member> news, boolean composite) {
    Change change = Change.SPELLING;
    for (Map.Entry<String, Member> entry : olds.entrySet()) {
      Member old = entry.getValue();
      Member now = news.get(entry.getKey());
      if (now == null && composite) {
        now = inPlace(old, news);
      }
      if (now == null || !now.liesLike(old)) {
        return Change.LAYOUT;
      }
      if (!now.inFull.equals(old.inFull)) {
        change = Change.SIGNATURE;
      }
    }
    for (Map.Entry<String, Member> entry : news.entrySet()) {
      boolean isNew = composite && !olds.containsKey(entry.getKey());
      if (isNew && inPlace(entry.getValue(), olds) == null) {
        return Change.LAYOUT;
      }
    }
    return change;
  }

  private static @Nullable Member inPlace(Member member, Map<String, Member> others) {
    for (Member other : others.values()) {
      if (other.liesLike(member)) {
        return other;
      }
    }
    return null;
  }

  private static List<MemberChange> changes(
      Map<String, Member> olds, Map<String, Member> news, boolean composite) {
    List<MemberChange> changes = new ArrayList<>();
    news.forEach(
        (name, now) -> {
          Member old = olds.get(name);
          if (old == null || !old.text.equals(now.text)) {
            changes.add(change(name, old, now));
          }
        });
    olds.forEach(
        (name, old) -> {
          if (!news.containsKey(name)) {
            changes.add(change(name, old, null));
          }
        });
    if (changes.isEmpty() && composite) {
      // Nothing but the order or the places of members differs.
      news.forEach(
          (name, now) -> addIfMoved(name, Objects.requireNonNull(olds.get(name)), now, changes));
    }
    return changes.size() <= MAX_CHANGES ? changes : changes.subList(0, MAX_CHANGES);
  }

  private static void addIfMoved(String name, Member old, Member now, List<MemberChange> changes) {
    if (old.offset != now.offset) {
      changes.add(change(name, old, now));
    }
  }

  private static MemberChange change(String name, @Nullable Member old, @Nullable Member now) {
    return new MemberChange(name, old == null ? null : old.text, now == null ? null : now.text);
  }
}
