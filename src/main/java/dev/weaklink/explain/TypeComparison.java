package dev.weaklink.explain;

import dev.weaklink.format.btf.Btf;
import dev.weaklink.format.btf.BtfKind;
import dev.weaklink.loader.TypeChange;
import dev.weaklink.loader.TypeChange.MemberChange;
import dev.weaklink.loader.TypeChange.TypeChangeKind;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Compares the definitions of a type in two kernels, and classifies the effect on code compiled for the older kernel.
 *
 * <p>Within a definition, two structs, unions or enums of one name count as equal, because a difference between them is
 * a separate change. The text of types does not affect the classification, only the list of changed members. A
 * comparison that reaches a limit reports a changed layout.
 */
final class TypeComparison {
    private static final int MAX_DEPTH = 24;

    private static final int MAX_STEPS = 100_000;

    /**
     * The maximum number of steps in all comparisons together; comparing two kernel series takes 150,000. A step is a
     * visited type, member or constant.
     */
    private static final int MAX_ALL_STEPS = 1_000_000;

    private static final int MAX_MEMBERS = 20_000;
    private static final int MAX_CHANGES = 200;

    /**
     * The flags BTF_INT_SIGNED and BTF_INT_BOOL (include/uapi/linux/btf.h), at their position in the word that
     * describes an int.
     */
    private static final int SIGNED = 1 << 24;

    private static final int BOOL = 4 << 24;

    private static final class Side {
        final Btf btf;
        final TypeText text;

        Side(Btf btf) {
            this.btf = btf;
            this.text = new TypeText(btf);
        }
    }

    /**
     * A member of a struct or union, or of an unnamed struct or union nested in it.
     *
     * @param offset the offset in bits
     * @param width the width in bits of a bit-field, else 0
     * @param bits the size in bits of a number or bit-field, else 0
     */
    private record TypeMember(int type, int offset, int width, int bits, String text) {}

    /**
     * A type without typedefs and qualifiers.
     *
     * @param qualifiers the omitted qualifiers, as bits; type tags do not count
     */
    record Bare(int type, BtfKind kind, int qualifiers) {}

    private final Side before;
    private final Side after;
    private int steps;
    private int earlierSteps;

    TypeComparison(Btf before, Btf after) {
        this.before = new Side(before);
        this.after = new Side(after);
    }

    private void start() {
        earlierSteps += steps;
        steps = 0;
    }

    private int most() {
        return Math.min(MAX_STEPS, MAX_ALL_STEPS - earlierSteps);
    }

    TypeChange compare(int old, int now) {
        start();
        BtfKind kind = before.btf.kind(old);
        String name = before.btf.name(old);
        if (kind == BtfKind.TYPEDEF) {
            int was = before.btf.type(old);
            int is = after.btf.type(now);
            TypeChangeKind change = compare(was, is, false, 0);
            return new TypeChange("typedef", name, change, List.of(whole(was, is, name)), -1, -1);
        }
        boolean composite = kind.isComposite();
        TypeChangeKind change = composite ? members(old, now, 0) : constants(old, now);
        return new TypeChange(
                TypeText.tag(kind),
                name,
                change,
                composite ? memberChanges(old, now) : constantChanges(old, now),
                before.btf.byteSize(old),
                after.btf.byteSize(now));
    }

    TypeChange comparePrototypes(int old, int now, String name) {
        start();
        MemberChange whole = new MemberChange(name, before.text.prototype(old, name), after.text.prototype(now, name));
        return new TypeChange("prototype", name, prototypes(old, now, 0), List.of(whole), -1, -1);
    }

    private MemberChange whole(int was, int is, String name) {
        return new MemberChange(name, before.text.declaration(was, name), after.text.declaration(is, name));
    }

    /**
     * Classifies the replacement of one type by another. The result is SPELLING if compiled code treats both types the
     * same.
     *
     * @param beyond whether the type is behind a pointer or part of a prototype, so that it does not affect the layout
     */
    private TypeChangeKind compare(int old, int now, boolean beyond, int depth) {
        if (depth > MAX_DEPTH || ++steps > most()) {
            return TypeChangeKind.LAYOUT;
        }
        Bare was = bare(before.btf, old);
        Bare is = bare(after.btf, now);
        TypeChangeKind change = was.qualifiers == is.qualifiers ? TypeChangeKind.SPELLING : TypeChangeKind.MEANING;
        return change.worse(compare(was, is, beyond, depth));
    }

