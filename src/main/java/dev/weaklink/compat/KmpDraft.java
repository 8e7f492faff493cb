package dev.weaklink.compat;

import dev.weaklink.check.InstalledTarget;
import dev.weaklink.check.ReadOptions;
import dev.weaklink.check.SignaturePolicy;
import dev.weaklink.check.result.VerdictReason;
import dev.weaklink.compat.ModuleLinks.LinkBatch;
import dev.weaklink.compat.ModuleLinks.ModuleLink;
import dev.weaklink.links.LinkSimulation;
import dev.weaklink.links.selection.Candidate;
import dev.weaklink.links.selection.Selection;
import dev.weaklink.links.selection.Selection.TrialOutcome;
import dev.weaklink.links.transaction.Change;
import dev.weaklink.loader.Finding;
import dev.weaklink.loader.Layer;
import dev.weaklink.loader.Outcome;
import dev.weaklink.loader.Verdict;
import dev.weaklink.sys.InputProblem;
import dev.weaklink.system.ModulesDirectory;
import dev.weaklink.system.WeakUpdates.WeakLink;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A simulation of linking kernel module packages to a kernel. It starts with the packages that are linked now, and
 * yields a list of changes; it writes nothing to disk.
 */
final class KmpDraft {
    private final BaseDirectory base;
    private final KmpLinks links;
    private final KmpModules modules;
    private final SignaturePolicy trust;
    private final int threads;
    private final List<InputProblem> problems = new ArrayList<>();
    private final Set<Kmp> present = new LinkedHashSet<>();
    private final Set<Kmp> gone = new LinkedHashSet<>();
    private final Set<Kmp> added = new LinkedHashSet<>();
    private @Nullable KmpJudge judge;

    /**
     * Starts with the packages that were built for other kernels and whose modules are all linked.
     *
     * @param trust the kernel's policy for module signatures
     */
    KmpDraft(
            BaseDirectory base,
            KmpLinks links,
            Collection<Kmp> installed,
            KmpModules modules,
            SignaturePolicy trust,
            int threads) {
        this.base = base;
        this.trust = trust;
        this.links = links;
        this.modules = modules;
        this.threads = threads;
        for (Kmp kmp : installed) {
            if (!kmp.kernel().equals(links.release()) && links.isPresent(kmp)) {
                present.add(kmp);
            }
        }
    }

    String release() {
        return links.release();
    }

    List<InputProblem> problems() {
        List<InputProblem> all = new ArrayList<>(problems);
        if (judge != null) {
            for (Set<String> lines : judge.signatures().values()) {
                lines.forEach(line -> all.add(new InputProblem("kernel " + release(), line)));
            }
            if (!judge.lost().isEmpty()) {
                all.add(new InputProblem("kernel " + release(), Rejection.lost(judge.lost(), base.root())));
            }
        }
        return all;
    }

    /**
     * Returns whether enough is known about this kernel to judge modules on it.
     *
     * @throws IOException if the kernel's files cannot be read
     */
    boolean canJudge() throws IOException {
        if (judge == null) {
            InstalledTarget view = InstalledTarget.open(base.root(), release())
                    .with(links.own(), trust, ReadOptions.uncached(threads), problems);
            judge = view == null ? null : new KmpJudge(view, links.own().directory(), modules, loose(), threads);
        }
        return judge != null;
    }

    private LinkBatch loose() throws IOException {
        return new ModuleLinks(base, threads).at(links.loose(), WeakLink::inside);
    }

    boolean isPresent(Kmp kmp) {
        return kmp.kernel().equals(release()) ? links.isPresent(kmp) : present.contains(kmp);
    }

    /**
     * Returns whether the linked packages together list all files of this package. Another version may list the same
     * files.
     */
    boolean linksAllFilesOf(Kmp kmp) {
        Set<String> linked = new HashSet<>();
        present.forEach(other -> linked.addAll(other.files()));
        return linked.containsAll(kmp.files());
    }

    boolean isNameTaken(Kmp kmp) {
        return links.inTheWayOf(kmp) != null;
    }

    @Nullable
    Kmp linkedVersionOf(Kmp kmp) {
        for (Kmp other : present) {
            if (other.isVersionOf(kmp)) {
                return other;
            }
        }
        return null;
    }

    /**
     * Adds a package. If another version of the package is linked, replaces that version.
     *
     * @return the objections; empty if the package was added
     */
    List<String> add(Kmp kmp) throws IOException {
        String inTheWay = links.inTheWayOf(kmp);
        if (inTheWay != null) {
            return List.of(kmp.id() + ": there is " + inTheWay);
        }
        if (!canJudge() || judge == null) {
            return List.of(kmp.id() + ": kernel " + release() + " could not be read");
        }
        Kmp old = linkedVersionOf(kmp);
        List<Kmp> without = old == null ? List.of() : List.of(old);
        List<Kmp> read = new ArrayList<>(present);
        read.add(kmp);
        modules.read(read);
        List<String> objections = judge.objections(present, without, kmp);
        if (objections.isEmpty()) {
            without.forEach(this::remove);
            put(kmp);
        }
        return objections;
    }

