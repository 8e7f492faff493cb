package dev.weaklink.check.report;

import dev.weaklink.report.Style;
import dev.weaklink.sys.Escape;
import dev.weaklink.sys.StableId;
import java.util.List;

/**
 * How modules stand on a kernel, from best to worst; of several the worst decides. The ids are part of the
 * machine-readable contract.
 */
public enum UnitState implements StableId {
    /** Built for this kernel, and used. */
    OK("OK", Style.GOOD),
    /** A link is there, and used. */
    LINKED("LINKED", Style.GOOD),
    /** All builds are for newer kernels, and none would load here. */
    NO_BUILD("NO BUILD", Style.FAINT),
    /** A link is to be made, or to lead elsewhere. */
    CAN_BE_LINKED("CAN BE LINKED", Style.GOOD),
    /** Built for this kernel, but depmod chooses another file. */
    NOT_USED("NOT USED", Style.UNSURE),
    /** A link is there, but depmod chooses another file. */
    LINKED_NOT_USED("LINKED, NOT USED", Style.UNSURE),
    UNDETERMINED("UNDETERMINED", Style.UNSURE),
    /** DKMS builds it for each kernel, and has not for this one; no build was refused. */
    NOT_BUILT("NOT BUILT", Style.UNSURE),
    /** It would load, but others that use what it replaces would not. */
    BREAKS_OTHERS("BREAKS OTHERS", Style.BAD),
    REBUILD_NEEDED("REBUILD NEEDED", Style.BAD);

    private final String words;
    private final Style style;

    UnitState(String words, Style style) {
        this.words = words;
        this.style = style;
    }

    public String words() {
        return words;
    }

    public Style style() {
        return style;
    }

    /** Modules of a unit by the first name, how many more there are, and the unit. */
    public static String modules(List<String> names, String unit) {
        String first = Escape.bytes(names.get(0));
        String more = names.size() == 1 ? "" : " and " + (names.size() - 1) + " more";
        String of = Escape.text(unit);
        return first + more + (of.equals(first) ? "" : " (" + of + ")");
    }

    /**
     * What a hook prints: how modules stand on a kernel, and what to do. What must not be booted as it is says so in
     * the same words.
     *
     * @param kernel escaped
     * @param modules as {@link #modules} words them
     */
    public String line(String kernel, String modules) {
        String sentence = switch (this) {
            case OK -> kernel + " loads " + modules;
            case LINKED -> kernel + " loads " + modules + " by a link";
            case NO_BUILD -> kernel + " has no build of " + modules + ", only newer kernels have";
            case CAN_BE_LINKED -> kernel + " will load " + modules + " after 'weaklink apply'";
            case NOT_USED, LINKED_NOT_USED ->
                kernel + " will not use " + modules + "; 'weaklink plan' says what depmod chooses";
            case UNDETERMINED -> "whether " + kernel + " will load " + modules + " is unknown; see 'weaklink check'";
            case NOT_BUILT -> kernel + " has no " + modules + " yet; build it: dkms autoinstall -k " + kernel;
            case BREAKS_OTHERS ->
                kernel
                        + " will load "
                        + modules
                        + ", but not what uses the modules it replaces; do not boot it before"
                        + " 'weaklink check' says yes";
            case REBUILD_NEEDED ->
                kernel + " will not load " + modules + "; do not boot it before 'weaklink apply --rebuild'";
        };
        return "weaklink: " + sentence + "\n";
    }
}