    private TypeChangeKind compare(Bare was, Bare is, boolean beyond, int depth) {
        TypeChangeKind other = beyond ? TypeChangeKind.SIGNATURE : TypeChangeKind.LAYOUT;
        if (isNumber(was.kind) && isNumber(is.kind)) {
            boolean sameSize = before.btf.byteSize(was.type) == after.btf.byteSize(is.type);
            return sameSize ? numbers(was, is) : other;
        }
        if (isComposite(was.kind) && isComposite(is.kind)) {
            return composites(was, is, other, depth);
        }
        if (was.kind != is.kind) {
            return other;
        }
        return switch (was.kind) {
            case VOID -> TypeChangeKind.SPELLING;
            case PTR -> compare(before.btf.type(was.type), after.btf.type(is.type), true, depth + 1);
            case ARRAY -> {
                boolean sameLength = before.btf.length(was.type) == after.btf.length(is.type);
                TypeChangeKind elements =
                        compare(before.btf.element(was.type), after.btf.element(is.type), beyond, depth + 1);
                yield sameLength ? elements : elements.worse(other);
            }
            case FUNC_PROTO -> prototypes(was.type, is.type, depth);
            default -> other;
        };
    }

    private TypeChangeKind prototypes(int old, int now, int depth) {
        int count = before.btf.members(old);
        if (count != after.btf.members(now)) {
            return TypeChangeKind.SIGNATURE;
        }
        TypeChangeKind change = compare(before.btf.type(old), after.btf.type(now), true, depth + 1);
        for (int i = 0; i < count; i++) {
            int was = before.btf.memberType(old, i);
            int is = after.btf.memberType(now, i);
            change = change.worse(compare(was, is, true, depth + 1));
        }
        return change;
    }

    private TypeChangeKind composites(Bare was, Bare is, TypeChangeKind other, int depth) {
        if (isUnion(before.btf, was) != isUnion(after.btf, is)) {
            return other;
        }
        boolean named = before.btf.isNamed(was.type) && after.btf.isNamed(is.type);
        if (named) {
            boolean same = before.btf.name(was.type).equals(after.btf.name(is.type));
            return same ? TypeChangeKind.SPELLING : other;
        }
        boolean defined = was.kind != BtfKind.FWD && is.kind != BtfKind.FWD;
        return defined ? members(was.type, is.type, depth) : other;
    }

    /**
     * Compares two number types of the same size. A change between signed and unsigned changes how a value is widened.
     * A change to or from bool or an enum, or of an enum's constants, changes which values occur.
     */
    private TypeChangeKind numbers(Bare was, Bare is) {
        if (was.kind.isEnum() && is.kind.isEnum()) {
            boolean same =
                    before.btf.isNamed(was.type) && before.btf.name(was.type).equals(after.btf.name(is.type));
            return same ? TypeChangeKind.SPELLING : constants(was.type, is.type);
        }
        if (was.kind != BtfKind.INT || is.kind != BtfKind.INT) {
            boolean enumeration = was.kind.isEnum() || is.kind.isEnum();
            boolean number = was.kind != BtfKind.FLOAT && is.kind != BtfKind.FLOAT;
            return was.kind == is.kind
                    ? TypeChangeKind.SPELLING
                    : enumeration && number ? TypeChangeKind.MEANING : TypeChangeKind.SIGNATURE;
        }
        int differing = before.btf.trailingWord(was.type) ^ after.btf.trailingWord(is.type);
        if ((differing & SIGNED) != 0) {
            return TypeChangeKind.SIGNATURE;
        }
        return (differing & BOOL) != 0 ? TypeChangeKind.MEANING : TypeChangeKind.SPELLING;
    }

    /** Compares enums by the values of their constants. A new constant is a value that older code does not expect. */
    private TypeChangeKind constants(int old, int now) {
        Map<String, Long> olds = values(before.btf, old);
        Map<String, Long> news = values(after.btf, now);
        steps += olds.size();
        boolean kept = before.btf.byteSize(old) == after.btf.byteSize(now)
                && olds.entrySet().stream().allMatch(one -> one.getValue().equals(news.get(one.getKey())));
        if (!kept) {
            return TypeChangeKind.LAYOUT;
        }
        return olds.size() == news.size() ? TypeChangeKind.SPELLING : TypeChangeKind.MEANING;
    }

