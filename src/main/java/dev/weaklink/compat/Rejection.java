package dev.weaklink.compat;

import dev.weaklink.compat.ModuleLinks.ModuleLink;
import dev.weaklink.loader.Finding;
import dev.weaklink.loader.Layer;
import dev.weaklink.loader.Outcome;
import dev.weaklink.loader.Selection.TrialOutcome;
import dev.weaklink.loader.Verdict;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A link that a kernel would not load, or of which that could not be ruled out.
 *
 * @param symbols what it objects to, once each: symbols, and for anything else the layer
 * @param certain whether the kernel would refuse it
 * @param signature what is wrong about its signature, null if nothing is
 */
record Rejection(
        ModuleLink link,
        List<String> symbols,
        boolean certain,
        @Nullable String signature) {
    private static final String MODULE_LAYOUT = "module_layout";
    private static final String NEEDED_BY = "needed-by:";

    /**
     * The rejection that a verdict other than compatible means.
     *
     * @param unfit symbols that are unknown or of another version
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

    /** Of a link that would load, to the harm of the kernel's own modules. */
    static Rejection harmful(ModuleLink link, TrialOutcome status) {
        List<String> objections = new ArrayList<>();
        if (status instanceof TrialOutcome.Breaks breaks) {
            for (String own : breaks.own()) {
                objections.add(NEEDED_BY + own);
            }
        }
        return new Rejection(link, objections.isEmpty() ? List.of(Layer.DEPENDENCY.id()) : objections, false, null);
    }

    /** What to say where links that were there before are to the harm of the kernel's own modules. */
    static String lost(Set<String> own) {
        return "with the links that are there these modules of the kernel do not load: "
                + String.join(", ", own)
                + "; 'weaklink status' names the links";
    }

    private static String objection(Finding finding) {
        if (finding.symbol() != null) {
            return finding.symbol();
        }
        return finding.layer() == Layer.MODULE_LAYOUT
                ? MODULE_LAYOUT
                : finding.layer().id();
    }

    /** Whether nothing is wrong with the module but that another one would not load. */
    static boolean isForOthersOnly(Verdict verdict) {
        if (verdict.outcome() != Outcome.INCOMPATIBLE) {
            return false;
        }
        return verdict.findings().stream()
                .noneMatch(
                        finding -> finding.effect() == Finding.Effect.REFUSES && finding.layer() != Layer.DEPENDENCY);
    }
}
