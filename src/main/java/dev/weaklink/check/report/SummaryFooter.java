package dev.weaklink.check.report;

import dev.weaklink.check.result.CheckReport;
import dev.weaklink.check.result.Tally;
import dev.weaklink.check.result.TargetSummary;
import dev.weaklink.check.result.Verdicts;
import dev.weaklink.loader.Finding;
import dev.weaklink.loader.Finding.Effect;
import dev.weaklink.loader.FindingKind;
import dev.weaklink.loader.Layer;
import dev.weaklink.loader.Outcome;
import dev.weaklink.loader.Verdict;
import dev.weaklink.report.Page;
import dev.weaklink.report.Style;
import dev.weaklink.sys.Escape;
import dev.weaklink.sys.InputProblem;
import dev.weaklink.sys.Numbers;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** The last lines of a report: the counts and the next step. */
final class SummaryFooter {
    private static final Set<Layer> OF_SOURCES =
            Set.of(Layer.SYMBOL_MISSING, Layer.SYMBOL_GPL_ONLY, Layer.NAMESPACE, Layer.DUPLICATE_EXPORT);

    private SummaryFooter() {}

    static void write(Page page, CheckReport report) {
        page.gap();
        if (report.targets().size() > 1) {
            for (TargetSummary target : report.targets()) {
                Tally tally = Tally.of(report.verdictsOn(target));
                page.line(Escape.text(target.label()) + ": " + counts(page, tally));
            }
        }
        Tally tally = report.tally();
        page.line(Numbers.of(tally.total(), "verdict") + ": " + counts(page, tally));
        page.line(next(report));
    }

    private static String counts(Page page, Tally tally) {
        List<String> parts = new ArrayList<>();
        add(parts, page, Style.GOOD, tally.compatible(), "compatible");
        add(parts, page, Style.BAD, tally.incompatible(), "incompatible");
        add(parts, page, Style.UNSURE, tally.undetermined(), "undetermined");
        return parts.isEmpty() ? "nothing" : String.join(", ", parts);
    }

    private static void add(List<String> parts, Page page, Style style, int count, String word) {
        if (count > 0) {
            parts.add(page.styled(style, Numbers.grouped(count) + " " + word));
        }
    }

    static String next(CheckReport report) {
        Tally tally = report.tally();
        if (tally.incompatible() > 0) {
            if (only(Layer.SIGNATURE, report.verdicts())) {
                return "Next: sign the incompatible modules with a key the kernel trusts.";
            }
            if (only(Layer.ELF, report.verdicts())) {
                return "Next: get intact copies of the incompatible files, or build them again.";
            }
            if (report.verdicts().stream()
                    .allMatch(verdict -> verdict.outcome() != Outcome.INCOMPATIBLE || isOnlyPacked(verdict))) {
                return "Next: " + recompress(report.verdicts()) + ".";
            }
            return "Next: " + refused(report.verdicts()) + ".";
        }
        if (Verdicts.breakOthers(report.verdicts())) {
            return "Next: do not install a module that stops others from loading; use a build that exports the same"
                    + " symbols and CRCs as the in-tree module, or also replace the modules that use the in-tree"
                    + " module.";
        }
        if (tally.undetermined() > 0 || InputProblem.matter(report.problems())) {
            return "Next: correct the problems above, and check again; no refusal found, but not everything could be"
                    + " checked.";
        }
        Set<String> unchecked = Unchecked.layers(report.verdicts()).keySet();
        return unchecked.isEmpty()
                ? "Next: nothing to do; no refusal found."
                : "No refusal found; not checked: " + String.join(", ", unchecked) + ".";
    }

    /**
     * Returns the advice for refused modules. A rebuild does not help if the same sources would import the same missing
     * or restricted symbols.
     */
    private static String refused(List<Verdict> verdicts) {
        boolean rebuild = false;
        boolean absent = false;
        for (Verdict verdict : verdicts) {
            for (Finding finding : verdict.findings()) {
                boolean itself = finding.effect() == Effect.REFUSES && finding.layer() != Layer.DEPENDENCY;
                rebuild |= itself && !OF_SOURCES.contains(finding.layer());
                absent |= finding.kind() == FindingKind.DEPENDENCY_ABSENT;
            }
        }
        return rebuild
                ? "rebuild the incompatible modules for that kernel, or stay with a kernel that loads them"
                : absent
                        ? "check the incompatible modules together with the modules that they depend on"
                        : "get a version of the incompatible modules that is made for that kernel, or stay with a"
                                + " kernel that loads them";
    }

    /** Returns whether the only reason for the refusal is that the kernel cannot decompress the module's file. */
    static boolean isOnlyPacked(Verdict verdict) {
        return verdict.outcome() == Outcome.INCOMPATIBLE
                && verdict.findings().stream()
                        .allMatch(finding -> finding.effect() != Effect.REFUSES || isPacking(finding));
    }

    private static boolean isPacking(Finding finding) {
        return finding.kind() == FindingKind.FILE_COMPRESSION || finding.kind() == FindingKind.FILE_STREAMS;
    }

    static String recompress(Verdict verdict) {
        for (Finding finding : verdict.findings()) {
            if (finding.effect() == Effect.REFUSES && isPacking(finding)) {
                return finding.kind().remedy();
            }
        }
        return FindingKind.FILE_COMPRESSION.remedy();
    }

    private static String recompress(List<Verdict> verdicts) {
        Set<String> remedies = new TreeSet<>();
        for (Verdict verdict : verdicts) {
            if (isOnlyPacked(verdict)) {
                remedies.add(recompress(verdict));
            }
        }
        return String.join("; ", remedies);
    }

    private static boolean only(Layer layer, List<Verdict> verdicts) {
        for (Verdict verdict : verdicts) {
            if (verdict.outcome() != Outcome.INCOMPATIBLE) {
                continue;
            }
            for (Finding finding : verdict.findings()) {
                if (finding.effect() == Effect.REFUSES && finding.layer() != layer) {
                    return false;
                }
            }
        }
        return true;
    }

    /** The checks that could not be made, each with the number of modules concerned. */
    static final class Unchecked {
        private Unchecked() {}

        static void write(Page page, List<Verdict> verdicts) {
            List<String> words = words(verdicts);
            if (!words.isEmpty()) {
                page.gap();
                page.wrapped(0, "Not checked:", words, ",");
            }
        }

        static List<String> words(List<Verdict> verdicts) {
            List<String> words = new ArrayList<>();
            layers(verdicts).forEach((layer, modules) -> words.add(layer + " (" + Numbers.of(modules, "module") + ")"));
            return words;
        }

        static Map<String, Integer> layers(List<Verdict> verdicts) {
            Map<String, Integer> counts = new TreeMap<>();
            for (Verdict verdict : verdicts) {
                for (String layer : verdict.unchecked()) {
                    counts.merge(layer, 1, Integer::sum);
                }
            }
            return counts;
        }
    }
}
