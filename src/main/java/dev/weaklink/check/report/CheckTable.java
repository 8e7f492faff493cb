package dev.weaklink.check.report;

import dev.weaklink.check.report.SummaryFooter.Unchecked;
import dev.weaklink.check.result.CheckReport;
import dev.weaklink.check.result.FewestCauses.Explanation;
import dev.weaklink.check.result.FindingText;
import dev.weaklink.check.result.ModuleUse;
import dev.weaklink.check.result.ReasonGroup;
import dev.weaklink.check.result.RefusalCause;
import dev.weaklink.check.result.TargetSummary;
import dev.weaklink.check.result.Verdicts;
import dev.weaklink.kernel.LoaderBehavior;
import dev.weaklink.kernel.LoaderRule;
import dev.weaklink.loader.CauseText;
import dev.weaklink.loader.CrcCause;
import dev.weaklink.loader.Finding;
import dev.weaklink.loader.Finding.Effect;
import dev.weaklink.loader.Finding.Provider;
import dev.weaklink.loader.FindingKind;
import dev.weaklink.loader.Outcome;
import dev.weaklink.loader.TypeChange;
import dev.weaklink.loader.Verdict;
import dev.weaklink.module.Origin;
import dev.weaklink.report.Page;
import dev.weaklink.report.Style;
import dev.weaklink.report.TableOptions;
import dev.weaklink.sys.Escape;
import dev.weaklink.sys.Numbers;
import dev.weaklink.system.TargetKind;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** Renders a check for people: for each target its facts, the reasons for refusals, and the counts. */
public final class CheckTable {
    private static final int FEW = 20;

    private static final int VERY_FEW = 3;

    private static final int MOST_PACKAGES = 12;

    private final Page page;

    public CheckTable(TableOptions options) {
        page = new Page(options);
    }

    public String render(CheckReport report) {
        if (report.verdicts().isEmpty() && !report.problems().isEmpty()) {
            return ""; // no module was judged, and the problems give the reason
        }
        for (String judged : report.judged()) {
            page.line(Escape.text(judged));
        }
        packages(report.verdicts());
        for (TargetSummary target : report.targets()) {
            target(target, report.verdictsOn(target));
        }
        if (!report.verdicts().isEmpty()) {
            SummaryFooter.write(page, report);
        }
        return page.text();
    }

    private void target(TargetSummary target, List<Verdict> verdicts) {
        page.gap();
        head(target, verdicts);
        ModuleUse use = target.use();
        if (use != null && !use.lines().isEmpty()) {
            page.gap();
            (page.verbose() ? use.allLines() : use.lines()).forEach(page::line);
            page.gap();
        }
        List<Verdict> refused = only(Outcome.INCOMPATIBLE, verdicts);
        if (refused.size() > 1) {
            Reasons.writeRefused(page, refused);
        }
        if (verdicts.size() <= FEW || page.verbose()) {
            ModuleLines.write(page, verdicts, refused.size() > VERY_FEW && !page.verbose());
        } else {
            Reasons.writeUndetermined(page, only(Outcome.UNDETERMINED, verdicts));
            List<Verdict> breaking = new ArrayList<>(verdicts);
            breaking.removeIf(verdict -> !verdict.breaksOthers());
            ModuleLines.write(page, breaking, false);
        }
        Unchecked.write(page, verdicts);
    }

    private static List<Verdict> only(Outcome outcome, List<Verdict> verdicts) {
        List<Verdict> selected = new ArrayList<>();
        for (Verdict verdict : verdicts) {
            if (verdict.outcome() == outcome) {
                selected.add(verdict);
            }
        }
        return selected;
    }

    private void head(TargetSummary target, List<Verdict> verdicts) {
        boolean ofModules = target.ownModules() > 0
                || target.kind() == TargetKind.INSTALLED_KERNEL
                || target.kind() == TargetKind.PACKAGE;
        page.line(page.styled(Style.HEADING, Escape.text(target.label()))
                + " ("
                + target.kind().words()
                + "): "
                + Numbers.of(target.vmlinuxExports(), "symbol")
                + " of vmlinux"
                + (ofModules ? ", " + Numbers.of(target.ownModules(), "module") + " of its own" : ""));
        if (target.symvers() != null && !target.symvers().equals(target.label())) {
            page.line("  symbols from " + Escape.text(target.symvers()));
        }
        Set<String> used = new HashSet<>();
        for (Verdict verdict : verdicts) {
            used.addAll(verdict.assumed());
        }
        for (LoaderRule rule : LoaderRule.values()) {
            LoaderBehavior.Setting setting = target.rules().setting(rule);
            if (setting.assumed() && (page.verbose() || used.contains(rule.id()))) {
                page.sentence(
                        2, "assumed:", Escape.text(rule.id() + "=" + setting.value() + ", " + setting.evidence()));
            }
        }
        for (String note : target.allNotes()) {
            page.sentence(2, "note:", Escape.text(note));
        }
    }

