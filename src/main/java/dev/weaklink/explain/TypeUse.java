package dev.weaklink.explain;

import dev.weaklink.loader.TypeChange;
import dev.weaklink.loader.TypeChange.Change;
import dev.weaklink.loader.TypeChange.MemberChange;
import dev.weaklink.sys.StableId;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * What a module does with a type or prototype that changed, as far as its file shows.
 *
 * @param change what differs
 * @param kind what it does
 * @param certain whether types say so; else it is the size and the places of pointers that fit
 * @param places variables, types or functions that show it, by name; empty if nothing does
 * @param set the callbacks and other pointers that it sets, of a table
 * @param reached members that differ and that its code reads or writes, with the functions where it does
 * @param written those of them that it writes
 * @param fitting what compiles as before although its declaration differs: of these members, or the function that it
 *     calls
 */
record TypeUse(
        TypeChange change,
        Kind kind,
        boolean certain,
        List<String> places,
        List<String> set,
        Map<String, List<String>> reached,
        Set<String> written,
        List<String> fitting) {
    /** What a module does with a type; what leads to more of its source comes first. */
    enum Kind implements StableId {
        /** It has a table of callbacks of that type. */
        IMPLEMENTS,
        /** A variable or type of its own has one inside: size and offsets are compiled in. */
        EMBEDS,
        /** Its code reads or writes members. */
        USES_MEMBER,
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
        written = Set.copyOf(written);
        reached = Collections.unmodifiableMap(new TreeMap<>(reached));
        fitting = List.copyOf(fitting);
    }

    /**
     * What has to change in the source if anything has: functions that it calls, and members that a table of its own
     * sets or its code reaches. One number for another is converted; what became const can be read as before.
     */
    List<String> firm() {
        if (kind == Kind.CALLS) {
            boolean other = change.change() != Change.SPELLING && !fitting.contains(change.name());
            return other && HeaderSymbols.isWritten(change.name()) ? List.of(change.name() + "()") : List.of();
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
                    && isUsed(member.name()) == used
                    && !fitting.contains(member.name())
                    && breaksSources(member)) {
                members.add(change.name() + "." + member.name());
            }
        }
        return members;
    }

    /** Members with underscores in front are for functions of headers, which changed with them. */
    private boolean isUsed(String member) {
        return set.contains(member) || reached.containsKey(member) && !member.startsWith("__");
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
        boolean wasWritten = written.contains(member.name()) && isConst(after) && !isConst(before);
        return wasWritten || !onlyConst && (!isNumber(before) || !isNumber(after));
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

    /** Of what is a number. */
    private static boolean isConst(String declared) {
        return declared.startsWith("const ") && isNumber(declared);
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