    /**
     * Adds the packages that the kernel accepts; adds none if too little is known about the kernel. The caller must not
     * pass a package of which another version is linked.
     *
     * @param objected receives the objections to each rejected package
     * @return the added packages
     */
    List<Kmp> addAll(Collection<Kmp> kmps, Consumer<List<String>> objected) throws IOException {
        List<Kmp> tried = new ArrayList<>();
        for (Kmp kmp : kmps) {
            String inTheWay = links.inTheWayOf(kmp);
            if (inTheWay == null) {
                tried.add(kmp);
            } else {
                objected.accept(List.of(kmp.id() + ": there is " + inTheWay));
            }
        }
        if (tried.isEmpty() || !canJudge() || judge == null) {
            return List.of();
        }
        List<Kmp> all = new ArrayList<>(present);
        all.addAll(tried);
        modules.read(all);
        KmpJudge.KmpAnswer after = judge.judge(all);
        boolean together =
                after.accepted().containsAll(judge.judgePresent(present).accepted());
        List<Kmp> done = new ArrayList<>();
        for (Kmp kmp : tried) {
            List<String> objections = !together ? add(kmp) : after.refusals().getOrDefault(kmp.id(), List.of());
            if (objections.isEmpty()) {
                put(kmp);
                done.add(kmp);
            } else {
                objected.accept(objections);
            }
        }
        return done;
    }

    private void put(Kmp kmp) {
        present.add(kmp);
        added.add(kmp);
    }

    void remove(Kmp kmp) {
        present.remove(kmp);
        added.remove(kmp);
        gone.add(kmp);
    }

    List<Kmp> refused() throws IOException {
        if (present.isEmpty() || !canJudge() || judge == null) {
            return List.of();
        }
        modules.read(present);
        KmpJudge.KmpAnswer answer = judge.judgePresent(present);
        return present.stream()
                .filter(kmp -> answer.refused().contains(kmp.id()))
                .toList();
    }

    boolean isWronglySigned(Kmp kmp) {
        return judge != null && judge.signatures().containsKey(kmp.id());
    }

    List<Change> changes() {
        return links.changes(gone, added);
    }

    /**
     * Judges whether a kernel accepts packages as a whole: all their modules must load together, and none of the
     * kernel's own modules may stop loading.
     */
    private static final class KmpJudge {
        /**
         * A judgement on packages.
         *
         * @param accepted the ids of accepted packages, and the paths of accepted links without a package
         * @param refused the packages and links, named as in {@code accepted}, with a module that the kernel would
         *     certainly refuse
         * @param refusals the reasons for each package or link that is not accepted, by its id or path: at least one
         *     line
         * @param broken the kernel's own modules that packages would keep from loading; these packages are not accepted
         */
        record KmpAnswer(
                Set<String> accepted, Set<String> refused, Map<String, List<String>> refusals, Set<String> broken) {}

        private final InstalledTarget view;
        private final LinkSimulation kernel;
        private final KmpModules modules;
        private final List<ModuleLink> loose;
        private final Map<LinkBatch, List<ModuleLink>> proven = new HashMap<>();
        private final Map<String, Set<String>> signatures = new LinkedHashMap<>();
        private final Set<String> lost = new TreeSet<>();

        KmpJudge(InstalledTarget view, ModulesDirectory directory, KmpModules modules, LinkBatch loose, int threads) {
            this.view = view;
            this.kernel = new LinkSimulation(view, directory, threads);
            this.modules = modules;
            this.loose = loose.provenOn(view);
        }

        KmpAnswer judgePresent(Collection<Kmp> present) {
            KmpAnswer answer = judge(present);
            lost.addAll(answer.broken());
            return answer;
        }

        Set<String> lost() {
            return lost;
        }

        /**
         * Chooses the packages that can be linked together, and gives the reasons against the others. If two packages
         * have a module of the same name, the first package is preferred.
         */
        KmpAnswer judge(Collection<Kmp> kmps) {
            List<ModuleLink> links = new ArrayList<>();
            List<Candidate> candidates = new ArrayList<>();
            List<String> labels = new ArrayList<>();
            Map<String, List<String>> refusals = new HashMap<>();
            for (Kmp kmp : kmps) {
                if (!modules.isUsable(kmp)) {
                    refusals.put(kmp.id(), List.of(kmp.id() + ": not all of its modules can be read"));
                    continue;
                }
                for (ModuleLink link : modules.of(kmp, view, proven)) {
                    links.add(link);
                    candidates.add(new Candidate(link.module(), kmp.id(), false));
                    labels.add(kmp.id());
                }
            }
            for (ModuleLink link : loose) {
                if (link.readable()) {
                    links.add(link);
                    candidates.add(Candidate.of(link.module()));
                    labels.add(link.place());
                }
            }
            return answer(links, labels, kernel.choose(candidates, Set.of()), refusals);
        }