    private static Map<String, Long> values(Btf btf, int type) {
        Map<String, Long> all = new LinkedHashMap<>();
        for (int i = 0; i < btf.members(type); i++) {
            all.put(btf.memberName(type, i), btf.value(type, i));
        }
        return all;
    }

    /**
     * Compares members by name. A member that exists in only one kernel counts as renamed if the other kernel has a
     * member of the same type at the same offset. A renamed member changes the meaning, because it may have another
     * purpose. Any other new or removed member changes the layout, because older code does not set new members and
     * still sets removed ones.
     */
    private TypeChangeKind members(int old, int now, int depth) {
        Map<String, TypeMember> olds = members(before, old);
        Map<String, TypeMember> news = members(after, now);
        if (before.btf.byteSize(old) != after.btf.byteSize(now)
                || Math.max(olds.size(), news.size()) >= MAX_MEMBERS
                || steps > most()) {
            return TypeChangeKind.LAYOUT;
        }
        TypeChangeKind change = TypeChangeKind.SPELLING;
        for (Map.Entry<String, TypeMember> entry : olds.entrySet()) {
            TypeMember is = news.get(entry.getKey());
            change = change.worse(
                    is == null ? replaced(entry.getValue(), news, true, depth) : member(entry.getValue(), is, depth));
        }
        for (Map.Entry<String, TypeMember> entry : news.entrySet()) {
            if (!olds.containsKey(entry.getKey())) {
                change = change.worse(replaced(entry.getValue(), olds, false, depth));
            }
        }
        return change;
    }

    private TypeChangeKind replaced(TypeMember one, Map<String, TypeMember> others, boolean gone, int depth) {
        steps += others.size();
        for (TypeMember other : others.values()) {
            if (other.offset == one.offset && steps <= most()) {
                TypeChangeKind change = gone ? member(one, other, depth) : member(other, one, depth);
                if (change == TypeChangeKind.SPELLING) {
                    return TypeChangeKind.MEANING;
                }
            }
        }
        return TypeChangeKind.LAYOUT;
    }

    private TypeChangeKind member(TypeMember was, TypeMember is, int depth) {
        if (was.offset != is.offset || was.bits != is.bits) {
            return TypeChangeKind.LAYOUT;
        }
        if (was.bits == 0) {
            return compare(was.type, is.type, false, depth + 1);
        }
        // A bit-field is classified by offset and width only, like a whole number of that width.
        Bare old = bare(before.btf, was.type);
        Bare now = bare(after.btf, is.type);
        return (old.qualifiers == now.qualifiers ? TypeChangeKind.SPELLING : TypeChangeKind.MEANING)
                .worse(numbers(old, now));
    }

    private Map<String, TypeMember> members(Side side, int type) {
        Map<String, TypeMember> all = new LinkedHashMap<>();
        addMembers(side, type, "", 0, 0, all);
        return all;
    }

    /** Adds the members of a type. Members of a nested type without a name count as members of the type around it. */
    private void addMembers(Side side, int type, String prefix, int start, int depth, Map<String, TypeMember> all) {
        Btf btf = side.btf;
        for (int i = 0; i < btf.members(type) && all.size() < MAX_MEMBERS; i++) {
            if (++steps > most()) {
                return;
            }
            int of = btf.memberType(type, i);
            String name = btf.memberName(type, i);
            int offset = start + btf.bitOffset(type, i);
            boolean inner = btf.kind(of).isComposite() && !btf.isNamed(of) && depth < MAX_DEPTH;
            if (inner && btf.members(of) > 0) {
                String around = name.isEmpty() ? prefix : prefix + name + ".";
                addMembers(side, of, around, offset, depth + 1, all);
                continue;
            }
            int width = btf.bitWidth(type, i);
            Bare bare = bare(btf, of);
            int bits = isNumber(bare.kind) ? btf.byteSize(bare.type) * Byte.SIZE : 0;
            String key = prefix + (name.isEmpty() ? "(unnamed at bit " + offset + ")" : name);
            String text = side.text.member(of, prefix + name, width);
            all.put(key, new TypeMember(of, offset, width, width != 0 ? width : bits, text));
        }
    }

    static Bare bare(Btf btf, int type) {
        int bare = type;
        int qualifiers = 0;
        BtfKind kind = btf.kind(bare);
        for (int i = 0; i < MAX_DEPTH * 2; i++) {
            if (kind != BtfKind.TYPEDEF && !kind.isQualifier()) {
                break;
            }
            qualifiers |= kind == BtfKind.TYPEDEF || kind == BtfKind.TYPE_TAG ? 0 : 1 << kind.ordinal();
            bare = btf.type(bare);
            kind = btf.kind(bare);
        }
        return new Bare(bare, kind, qualifiers);
    }