    private void packages(Iterable<Verdict> verdicts) {
        Set<String> lines = new LinkedHashSet<>();
        for (Verdict verdict : verdicts) {
            Origin.Owner owner = verdict.module().origin().owner();
            if (owner != null) {
                lines.add(line(owner));
            }
        }
        int shown = page.verbose() || lines.size() <= MOST_PACKAGES + 1 ? lines.size() : MOST_PACKAGES;
        for (String line : lines) {
            if (shown-- > 0) {
                page.line("modules of " + line);
            }
        }
        if (shown < 0) {
            page.line("and of " + Numbers.of(-shown, "other package") + ": see --verbose");
        }
    }

    private static String line(Origin.Owner owner) {
        String name = Escape.text(owner.name() + " " + owner.version()) + " (" + owner.kind();
        String product = owner.product();
        return product == null || product.equals(owner.name())
                ? name + ")"
                : name + ", product " + Escape.text(product) + ")";
    }

    private static final class Reasons {
        private static final int MOST_GROUPS = 10;
        private static final int MOST_CRCS = 3;

        private Reasons() {}

        static void writeRefused(Page page, List<Verdict> refused) {
            List<ReasonGroup> groups = ReasonGroup.ofRefused(refused);
            int shown = page.verbose() ? groups.size() : Math.min(MOST_GROUPS, groups.size());
            for (int i = 0; i < shown; i++) {
                page.gap();
                write(page, groups.get(i), refused.size(), i == 0);
            }
            int left = 0;
            for (ReasonGroup group : groups.subList(shown, groups.size())) {
                left += group.modules().size();
            }
            if (left > 0) {
                page.gap();
                page.line(Numbers.of(groups.size() - shown, "further cause")
                        + " for the remaining "
                        + Numbers.of(left, "refused module")
                        + ": see --verbose");
            }
        }

        private static void write(Page page, ReasonGroup group, int refused, boolean first) {
            page.line(page.styled(Style.BAD, group.reason()) + ": accounts for " + group.share(refused, first));
            if (!group.wants().isEmpty()) {
                page.line("  wanted " + few(group.wants()) + "; " + few(group.offers()));
            }
            CrcCause cause = group.cause();
            if (cause != null) {
                CauseText.members(cause.change(), page.verbose()).forEach(line -> page.line("  " + line));
                boolean guess = cause.certainty() == CrcCause.Certainty.GUESS;
                boolean likely = guess || cause.certainty() == CrcCause.Certainty.LIKELY;
                page.sentence(2, "", (guess ? "a guess: " : likely ? "most likely " : "") + CauseText.path(cause));
                if (likely && !cause.others().isEmpty()) {
                    TypeChange second = cause.others().get(0);
                    String title = Escape.text(second.title());
                    page.line("  may also be due to " + title + ", " + CauseText.kind(second));
                }
            }
            if (group.dmesg() != null) {
                page.line("  dmesg: " + group.dmesg());
            }
            modules(page, group);
        }

        private static String few(List<String> values) {
            if (values.size() <= MOST_CRCS) {
                return String.join(" or ", values);
            }
            return String.join(" or ", values.subList(0, MOST_CRCS)) + " or " + (values.size() - MOST_CRCS) + " others";
        }

        static void writeUndetermined(Page page, List<Verdict> undetermined) {
            List<ReasonGroup> groups = ReasonGroup.ofUndetermined(undetermined);
            int shown = 0;
            for (ReasonGroup group : groups) {
                page.gap();
                if (shown++ == MOST_GROUPS) {
                    page.line(Numbers.of(groups.size() - MOST_GROUPS, "further reason")
                            + " for undetermined modules: see --verbose");
                    return;
                }
                page.line(page.styled(Style.UNSURE, Numbers.of(group.modules().size(), "undetermined module"))
                        + ": "
                        + group.reason());
                modules(page, group);
            }
        }

        private static void modules(Page page, ReasonGroup group) {
            page.wrapped(2, "modules:", page.shortened(group.modules()), ",");
        }
    }

    private static final class ModuleLines {
        private static final int MOST_FINDINGS = 8;
        private static final int OUTCOME_WIDTH = Outcome.INCOMPATIBLE.name().length();

        private ModuleLines() {}

        static void write(Page page, List<Verdict> verdicts, boolean brief) {
            page.gap();
            for (Verdict verdict : verdicts) {
                String head = outcome(page, verdict.outcome())
                        + "  "
                        + Escape.bytes(verdict.module().name())
                        + FindingText.errno(verdict);
                if (brief && verdict.outcome() == Outcome.INCOMPATIBLE) {
                    page.line(head + ": " + reason(verdict));
                    continue;
                }
                page.line(head
                        + "  "
                        + page.styled(
                                Style.FAINT,
                                Escape.text(verdict.module().origin().toString())));
                findings(page, verdict);
                broken(page, verdict);
                if (page.verbose() && !verdict.providers().isEmpty()) {
                    page.wrapped(4, "uses:", providers(verdict.providers()), ",");
                }
            }
        }

