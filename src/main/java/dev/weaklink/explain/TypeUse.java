package dev.weaklink.explain;

import dev.weaklink.loader.TypeChange;
import dev.weaklink.loader.TypeChange.Change;
import dev.weaklink.loader.TypeChange.MemberChange;
import dev.weaklink.sys.StableId;
import java.util.ArrayList;
import java.util.List;

/**
 * What a module does with a type or prototype that changed, as far as its file shows.
 *
 * @param change what differs
 * @param kind what it does
 * @param certain whether types say so; else it is the size and the places of pointers that fit
 * @param places variables, types or functions that show it, by name; empty if nothing does
 * @param set the callbacks and other pointers that it sets, of a table
 * @param fitting what compiles as before although its declaration differs: of these members, or the function that it
 *     calls
 */
record TypeUse(
        TypeChange change, Kind kind, boolean certain, List<String> places, List<String> set, List<String> fitting) {
    /** What a module does with a type; what leads to more of its source comes first. */
    enum Kind implements StableId {
        /** It has a table of callbacks of that type. */
        IMPLEMENTS,
        /** A variable or type of its own has one inside: size and offsets are compiled in. */
        EMBEDS,
        /** It imports the function. */
        CALLS,
        /** Functions that it imports take or return pointers to it. */
        PASSES_THROUGH,
        /** Nothing in the file shows it. */
        UNKNOWN
    }

    TypeUse {
        places = List.copyOf(places);
        set = List.copyOf(set);
        fitting = List.copyOf(fitting);
    }

    /**
     * What has to change in the source if anything has: functions that it calls, and members that a table of its own
     * sets. One number for another is converted; what became const can be read as before.
     */
    List<String> firm() {
        if (kind == Kind.CALLS) {
            boolean other = change.change() != Change.SPELLING && !fitting.contains(change.name());
            return other && DriverReport.isWritten(change.name()) ? List.of(change.name() + "()") : List.of();
        }
        // What a typedef declares is a member of the table.
        return change.kind().equals("typedef") ? List.of() : members(true);
    }

    /** Members that went or have another type, and of which nothing shows whether it uses them. */
    List<String> members() {
        return kind == Kind.CALLS || kind == Kind.IMPLEMENTS ? List.of() : members(false);
    }

    private List<String> members(boolean used) {
        List<String> members = new ArrayList<>();
        for (MemberChange member : change.members()) {
            if (change.change() != Change.SPELLING
                    && set.contains(member.name()) == used
                    && !fitting.contains(member.name())
                    && breaksSources(member)) {
                members.add(change.name() + "." + member.name());
            }
        }
        return members;
    }

    private boolean breaksSources(MemberChange member) {
        String before = member.before();
        String after = member.after();
        if (before == null || after == null || before.equals(after)) {
            return before != null && after == null && !isWithin(member);
        }
        if (lengthless(before).equals(lengthless(after))) {
            return false;
        }
        boolean onlyConst =
                !before.contains("(") && before.replace("const ", "").equals(after.replace("const ", ""));
        return !onlyConst && (!isNumber(before) || !isNumber(after));
    }

    /** Whether what it is a part of has only moved, into a union without a name. */
    private boolean isWithin(MemberChange part) {
        return change.members().stream()
                .anyMatch(whole -> whole.after() != null && part.name().startsWith(whole.name() + "."));
    }

    /** A declaration without the length of an array. */
    private static String lengthless(String declared) {
        int open = declared.indexOf('[');
        return open < 0 ? declared : declared.substring(0, open);
    }

    /** By its declaration, or an enum's constant. */
    private static boolean isNumber(String declared) {
        return !declared.contains("*")
                && !declared.contains("(")
                && !declared.contains("[")
                && !declared.contains("struct ")
                && !declared.contains("union ");
    }
}
