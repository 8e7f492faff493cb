package dev.weaklink.loader;

import dev.weaklink.sys.StableId;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A type or prototype whose own definition differs between two kernels.
 *
 * @param kind struct, union, enum, typedef or prototype
 * @param name its name; of a prototype the function's
 * @param change what a module built for the older kernel would notice
 * @param members what differs in it, in the order of the newer definition; removed members are where they were
 * @param sizeBefore bytes, -1 where a size means nothing
 * @param sizeAfter likewise
 */
public record TypeChange(
        String kind, String name, Change change, List<MemberChange> members, long sizeBefore, long sizeAfter) {
    /** Longer declarations are cut in summaries. */
    private static final int SHOWN = 80;

    /** What kind of difference it is, the worst first. */
    public enum Change implements StableId {
        /** Sizes, offsets or values differ, or a member of another type took the place of one. */
        LAYOUT(" has changed (layout)"),
        /** All lies where it did, but functions take, return or point to something else. */
        SIGNATURE(" has changed (signature)"),
        /**
         * All lies where it did, but it can hold or mean something else: a constant more, bool that became a number,
         * another name in the same place, a qualifier.
         */
        MEANING(" has changed (same layout, new meaning possible)"),
        /** The same layout and the same types by other names: the CRC changed for nothing. */
        SPELLING(" is spelled differently (same layout)");

        private final String clause;

        Change(String clause) {
            this.clause = clause;
        }

        /** The one that compiled code would notice more of. */
        public Change worse(Change other) {
            return compareTo(other) <= 0 ? this : other;
        }

        /** What happened, behind the name of a type. */
        public String clause() {
            return clause;
        }
    }

    public TypeChange {
        members = List.copyOf(members);
    }

    /** What happened to it, such as {@code struct net_device has changed (layout)}. */
    public String clause() {
        return title() + change.clause;
    }

    /** What happened in a few words, such as {@code net_device.reg_state became u8}. */
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

    /** Only the type where the name stands behind it, else the declaration. */
    private static String became(MemberChange member) {
        String after = String.valueOf(member.after());
        String end = " " + member.name();
        boolean plain = after.endsWith(end);
        String type = plain ? after.substring(0, after.length() - end.length()) : after;
        String shown = type.length() <= SHOWN ? type : type.substring(0, SHOWN) + "...";
        boolean moved = after.equals(member.before());
        return moved ? " moved" : " became " + shown;
    }

    /** As in C: {@code struct net_device}; a prototype's name alone. */
    public String title() {
        return kind.equals("prototype") ? name : kind + " " + name;
    }

    /**
     * One line of what differs in a type: a member, an enum's constant, a parameter.
     *
     * @param name its name, "return" for what a function returns
     * @param before its declaration in the older kernel, null if it was added
     * @param after its declaration in the newer kernel, null if it was removed
     */
    public record MemberChange(
            String name, @Nullable String before, @Nullable String after) {}
}
