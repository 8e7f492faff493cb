package dev.weaklink.check.result;

import dev.weaklink.loader.Outcome;
import dev.weaklink.loader.Verdict;
import dev.weaklink.sys.StableId;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Whether one kernel can be booted with the modules there are.
 *
 * @param target the kernel
 * @param verdicts on all of the modules, in their order
 * @param missing those of the modules that are not in place on this kernel, though it is installed
 * @param inPlace files of modules that are in place there: in its directory, or linked into it
 * @param unused those of them that depmod chooses another file for, here and on all kernels
 * @param ignored those that rules say to leave alone on this kernel
 * @param nothingInUse why there is nothing to judge; null if there is, or if it is not known
 * @param complete whether everything in use could be looked at
 * @param obstacles what besides modules in use speaks against booting the kernel
 */
public record GateAnswer(
        TargetSummary target,
        List<Verdict> verdicts,
        List<Missing> missing,
        Set<String> inPlace,
        Set<String> unused,
        List<Ignored> ignored,
        @Nullable String nothingInUse,
        boolean complete,
        List<Obstacle> obstacles) {
    public GateAnswer {
        obstacles = List.copyOf(obstacles);
        verdicts = List.copyOf(verdicts);
        missing = List.copyOf(missing);
        inPlace = Set.copyOf(inPlace);
        unused = Set.copyOf(unused);
        ignored = List.copyOf(ignored);
    }

    /**
     * A module that a kernel would not load by its name, whatever its file.
     *
     * @param name the module's name
     * @param judged the kernel whose build was judged, or the kernel that had a build which no longer exists
     * @param outcome the verdict on that build
     * @param cause why the kernel does not find the module
     * @param detail what is known of a build that no longer exists; empty otherwise
     */
    public record Missing(String name, String judged, Outcome outcome, Cause cause, String detail) {
        /** The reason for which a kernel does not find a module. */
        public enum Cause {
            /** Only other kernels have a build. */
            NOT_INSTALLED,
            /** Only other kernels have a build, in a directory to which no links are made. */
            NOT_LINKABLE,
            /** depmod chooses another file. */
            NOT_CHOSEN,
            /** modules.dep does not list the file. */
            NOT_LISTED,
            /** The module was in use, and no kernel has a build any more. */
            GONE
        }

        /** A module of which an installed build was judged. */
        public static Missing of(String name, String judged, Outcome outcome, Cause cause) {
            return new Missing(name, judged, outcome, cause, "");
        }
    }

    /** Returns the modules that no kernel has a build of any more. */
    public List<Missing> gone() {
        List<Missing> gone = new ArrayList<>(missing);
        gone.removeIf(module -> module.cause() != Missing.Cause.GONE);
        return gone;
    }

    /**
     * A module that is not judged.
     *
     * @param rule where the rule is, as {@code FILE:LINE}
     */
    public record Ignored(String name, String rule) {}

    /**
     * Something about a kernel's installation or its initramfs that speaks against booting it.
     *
     * @param word no, or unknown if it could not be checked
     * @param reason what is wrong
     * @param next what to do about it, a command or a sentence; empty if there is nothing to say
     */
    public record Obstacle(Word word, String reason, String next) {}

    /** The answer in one word. */
    public enum Word implements StableId {
        YES,
        NO,
        UNKNOWN
    }

    /**
     * No if a module would be refused, is missing or keeps others from loading, or an obstacle says no; yes if every
     * module in use was looked at, is installed and would load, and there is no obstacle.
     */
    public Word word() {
        Tally tally = Tally.of(verdicts);
        if (tally.incompatible() > 0 || !missing.isEmpty() || Verdicts.breakOthers(verdicts) || says(Word.NO)) {
            return Word.NO;
        }
        boolean proven = complete && (tally.total() > 0 || nothingInUse != null);
        return tally.undetermined() > 0 || !proven || says(Word.UNKNOWN) ? Word.UNKNOWN : Word.YES;
    }

    private boolean says(Word word) {
        return obstacles.stream().anyMatch(obstacle -> obstacle.word() == word);
    }

    /** Names of the modules with that outcome, in order. */
    public List<String> names(Outcome outcome) {
        List<String> names = new ArrayList<>();
        for (Verdict verdict : verdicts) {
            if (verdict.outcome() == outcome) {
                names.add(verdict.module().name());
            }
        }
        return names;
    }

    /** The first verdict that stands against it, the worst first; null if all would load. */
    public @Nullable Verdict against() {
        return BuildMatch.worst(verdicts);
    }
}
