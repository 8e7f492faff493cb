package dev.weaklink.explain;

import dev.weaklink.loader.TypeChange;
import dev.weaklink.loader.TypeChange.MemberChange;
import dev.weaklink.loader.TypeChange.TypeChangeKind;
import dev.weaklink.sys.StableId;
import java.util.ArrayList;
import java.util.List;

/**
 * A module's use of a changed type or prototype, as far as the module's file shows.
 *
 * @param change the change
 * @param kind the kind of use
 * @param certain whether the module's types, a known prototype or another variable confirms the use; else only a
 *     variable's size, pointers and possibly name fit the type
 * @param places the variables, types or functions that show the use, by name; may be empty
 * @param set the callbacks and other pointers that the module's variables of this type set
 * @param fitting the names whose use still compiles although their declaration differs: callbacks, or the called
 *     function
 */
record TypeUse(
        TypeChange change, UseKind kind, boolean certain, List<String> places, List<String> set, List<String> fitting) {
    /** The kind of use; the strongest, which concerns the most source code, comes first. */
    enum UseKind implements StableId {
        IMPLEMENTS,
        /**
         * The embedding of the type in a variable or type of the module; the type's size and offsets are compiled in.
         */
        EMBEDS,
        CALLS,
        PASSES_THROUGH,
        UNKNOWN
    }

    TypeUse {
        places = List.copyOf(places);
        set = List.copyOf(set);
        fitting = List.copyOf(fitting);
    }

    /**
     * Returns the names in the source code that most likely need a change: called functions, and members that the
     * module's variables set. Changes that still compile, such as conversions between numbers, do not count.
     */
    List<String> firm() {
        if (kind == UseKind.CALLS) {
            boolean other = change.change() != TypeChangeKind.SPELLING && !fitting.contains(change.name());
            return other && DriverReport.isWritten(change.name()) ? List.of(change.name() + "()") : List.of();
        }
        // A typedef is not listed: the table's member that it declares is listed instead.
        return change.kind().equals("typedef") ? List.of() : members(true);
    }

    List<String> members() {
        return kind == UseKind.CALLS || kind == UseKind.IMPLEMENTS ? List.of() : members(false);
    }

    private List<String> members(boolean used) {
        List<String> members = new ArrayList<>();
        for (MemberChange member : change.members()) {
            if (change.change() != TypeChangeKind.SPELLING
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

    private boolean isWithin(MemberChange part) {
        return change.members().stream()
                .anyMatch(whole -> whole.after() != null && part.name().startsWith(whole.name() + "."));
    }

    private static String lengthless(String declared) {
        int open = declared.indexOf('[');
        return open < 0 ? declared : declared.substring(0, open);
    }

    private static boolean isNumber(String declared) {
        return !declared.contains("*")
                && !declared.contains("(")
                && !declared.contains("[")
                && !declared.contains("struct ")
                && !declared.contains("union ");
    }
}
