package dev.weaklink.check.report;

import dev.weaklink.report.Style;
import dev.weaklink.sys.Escape;
import dev.weaklink.sys.StableId;
import java.util.List;

/**
 * The readiness of modules for a kernel, from best to worst. The worst of several modules decides. The ids are part of
 * the machine-readable contract.
 */
public enum Readiness implements StableId {
    OK("OK", Style.GOOD),
    LINKED("LINKED", Style.GOOD),
    /** The state of modules that have builds only for newer kernels, and need a build of their own for this kernel. */
    NO_BUILD("NO BUILD", Style.FAINT),
    CAN_BE_LINKED("CAN BE LINKED", Style.GOOD),
    NOT_USED("NOT USED", Style.UNSURE),
    LINKED_NOT_USED("LINKED, NOT USED", Style.UNSURE),
    UNDETERMINED("UNDETERMINED", Style.UNSURE),
    NOT_BUILT("NOT BUILT", Style.UNSURE),
    /**
     * The state of modules of which another kernel's build would load. Weaklink does not link that build, because it is
     * in a directory such as {@code kernel/}.
     */
    NOT_INSTALLED("NOT INSTALLED", Style.BAD),
    BREAKS_OTHERS("BREAKS OTHERS", Style.BAD),
    GONE("NO LONGER INSTALLED", Style.BAD),
    REBUILD_NEEDED("REBUILD NEEDED", Style.BAD);

    private final String words;
    private final Style style;

    Readiness(String words, Style style) {
        this.words = words;
        this.style = style;
    }

    public String words() {
        return words;
    }

    public Style style() {
        return style;
    }

    public static String modules(List<String> names, String unit) {
        String first = Escape.bytes(names.get(0));
        String more = names.size() == 1 ? "" : " and " + (names.size() - 1) + " more";
        String of = Escape.text(unit);
        return first + more + (of.equals(first) ? "" : " (" + of + ")");
    }

    /**
     * Returns the line that a hook prints: the state of modules on a kernel, and the next step if there is one. All
     * warnings against booting a kernel use the same words.
     *
     * @param kernel the release, escaped
     * @param modules the modules as {@link #modules} formats the names
     * @param root the {@code --root} option of printed commands, escaped; empty for the host
     */
    public String line(String kernel, String modules, String root) {
        String sentence = switch (this) {
            case OK -> kernel + " loads " + modules;
            case LINKED -> kernel + " loads " + modules + " by a link";
            case NO_BUILD -> kernel + " has no build of " + modules + "; builds exist only for newer kernels";
            case CAN_BE_LINKED -> kernel + " will load " + modules + " after 'weaklink apply" + root + "'";
            case NOT_USED, LINKED_NOT_USED ->
                kernel + " will not use " + modules + "; 'weaklink plan" + root + "' shows which file depmod chooses";
            case UNDETERMINED ->
                "whether "
                        + kernel
                        + " will load "
                        + modules
                        + " is unknown; see 'weaklink check --kernel "
                        + kernel
                        + root
                        + "'";
            case NOT_BUILT ->
                kernel
                        + " has no build of "
                        + modules
                        + " yet; run"
                        + (root.isEmpty() ? "" : " in that root directory")
                        + ": dkms autoinstall -k "
                        + kernel;
            case NOT_INSTALLED ->
                kernel
                        + " has no build of "
                        + modules
                        + "; do not boot it before a build is installed with the modules' own installer";
            case BREAKS_OTHERS ->
                kernel
                        + " will load "
                        + modules
                        + " in place of in-tree modules, but then refuse modules that need these in-tree modules;"
                        + " do not boot it before 'weaklink check --kernel "
                        + kernel
                        + root
                        + "' answers yes";
            case GONE ->
                kernel + " has no build of " + modules + " any more; do not boot it before a build is installed";
            case REBUILD_NEEDED ->
                kernel + " will not load " + modules + "; do not boot it before 'weaklink apply --rebuild" + root + "'";
        };
        return "weaklink: " + sentence + "\n";
    }

    /**
     * Returns the line that a hook prints about modules that need some of the kernel's own modules which are not
     * installed.
     *
     * @param kernel the release, escaped
     * @param modules the modules as {@link #modules} formats the names
     * @param exporters names of the kernel's own modules that are not installed
     * @param root the {@code --root} option of the printed command, escaped; empty for the host
     */
    public static String lackingExporters(String kernel, String modules, String exporters, String root) {
        return "weaklink: "
                + kernel
                + " will not load "
                + modules
                + "; do not boot it before its in-tree module "
                + Escape.text(exporters)
                + " is installed; see 'weaklink check --kernel "
                + kernel
                + root
                + "'\n";
    }

    /**
     * Returns the line that a hook prints about refused modules that nothing on the machine can rebuild.
     *
     * @param kernel the release, escaped
     * @param modules the modules as {@link #modules} formats the names
     * @param older the kernel to stay with, empty if none is known
     */
    public static String refusedForGood(String kernel, String modules, String older) {
        return "weaklink: "
                + kernel
                + " will not load "
                + modules
                + "; do not boot it before a build for "
                + kernel
                + " is installed (nothing on this machine can make such a build)"
                + (older.isEmpty() ? "" : "; stay with " + Escape.text(older))
                + "\n";
    }
}