    private static boolean isNumber(BtfKind kind) {
        return kind == BtfKind.INT || kind == BtfKind.FLOAT || kind.isEnum();
    }

    private static boolean isComposite(BtfKind kind) {
        return kind.isComposite() || kind == BtfKind.FWD;
    }

    private static boolean isUnion(Btf btf, Bare type) {
        return type.kind == BtfKind.UNION || type.kind == BtfKind.FWD && btf.isForwardUnion(type.type);
    }

    private List<MemberChange> constantChanges(int old, int now) {
        Map<String, Long> olds = values(before.btf, old);
        Map<String, Long> news = values(after.btf, now);
        Map<String, String> was = new LinkedHashMap<>();
        Map<String, String> is = new LinkedHashMap<>();
        olds.forEach((name, value) -> was.put(name, name + " = " + value));
        news.forEach((name, value) -> is.put(name, name + " = " + value));
        List<MemberChange> changes = new ArrayList<>();
        is.forEach((name, text) -> addIfOther(name, was.get(name), text, changes));
        was.forEach((name, text) -> {
            if (!is.containsKey(name)) {
                changes.add(new MemberChange(name, text, null));
            }
        });
        return first(changes);
    }

    private static void addIfOther(String name, @Nullable String was, String is, List<MemberChange> changes) {
        if (!is.equals(was)) {
            changes.add(new MemberChange(name, was, is));
        }
    }

    private List<MemberChange> memberChanges(int old, int now) {
        start();
        Map<String, TypeMember> olds = members(before, old);
        Map<String, TypeMember> news = members(after, now);
        List<MemberChange> changes = new ArrayList<>();
        Map<String, TypeMember> gone = new LinkedHashMap<>(olds);
        gone.keySet().removeAll(news.keySet());
        news.forEach((name, is) -> {
            TypeMember was = olds.get(name);
            addGone(gone, is.offset, changes);
            if (was == null || isOther(was, is)) {
                changes.add(change(name, was, is));
            }
        });
        addGone(gone, Integer.MAX_VALUE, changes);
        if (changes.isEmpty()) {
            // Only the order or the offsets of the members differ.
            news.forEach((name, is) -> {
                TypeMember was = Objects.requireNonNull(olds.get(name));
                if (was.offset != is.offset) {
                    changes.add(change(name, was, is));
                }
            });
        }
        return first(changes);
    }

    /** Adds the removed members up to an offset, so that each removed member is listed next to its replacement. */
    private void addGone(Map<String, TypeMember> gone, int offset, List<MemberChange> changes) {
        Iterator<Map.Entry<String, TypeMember>> rest = gone.entrySet().iterator();
        while (rest.hasNext()) {
            Map.Entry<String, TypeMember> one = rest.next();
            if (one.getValue().offset > offset) {
                return;
            }
            changes.add(change(one.getKey(), one.getValue(), null));
            rest.remove();
        }
    }

    private boolean isOther(TypeMember was, TypeMember is) {
        TypeMember there = new TypeMember(is.type, was.offset, is.width, is.bits, is.text);
        return !was.text.equals(is.text) || member(was, there, 0) != TypeChangeKind.SPELLING;
    }

    /**
     * Returns a member's change. If both declarations are the same because they were shortened, the change contains the
     * part where the full declarations begin to differ.
     */
    private MemberChange change(String name, @Nullable TypeMember was, @Nullable TypeMember is) {
        String old = was == null ? null : was.text;
        String now = is == null ? null : is.text;
        if (was == null || is == null || !was.text.equals(is.text) || !isOther(was, is)) {
            return new MemberChange(name, old, now);
        }
        String fullOld = before.text.whole(was.type, name);
        String fullNow = after.text.whole(is.type, name);
        int at = 0;
        while (at < Math.min(fullOld.length(), fullNow.length()) && fullOld.charAt(at) == fullNow.charAt(at)) {
            at++;
        }
        return new MemberChange(name, TypeText.from(fullOld, at), TypeText.from(fullNow, at));
    }

    private static List<MemberChange> first(List<MemberChange> changes) {
        return changes.size() <= MAX_CHANGES ? changes : changes.subList(0, MAX_CHANGES);
    }
}
