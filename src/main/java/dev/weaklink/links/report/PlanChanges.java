package dev.weaklink.links.report;

import dev.weaklink.check.result.FewestCauses;
import dev.weaklink.check.result.FewestCauses.Explanation;
import dev.weaklink.links.plan.KernelPlan.LinkEdit;
import dev.weaklink.links.plan.ModulePlan;
import dev.weaklink.links.plan.ModulePlan.Action;
import dev.weaklink.links.plan.ModulePlan.Unused;
import dev.weaklink.loader.Outcome;
import dev.weaklink.loader.Verdict;
import dev.weaklink.report.Page;
import dev.weaklink.sys.Escape;
import dev.weaklink.sys.Numbers;
import dev.weaklink.sys.ShellWord;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/**
 * Renders the planned changes of one kernel's modules with their reasons. Modules with the same change share a line.
 */
public final class PlanChanges {
    private static final int MOST_CAUSES = 4;
    private static final int MOST_LINES = 4;
    private static final int INDENT = 4;

    private final Page page;
    private final String kernel;

    public PlanChanges(Page page, String kernel) {
        this.page = page;
        this.kernel = kernel;
    }

    public void write(List<ModulePlan> modules) {
        Map<String, List<String>> groups = new LinkedHashMap<>();
        List<Verdict> refused = new ArrayList<>();
        for (ModulePlan module : modules) {
            Verdict verdict = module.verdict();
            if (verdict != null && verdict.outcome() == Outcome.INCOMPATIBLE && isOpen(module)) {
                refused.add(verdict);
            }
            for (String lot : lots(module)) {
                groups.computeIfAbsent(lot, any -> new ArrayList<>()).add(Escape.bytes(module.module()));
            }
        }
        causes(refused);
        groups.forEach(this::line);
        unused(modules);
        if (page.verbose()) {
            modules.forEach(this::details);
        }
    }

    private static boolean isOpen(ModulePlan module) {
        return module.action() == Action.REBUILD || module.action() == Action.UNLINK;
    }

    private void line(String lot, List<String> names) {
        boolean isHead = lot.endsWith(":");
        List<String> words = new ArrayList<>(isHead ? List.of(lot.split(" ")) : List.of());
        List<String> shown = page.shortened(names);
        for (int i = 0; i < shown.size(); i++) {
            String last = isHead ? "" : ":";
            words.add(shown.get(i) + (i < shown.size() - 1 ? "," : last));
        }
        words.addAll(isHead ? List.of() : List.of(lot.split(" ")));
        page.wrapped(INDENT, "", words, "");
    }

    private List<String> lots(ModulePlan module) {
        List<String> lots = new ArrayList<>();
        boolean isRefused = module.outcome() == Outcome.INCOMPATIBLE;
        switch (module.action()) {
            case LINK -> lots.add("link the build for " + release(module.build()) + ":");
            case REPLACE -> lots.add("link the build for " + release(module.build()) + " instead:");
            case UNLINK ->
                lots.add(isRefused ? "remove the link:" : "remove the link, " + Escape.text(module.reason()));
            case LEAVE ->
                lots.add("built for newer kernels only (--kernel "
                        + Escape.text(ShellWord.of(kernel))
                        + " plans a rebuild):");
            case REBUILD -> {
                if (!isRefused) {
                    lots.add("rebuild, " + Escape.text(module.reason()));
                }
            }
            case BUILD -> lots.add(Escape.text(module.reason()));
            case BLOCKED -> {
                lots.add((module.isGone() ? "" : "blocked, ") + Escape.text(module.reason()));
                if (!module.edits().isEmpty()) {
                    lots.add("remove the link before depmod uses it:");
                }
            }
            case KEEP -> {
                if (module.outcome() != Outcome.COMPATIBLE) {
                    lots.add("stays, " + Escape.text(module.reason()));
                } else if (module.breaksOthers()) {
                    lots.add(Escape.text(module.reason()));
                }
            }
        }
        String advice = module.advice();
        if (advice != null) {
            lots.add(Escape.text(advice));
        }
        return lots;
    }

    private static String release(String build) {
        String[] names = build.split("/");
        for (int i = 0; i + 1 < names.length; i++) {
            if (names[i].equals("modules")) {
                return Escape.text(names[i + 1]);
            }
        }
        return Escape.text(build);
    }

    private void causes(List<Verdict> refused) {
        List<Explanation> explanations = refused.isEmpty() ? List.of() : FewestCauses.of(refused);
        int shown = page.verbose() || explanations.size() <= MOST_CAUSES + 1 ? explanations.size() : MOST_CAUSES;
        int left = 0;
        for (int i = 0; i < explanations.size(); i++) {
            List<String> names = new ArrayList<>();
            for (Verdict verdict : explanations.get(i).modules()) {
                names.add(Escape.bytes(verdict.module().name()));
            }
            if (i < shown) {
                line("would be refused, " + explanations.get(i).clause(), names);
            } else {
                left += names.size();
            }
        }
        if (left > 0) {
            String causes = Numbers.of(explanations.size() - shown, "further cause");
            page.line("    " + causes + " for " + Numbers.of(left, "module") + ": see --verbose");
        }
    }

    private void unused(List<ModulePlan> modules) {
        List<String> names = new ArrayList<>();
        TreeSet<String> lines = new TreeSet<>();
        String chosen = "";
        boolean isFixed = false;
        for (ModulePlan module : modules) {
            Unused unused = module.unused();
            if (unused != null) {
                names.add(Escape.bytes(module.module()));
                chosen = chosen.isEmpty() ? unused.chosen() : chosen;
                isFixed |= unused.fixed();
                if (unused.override() != null) {
                    lines.add(unused.override());
                }
            }
        }
        if (names.isEmpty()) {
            return;
        }
        line("depmod would choose other files, such as " + Escape.text(chosen) + ", for:", names);
        if (!lines.isEmpty()) {
            String verb = isFixed ? "will be added" : "to fix, add";
            page.line("    " + verb + " to /etc/depmod.d/weaklink.conf:");
        }
        int shown = page.verbose() || lines.size() <= MOST_LINES + 1 ? lines.size() : MOST_LINES;
        for (String line : new ArrayList<>(lines).subList(0, shown)) {
            page.line("      " + Escape.text(line));
        }
        if (shown < lines.size()) {
            page.line("      and " + Numbers.of(lines.size() - shown, "line") + " more: see --verbose");
        }
    }

    private void details(ModulePlan module) {
        page.line("    "
                + module.action().id()
                + "  "
                + Escape.bytes(module.module())
                + "  "
                + Escape.text(module.build()));
        for (LinkEdit edit : module.edits()) {
            String after = edit.after();
            page.line("        "
                    + (after == null ? "remove " : "")
                    + Escape.text(edit.path())
                    + (after == null ? "" : " -> " + Escape.text(after)));
        }
        if (module.outcome() != Outcome.COMPATIBLE) {
            page.sentence(8, "", Escape.text(module.reason()));
        }
    }
}
