package dev.weaklink.loader;

import dev.weaklink.sys.StableId;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A type or prototype whose own definition differs between two kernels.
 *
 * @param kind struct, union, enum, typedef or prototype
 * @param name the type's name; for a prototype, the function's name
 * @param change the effect on a module built for the older kernel
 * @param members the first differences, in the order of the newer definition; removed members are listed at their
 *     former offsets, removed constants last
 * @param sizeBefore the old size in bytes, -1 if not applicable
 * @param sizeAfter the new size in bytes, -1 if not applicable
 */
public record TypeChange(
        String kind, String name, TypeChangeKind change, List<MemberChange> members, long sizeBefore, long sizeAfter) {
    private static final int SHOWN = 80;

    /** The kinds of differences, from worst to most harmless. */
    public enum TypeChangeKind implements StableId {
        /**
         * Sizes or offsets differ, a member was added or removed, or an existing constant was changed or removed. Also
         * used if a member's type is incompatible, or if the comparison reached a limit.
         */
        LAYOUT(" has changed (layout)"),
        /**
         * The layout is the same, but a function's types, the target type of a pointer, or the sign of a number differ.
         */
        SIGNATURE(" has changed (signature)"),
        /**
         * The layout is the same, but a value can have another meaning. Examples are an added constant, a renamed
         * member, a bool that became a number, and a changed qualifier.
         */
        MEANING(" has changed (same layout, new meaning possible)"),
        /** The layout and types are the same under other names, so the changed CRC is harmless. */
        SPELLING(" is spelled differently (same layout)");

        private final String clause;

        TypeChangeKind(String clause) {
            this.clause = clause;
        }

        public TypeChangeKind worse(TypeChangeKind other) {
            return compareTo(other) <= 0 ? this : other;
        }

        public String clause() {
            return clause;
        }
    }

    public TypeChange {
        members = List.copyOf(members);
    }

    public String clause() {
        return title() + change.clause;
    }

    public String summary() {
        if (kind.equals("prototype") || members.isEmpty()) {
            return title() + (kind.equals("prototype") ? " has another prototype" : change.clause);
        }
        MemberChange first = members.get(0);
        String rest = members.size() == 1 ? "" : " and " + (members.size() - 1) + " more";
        if (kind.equals("typedef")) {
            return title() + became(first);
        }
        if (first.before() == null) {
            return name + " gained " + first.name() + rest;
        }
        return first.after() == null
                ? name + " lost " + first.name() + rest
                : name + "." + first.name() + became(first) + rest;
    }

    private static String became(MemberChange member) {
        String after = String.valueOf(member.after());
        String end = " " + member.name();
        boolean plain = after.endsWith(end);
        String type = plain ? after.substring(0, after.length() - end.length()) : after;
        String shown = type.length() <= SHOWN ? type : type.substring(0, SHOWN) + "...";
        boolean moved = after.equals(member.before());
        return moved ? " moved" : " became " + shown;
    }

    public String title() {
        return kind.equals("prototype") ? name : kind + " " + name;
    }

    /**
     * A difference in a type: a member, an enum constant, or the whole declaration of a typedef or prototype.
     *
     * @param name the name of the member, constant, typedef or function
     * @param before the declaration in the older kernel, null if it was added
     * @param after the declaration in the newer kernel, null if it was removed
     */
    public record MemberChange(
            String name, @Nullable String before, @Nullable String after) {}
}
