package dev.weaklink.check.result;

import dev.weaklink.loader.Outcome;
import dev.weaklink.loader.Verdict;
import dev.weaklink.sys.StableId;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The answer to whether one kernel can be booted with the modules in use.
 *
 * @param target the kernel
 * @param verdicts the verdicts on all modules, in the order of the modules
 * @param missing the modules that are not in place on this kernel; empty if the kernel is not installed
 * @param inPlace the module files in place: in the kernel's directory or linked into it, and not {@code missing}
 * @param unused module files in place that depmod chooses neither on this kernel nor on any other
 * @param ignored the modules that rules ignore on this kernel
 * @param nothingInUse the reason why there are no modules to judge; null if there are some, or if the modules in use
 *     are not known
 * @param complete whether everything in use could be checked
 * @param obstacles the reasons against booting the kernel, other than the modules in use
 */
public record GateAnswer(
        TargetSummary target,
        List<Verdict> verdicts,
        List<MissingModule> missing,
        Set<String> inPlace,
        Set<String> unused,
        List<Ignored> ignored,
        @Nullable String nothingInUse,
        boolean complete,
        List<BootObstacle> obstacles) {
    public GateAnswer {
        obstacles = List.copyOf(obstacles);
        verdicts = List.copyOf(verdicts);
        missing = List.copyOf(missing);
        inPlace = Set.copyOf(inPlace);
        unused = Set.copyOf(unused);
        ignored = List.copyOf(ignored);
    }

    /**
     * A module that is not in place on a kernel: {@code modprobe} would not load the judged build, or no build is
     * installed any more.
     *
     * @param name the module's name
     * @param judged the kernel that the judged build was built for; for a removed build, the kernel that had a link to
     *     it
     * @param outcome the verdict on that build; {@code UNDETERMINED} for a removed build
     * @param cause the reason why {@code modprobe} would not load the build
     * @param detail for a removed build, the evidence that it was in use; else the command to run next
     */
    public record MissingModule(String name, String judged, Outcome outcome, AbsenceCause cause, String detail) {
        public enum AbsenceCause {
            NOT_INSTALLED,
            /**
             * The cause if only other kernels have a build, and weaklink does not link it because of its directory,
             * such as {@code kernel/}.
             */
            NOT_LINKABLE,
            NOT_CHOSEN,
            NOT_LISTED,
            GONE
        }
    }

    public List<MissingModule> gone() {
        List<MissingModule> gone = new ArrayList<>(missing);
        gone.removeIf(module -> module.cause() != MissingModule.AbsenceCause.GONE);
        return gone;
    }

    /**
     * A module that is not judged, because a rule ignores it.
     *
     * @param rule the place of the rule, as {@code FILE:LINE}
     */
    public record Ignored(String name, String rule) {}

    /**
     * An obstacle to booting the kernel.
     *
     * @param part the part of the kernel's installation that has the problem
     * @param word {@code NO}, or {@code UNKNOWN} if the initramfs could not be checked
     * @param reason a description of the problem
     * @param next the next step, a command or a sentence; empty if there is none
     */
    public record BootObstacle(BootPart part, Word word, String reason, String next) {
        public enum BootPart {
            PACKAGES,
            INITRAMFS
        }
    }

    public enum Word implements StableId {
        YES,
        NO,
        UNKNOWN
    }

    /**
     * Returns {@code NO} if a module would be refused, is missing or breaks other modules, or if an obstacle prevents
     * booting. Otherwise returns {@code UNKNOWN} if not all modules in use are known, or if one of them or the
     * initramfs could not be checked. Otherwise returns {@code YES}, also if no module is in use.
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

    public List<String> names(Outcome outcome) {
        List<String> names = new ArrayList<>();
        for (Verdict verdict : verdicts) {
            if (verdict.outcome() == outcome) {
                names.add(verdict.module().name());
            }
        }
        return names;
    }

    public @Nullable Verdict against() {
        return BuildMatch.worst(verdicts);
    }
}