        private KmpAnswer answer(
                List<ModuleLink> links, List<String> labels, Selection selection, Map<String, List<String>> refusals) {
            Set<String> accepted = new LinkedHashSet<>(labels);
            Set<String> refused = new HashSet<>();
            Set<String> broken = new HashSet<>();
            for (int i = 0; i < links.size(); i++) {
                Selection.LinkDecision decision = selection.decisions().get(i);
                if (!decision.chosen()) {
                    accepted.remove(labels.get(i));
                    if (decision.isRefused()) {
                        refused.add(labels.get(i));
                    } else if (decision.status() instanceof TrialOutcome.Breaks breaks) {
                        broken.addAll(breaks.own());
                    }
                    refusals.computeIfAbsent(labels.get(i), label -> new ArrayList<>())
                            .addAll(RefusalLines.of(links.get(i), decision));
                    noteSignature(labels.get(i), links.get(i), decision);
                }
            }
            return new KmpAnswer(Set.copyOf(accepted), refused, Map.copyOf(refusals), broken);
        }

        private void noteSignature(String label, ModuleLink link, Selection.LinkDecision decision) {
            String words = SignatureWords.of(decision.verdict());
            if (words != null) {
                signatures
                        .computeIfAbsent(label, first -> new LinkedHashSet<>())
                        .add(link.target() + ": " + words);
            }
        }

        /** Returns the signature problems found so far, by package id, or by path for a link without a package. */
        Map<String, Set<String>> signatures() {
            return signatures;
        }

        /**
         * Returns the reasons why {@code added} cannot be linked together with the packages {@code present}; empty if
         * there are none. The packages {@code without} are the part of {@code present} that {@code added} replaces.
         */
        List<String> objections(Collection<Kmp> present, Collection<Kmp> without, Kmp added) {
            List<Kmp> tried = new ArrayList<>(List.of(added));
            Set<String> expendable = new HashSet<>();
            for (Kmp kmp : without) {
                expendable.add(kmp.id());
            }
            for (Kmp kmp : present) {
                if (!without.contains(kmp)) {
                    tried.add(kmp);
                }
            }
            KmpAnswer after = judge(tried);
            if (!after.accepted().contains(added.id())) {
                return after.refusals().getOrDefault(added.id(), List.of());
            }
            List<String> lost = new ArrayList<>();
            for (String label : judgePresent(present).accepted()) {
                if (!after.accepted().contains(label) && !expendable.contains(label)) {
                    lost.add(added.id() + ": " + label + " would no longer load");
                }
            }
            lost.sort(null);
            return lost;
        }

        /**
         * Explains why a module is not linked. Lines about symbols use the wording of depmod(8), which scripts search
         * for.
         */
        private static final class RefusalLines {
            private RefusalLines() {}

            static List<String> of(ModuleLink link, Selection.LinkDecision decision) {
                TrialOutcome status = decision.status();
                if (status instanceof TrialOutcome.Breaks breaks) {
                    return List.of(link.target()
                            + ": these modules of the kernel would no longer load: "
                            + String.join(", ", breaks.own()));
                }
                if (status instanceof TrialOutcome.GroupFails) {
                    return List.of(link.target() + ": other modules of its package cannot be linked");
                }
                Verdict verdict = decision.verdict();
                if (verdict.outcome() == Outcome.COMPATIBLE) {
                    return List.of(link.target() + ": conflicts with other linked modules");
                }
                return of(link.target(), verdict);
            }

            private static List<String> of(String file, Verdict verdict) {
                List<String> lines = new ArrayList<>();
                for (Finding finding : verdict.findings()) {
                    if (finding.effect() == Finding.Effect.REFUSES) {
                        String what = aboutSymbol(finding);
                        if (what != null) {
                            lines.add(file + " " + what);
                        }
                    }
                }
                return lines.isEmpty() ? List.of(file + ": " + VerdictReason.of(verdict)) : lines;
            }

            private static @Nullable String aboutSymbol(Finding finding) {
                String symbol = finding.layer() == Layer.MODULE_LAYOUT ? "module_layout" : finding.symbol();
                if (symbol == null) {
                    return null;
                }
                return switch (finding.layer()) {
                    case SYMBOL_MISSING -> "needs unknown symbol " + symbol;
                    case SYMBOL_CRC, SYMBOL_VERSION, MODULE_LAYOUT -> "disagrees about version of symbol " + symbol;
                    default -> null;
                };
            }
        }
    }
}