        private static String reason(Verdict verdict) {
            Set<RefusalCause> causes = new LinkedHashSet<>();
            for (Finding finding : verdict.findings()) {
                if (finding.effect() == Effect.REFUSES) {
                    causes.add(RefusalCause.of(finding));
                }
            }
            if (causes.isEmpty()) {
                return "no reason given";
            }
            String first = new Explanation(causes.iterator().next(), List.of(verdict), 1).clause();
            return causes.size() == 1 ? first : first + ", and " + Numbers.of(causes.size() - 1, "other reason");
        }

        private static String outcome(Page page, Outcome outcome) {
            String word = page.styled(style(outcome), outcome.name());
            return word + " ".repeat(OUTCOME_WIDTH - outcome.name().length());
        }

        private static Style style(Outcome outcome) {
            return switch (outcome) {
                case COMPATIBLE -> Style.GOOD;
                case INCOMPATIBLE -> Style.BAD;
                case UNDETERMINED -> Style.UNSURE;
            };
        }

        private static void findings(Page page, Verdict verdict) {
            List<Finding> telling = telling(page, verdict);
            int shown = page.verbose() || telling.size() <= MOST_FINDINGS + 1 ? telling.size() : MOST_FINDINGS;
            boolean dmesg = false;
            for (Finding finding : telling.subList(0, shown)) {
                page.sentence(4, "", FindingText.line(finding));
                if (finding.dmesg() != null && (page.verbose() || !dmesg)) {
                    dmesg = true;
                    page.line("      dmesg: " + Escape.bytes(finding.dmesg()));
                }
            }
            if (shown < telling.size()) {
                page.line("    and " + (telling.size() - shown) + " more: see --verbose");
            }
            for (Finding finding : verdict.findings()) {
                // the module may load if the missing module is checked, too
                if (!page.verbose() && finding.kind() == FindingKind.DEPENDENCY_ABSENT) {
                    page.sentence(4, "", FindingText.line(finding));
                }
            }
        }

        private static void broken(Page page, Verdict verdict) {
            List<String> names = Verdicts.broken(List.of(verdict));
            if (names.isEmpty()) {
                return;
            }
            page.sentence(
                    4,
                    page.styled(Style.BAD, "BREAKS"),
                    Numbers.of(names.size(), "module") + " that would no longer load if this module is installed:");
            names(page, "in use on this machine:", Verdicts.brokenInUse(List.of(verdict)));
            List<Finding> users = new ArrayList<>();
            List<String> others = new ArrayList<>();
            for (Finding finding : verdict.findings()) {
                if (finding.importer() != null && names.contains(finding.exporter())) {
                    others.add(finding.importer().name());
                } else if (finding.importer() != null) {
                    users.add(finding);
                }
            }
            int shown = page.verbose() || users.size() <= MOST_FINDINGS + 1 ? users.size() : MOST_FINDINGS;
            for (Finding finding : users.subList(0, shown)) {
                String name = finding.importer() == null
                        ? ""
                        : Escape.bytes(finding.importer().name());
                String dmesg = finding.dmesg() == null ? "" : ": " + Escape.bytes(finding.dmesg());
                page.line("      " + name + " (" + finding.errno() + ")" + dmesg);
            }
            if (shown < users.size()) {
                page.line("      and " + (users.size() - shown) + " more: see --verbose");
            }
            names(page, others.size() + (others.size() == 1 ? " needs" : " need") + " these:", others);
        }

        private static void names(Page page, String first, Collection<String> names) {
            List<String> words = new ArrayList<>();
            for (String name : names) {
                if (page.verbose() || words.size() < MOST_FINDINGS || names.size() == MOST_FINDINGS + 1) {
                    words.add(Escape.bytes(name));
                }
            }
            if (words.size() < names.size()) {
                words.add("and " + (names.size() - words.size()) + " more: see --verbose");
            }
            if (!words.isEmpty()) {
                page.wrapped(6, first, words, ",");
            }
        }

        private static List<Finding> telling(Page page, Verdict verdict) {
            Effect wanted = switch (verdict.outcome()) {
                case COMPATIBLE -> Effect.NOTE;
                case INCOMPATIBLE -> Effect.REFUSES;
                case UNDETERMINED -> Effect.UNPROVEN;
            };
            List<Finding> telling = new ArrayList<>();
            for (Finding finding : verdict.findings()) {
                if ((page.verbose() || finding.effect() == wanted) && finding.effect() != Effect.BREAKS) {
                    telling.add(finding);
                }
            }
            return telling;
        }

        private static List<String> providers(List<Provider> providers) {
            List<String> names = new ArrayList<>();
            for (Provider provider : providers) {
                names.add(Escape.bytes(provider.name()) + (provider.given() ? " (given)" : " (the kernel's)"));
            }
            return names;
        }
    }
}
