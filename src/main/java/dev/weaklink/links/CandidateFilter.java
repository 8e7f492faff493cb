package dev.weaklink.links;

import dev.weaklink.links.OutOfTreeBuilds.Offer;
import dev.weaklink.links.plan.Decision.LinkBlocker;
import dev.weaklink.loader.Finding;
import dev.weaklink.loader.Verdict;
import dev.weaklink.rules.Attributed;
import dev.weaklink.rules.Product;
import dev.weaklink.rules.Rules.FindingRule;
import dev.weaklink.rules.Rules.Severity;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** The builds of other kernels, divided into candidates for links and builds that must not be linked. */
final class CandidateFilter {
    /**
     * A candidate: a build that may be linked if the loader accepts it.
     *
     * @param group the group of builds that must be linked together, including this build; null if the build is linked
     *     alone
     * @param acceptUndetermined true if the build may be linked although its verdict is undetermined
     * @param findings the rules that assign severities to the loader's findings about this build
     * @param note a rule's remark about linking the build, null if there is none
     */
    record Entry(
            Offer offer,
            Product product,
            @Nullable LinkGroup group,
            boolean acceptUndetermined,
            List<FindingRule> findings,
            @Nullable String note) {
        @Nullable
        String raised(Verdict verdict) {
            for (Finding finding : verdict.findings()) {
                Attributed<Severity> said =
                        FindingRule.first(findings, finding.kind().id());
                if (said != null && said.value() == Severity.FAIL) {
                    return said.says(
                            said.value().id() + " for " + finding.kind().id());
                }
            }
            return null;
        }

        boolean passesSome() {
            return findings.stream().anyMatch(FindingRule::passes);
        }

        boolean passes(Verdict verdict) {
            for (Finding finding : verdict.findings()) {
                if (finding.effect() == Finding.Effect.UNPROVEN) {
                    Attributed<Severity> said =
                            FindingRule.first(findings, finding.kind().id());
                    if (said == null || said.value() != Severity.PASS) {
                        return acceptUndetermined;
                    }
                }
            }
            return true;
        }

        String name() {
            return offer.build().name();
        }
    }

    /**
     * A group of builds that are linked together or not at all.
     *
     * @param name a unique name
     * @param blocker the reason not to link the group's builds if one of them cannot be linked
     */
    record LinkGroup(String name, LinkBlocker blocker) {}

    record Withheld(Offer offer, LinkBlocker blocker, String reason) {}

    private final List<Entry> entries;
    private final List<Withheld> withheld;
    private final Set<String> ownNames;

    private CandidateFilter(List<Entry> entries, List<Withheld> withheld, Set<String> ownNames) {
        this.entries = entries;
        this.withheld = withheld;
        this.ownNames = ownNames;
    }

    static CandidateFilter make(LinkRules rules, List<Offer> offers, List<Offer> unreadable, List<Offer> own) {
        List<Entry> entries = new ArrayList<>();
        List<Withheld> withheld = new ArrayList<>();
        for (Offer offer : rules.inOrder(offers)) {
            Withheld out = rules.objection(offer);
            if (out == null) {
                entries.add(rules.entry(offer));
            } else {
                withheld.add(out);
            }
        }
        CandidateFilter list = new CandidateFilter(entries, withheld, OutOfTreeBuilds.names(own));
        list.withholdSeconds();
        list.withholdIncompleteGroups(rules, unreadable);
        list.withholdLacking(unreadable);
        return list;
    }

    List<Entry> entries() {
        return List.copyOf(entries);
    }

    List<Withheld> withheld() {
        return List.copyOf(withheld);
    }

    static Set<String> mayBreak(List<Entry> entries) {
        Set<String> names = new TreeSet<>();
        for (Entry entry : entries) {
            names.addAll(entry.product().mayBreak().value());
        }
        return names;
    }

    List<Withheld> unmet(List<Entry> candidates, Set<String> linked) {
        List<Withheld> unmet = new ArrayList<>();
        for (Entry entry : candidates) {
            String missing = missing(entry.product(), linked);
            if (missing != null && linked.contains(entry.name())) {
                String reason = requires(entry.product(), missing) + ", which cannot be linked";
                unmet.add(new Withheld(entry.offer(), LinkBlocker.INCOMPLETE, reason));
            }
        }
        return unmet;
    }

    private @Nullable String missing(Product product, Set<String> present) {
        for (String name : product.required().value()) {
            if (!present.contains(name) && !ownNames.contains(name)) {
                return name;
            }
        }
        return null;
    }

    private static String requires(Product product, String module) {
        return product.required().says(product.id() + " requires " + module);
    }

    /** Withholds all but the first build of each module in a group, because depmod would choose only one build. */
    private void withholdSeconds() {
        Map<List<String>, Entry> first = new LinkedHashMap<>();
        for (Entry entry : List.copyOf(entries)) {
            LinkGroup group = entry.group();
            Entry earlier = group == null ? null : first.putIfAbsent(List.of(group.name(), entry.name()), entry);
            if (earlier != null) {
                String reason = "the product has another build of this module, which is preferred: "
                        + earlier.offer().build().inside();
                withhold(entry, LinkBlocker.WITHHELD, reason);
            }
        }
    }

    private void withholdIncompleteGroups(LinkRules rules, List<Offer> unreadable) {
        Map<LinkGroup, String> broken = new LinkedHashMap<>();
        for (Withheld out : withheld) {
            LinkGroup group = rules.group(out.offer());
            if (group != null && !isThere(group, out.offer().build().name())) {
                broken.putIfAbsent(group, out.offer().build().name() + ": " + out.reason());
            }
        }
        for (Offer offer : unreadable) {
            LinkGroup group = rules.group(offer);
            if (group != null) {
                broken.putIfAbsent(group, offer.build().inside() + " cannot be read");
            }
        }
        for (Entry entry : List.copyOf(entries)) {
            LinkGroup group = entry.group();
            String why = group == null ? null : broken.get(group);
            if (group != null && why != null) {
                withhold(entry, group.blocker(), "other modules of this product cannot be linked: " + why);
            }
        }
    }

    private boolean isThere(LinkGroup group, String name) {
        return entries.stream()
                .anyMatch(entry -> group.equals(entry.group()) && entry.name().equals(name));
    }

    private void withholdLacking(List<Offer> unreadable) {
        Set<String> present = new HashSet<>();
        for (Entry entry : entries) {
            present.add(entry.name());
        }
        Set<String> known = OutOfTreeBuilds.names(unreadable);
        known.addAll(present);
        withheld.forEach(out -> known.add(out.offer().build().name()));
        for (Entry entry : List.copyOf(entries)) {
            String missing = missing(entry.product(), present);
            if (missing != null) {
                boolean isKnown = known.contains(missing);
                String what = isKnown ? ", which cannot be linked" : ", which is missing";
                withhold(
                        entry,
                        isKnown ? LinkBlocker.INCOMPLETE : LinkBlocker.LACKING,
                        requires(entry.product(), missing) + what);
            }
        }
    }

    private void withhold(Entry entry, LinkBlocker blocker, String reason) {
        entries.remove(entry);
        withheld.add(new Withheld(entry.offer(), blocker, reason));
    }
}
