package dev.weaklink.links;

import dev.weaklink.kernel.ExportTable;
import dev.weaklink.links.CandidateFilter.Entry;
import dev.weaklink.links.CandidateFilter.LinkGroup;
import dev.weaklink.links.CandidateFilter.Withheld;
import dev.weaklink.links.OutOfTreeBuilds.Offer;
import dev.weaklink.links.plan.Decision.LinkBlocker;
import dev.weaklink.module.KernelModule;
import dev.weaklink.module.SymbolNames;
import dev.weaklink.rules.Attributed;
import dev.weaklink.rules.Product;
import dev.weaklink.rules.Product.LinkPolicy;
import dev.weaklink.rules.Rules;
import dev.weaklink.rules.Rules.Pin;
import dev.weaklink.rules.Rules.Severity;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The rules that decide whether a single build may be linked into one kernel. */
final class LinkRules {
    private final Products products;
    private final Rules rules;
    private final String kernel;
    private final SymbolNotes symbols;

    /**
     * The kernels whose builds a product accepts, in the product's order of preference; the key is the product's id.
     */
    private final Map<String, List<String>> providers = new HashMap<>();

    LinkRules(Products products, String kernel, SymbolNotes symbols) {
        this.products = products;
        this.rules = products.rules();
        this.kernel = kernel;
        this.symbols = symbols;
    }

    List<Offer> inOrder(List<Offer> preferredFirst) {
        Set<String> releases = new LinkedHashSet<>();
        for (Offer offer : preferredFirst) {
            releases.add(offer.build().release());
        }
        Map<Offer, Integer> ranks = new IdentityHashMap<>();
        for (Offer offer : preferredFirst) {
            Product product = products.of(offer);
            List<String> order =
                    providers.computeIfAbsent(product.id(), id -> product.inOrder(kernel, List.copyOf(releases)));
            int rank = order.indexOf(offer.build().release());
            ranks.put(offer, rank < 0 ? Integer.MAX_VALUE : rank);
        }
        List<Offer> sorted = new ArrayList<>(preferredFirst);
        sorted.sort(Comparator.comparingInt(offer -> ranks.getOrDefault(offer, 0)));
        return sorted;
    }

    /**
     * Returns the reason why the build may not be linked; null if there is no such reason. The caller must have called
     * {@link #inOrder} before.
     */
    @Nullable
    Withheld objection(Offer offer) {
        Product product = products.of(offer);
        String name = offer.build().name();
        if (!offer.build().isLinkable()) {
            String place = offer.build().place();
            String where =
                    place.indexOf('/') < 0 ? "its kernel's top directory" : place.substring(0, place.lastIndexOf('/'));
            return new Withheld(
                    offer,
                    LinkBlocker.WITHHELD,
                    "the build is in " + where
                            + ", but links are only made to modules in extra and updates; install a build for this"
                            + " kernel with the product's own installer");
        }
        Attributed<Pin> pin = rules.pinOf(name, offer.unit(), kernel);
        if (pin != null && !pin.value().allowsProvider(offer.build().release())) {
            String said = pin.says("only builds for " + pin.value().providerWords());
            return new Withheld(offer, LinkBlocker.WITHHELD, said);
        }
        if (!providers
                .getOrDefault(product.id(), List.of())
                .contains(offer.build().release())) {
            String said =
                    product.provider().says("no builds for " + offer.build().release());
            return new Withheld(offer, LinkBlocker.WITHHELD, said);
        }
        Attributed<LinkPolicy> link = rules.linkPolicy(name, offer.unit(), kernel, product);
        if (link.value() != LinkPolicy.YES) {
            boolean isAsked = link.value() == LinkPolicy.ASK;
            String said = link.says("link: " + link.value().id());
            return new Withheld(
                    offer,
                    isAsked ? LinkBlocker.WITHHELD : LinkBlocker.REBUILT,
                    isAsked ? said + ": to link the module, add a pin with 'link: yes'" : said);
        }
        String dkms = products.autoinstalled(offer);
        if (dkms != null && link.isByDefault()) {
            String said =
                    "DKMS builds the module from " + dkms + " for each kernel; a rule 'link: yes' makes a link instead";
            return new Withheld(offer, LinkBlocker.BUILT_BY_DKMS, said);
        }
        String failing = symbols.about(offer.module(), Severity.FAIL);
        return failing == null ? null : new Withheld(offer, LinkBlocker.REBUILT, failing);
    }

    Entry entry(Offer offer) {
        Product product = products.of(offer);
        return new Entry(
                offer,
                product,
                group(offer),
                rules.linksUndetermined(offer.build().name(), offer.unit(), kernel, product),
                rules.findingsOf(offer.build().name(), offer.unit(), kernel),
                symbols.about(offer.module(), Severity.NOTE));
    }

    /**
     * Returns the group that contains this build and is linked as a whole or not at all; null if the build is linked
     * alone.
     */
    @Nullable
    LinkGroup group(Offer offer) {
        Product product = products.of(offer);
        List<String> required = product.required().value();
        String release = offer.build().release();
        boolean isWhole = product.isWhole();
        boolean isRequired = required.contains(offer.build().name()) || (isWhole && products.hasAny(offer, required));
        if (isRequired) {
            return new LinkGroup("product " + product.id() + " " + release, LinkBlocker.INCOMPLETE);
        }
        if (isWhole) {
            return new LinkGroup("unit " + offer.unit().name() + " " + release, LinkBlocker.INCOMPLETE);
        }
        String dependents = product.isInParts() ? null : products.dependents(offer);
        return dependents == null ? null : new LinkGroup(dependents, LinkBlocker.PARTIAL);
    }

    record SymbolNotes(Rules rules, ExportTable exports) {
        private static final int MOST_NAMES = 3;

        /**
         * Returns a clause about the imported symbols to which the rules give this severity, with at most three names;
         * null if there are no such symbols.
         *
         * @param severity {@link Severity#FAIL} or {@link Severity#NOTE}
         */
        @Nullable
        String about(KernelModule module, Severity severity) {
            if (rules.symbols().isEmpty()) {
                return null;
            }
            List<String> names = new ArrayList<>();
            Attributed<Severity> first = null;
            SymbolNames imports = module.imports().names();
            for (int i = 0; i < imports.size(); i++) {
                int row = exports.find(imports, i);
                Attributed<Severity> said = severity(imports.name(i), row);
                if (said.value() == severity) {
                    names.add(imports.name(i));
                    first = first == null ? said : first;
                }
            }
            return first == null
                    ? null
                    : "it uses " + listed(names) + ", for which "
                            + first.says(first.value().id());
        }

        private Attributed<Severity> severity(String symbol, int row) {
            return row < 0
                    ? rules.severity(symbol, null, null)
                    : rules.severity(symbol, exports.owner(row), exports.namespace(row));
        }

        private static String listed(List<String> names) {
            if (names.size() <= MOST_NAMES) {
                return String.join(", ", names);
            }
            int more = names.size() - MOST_NAMES;
            return String.join(", ", names.subList(0, MOST_NAMES)) + " and " + more + " more";
        }
    }
}
