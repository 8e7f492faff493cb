package dev.weaklink.compat;

import dev.weaklink.compat.ModuleLinks.ModuleLink;
import dev.weaklink.links.selection.Selection.TrialOutcome;
import dev.weaklink.loader.Finding;
import dev.weaklink.loader.Layer;
import dev.weaklink.loader.Outcome;
import dev.weaklink.loader.Verdict;
import dev.weaklink.sys.Root;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A link to a module that a kernel would not load or might not load, or that would keep other modules from loading.
 *
 * @param symbols the symbols that the kernel objects to, the ids of checks that failed or were not possible, or
 *     {@code needed-by:} followed by a module that would no longer load; without duplicates
 * @param certain whether the kernel would refuse the module for certain
 * @param signature the problem with the module's signature or ELF file, or null
 */
record Rejection(
        ModuleLink link,
        List<String> symbols,
        boolean certain,
        @Nullable String signature) {
    private static final String MODULE_LAYOUT = "module_layout";
    private static final String NEEDED_BY = "needed-by:";

    /**
     * Returns the rejection for an unreadable module, or for a verdict other than compatible.
     *
     * @param unfit the symbols that are unknown or have another version
     */
    static Rejection of(ModuleLink link, Verdict verdict, List<String> unfit) {
        if (!link.readable()) {
            return new Rejection(link, List.of(Layer.INPUT.id()), false, null);
        }
        boolean certain = verdict.outcome() == Outcome.INCOMPATIBLE;
        Finding.Effect effect = certain ? Finding.Effect.REFUSES : Finding.Effect.UNPROVEN;
        Set<String> symbols = new LinkedHashSet<>(certain ? unfit : List.of());
        Set<String> others = new LinkedHashSet<>();
        for (Finding finding : verdict.findings()) {
            if (finding.effect() == effect) {
                (finding.layer() == Layer.DEPENDENCY ? others : symbols).add(objection(finding));
            }
        }
        if (symbols.isEmpty()) {
            symbols.addAll(others.isEmpty() ? verdict.unchecked() : others);
        }
        return new Rejection(link, List.copyOf(symbols), certain, SignatureWords.of(verdict));
    }

    boolean isUnreadable() {
        return !link.readable() || symbols.contains(Layer.ELF.id());
    }

    static Rejection harmful(ModuleLink link, TrialOutcome status) {
        List<String> objections = new ArrayList<>();
        if (status instanceof TrialOutcome.Breaks breaks) {
            for (String own : breaks.own()) {
                objections.add(NEEDED_BY + own);
            }
        }
        return new Rejection(link, objections.isEmpty() ? List.of(Layer.DEPENDENCY.id()) : objections, false, null);
    }

    static String lost(Set<String> own, Root root) {
        return "the existing weak-updates links stop these in-tree modules from loading: "
                + String.join(", ", own)
                + "; 'weaklink status" + root.words() + "' lists the links";
    }

    private static String objection(Finding finding) {
        if (finding.symbol() != null) {
            return finding.symbol();
        }
        return finding.layer() == Layer.MODULE_LAYOUT
                ? MODULE_LAYOUT
                : finding.layer().id();
    }

    static boolean isForOthersOnly(Verdict verdict) {
        if (verdict.outcome() != Outcome.INCOMPATIBLE) {
            return false;
        }
        return verdict.findings().stream()
                .noneMatch(
                        finding -> finding.effect() == Finding.Effect.REFUSES && finding.layer() != Layer.DEPENDENCY);
    }
}
