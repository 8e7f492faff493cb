package dev.weaklink.links;

import dev.weaklink.links.OutOfTreeBuilds.Offer;
import dev.weaklink.links.plan.ModulePlan.Unit;
import dev.weaklink.loader.DependencyGroups;
import dev.weaklink.module.KernelModule;
import dev.weaklink.rules.Product;
import dev.weaklink.rules.Rules;
import dev.weaklink.system.DkmsTree;
import dev.weaklink.system.DkmsTree.DkmsPackage;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Which product each unit of builds is, as rules recognise it. Pure. */
final class Products {
    private record Key(String unit, String release) {}

    private final Rules rules;
    private final Map<Key, List<String>> modules = new HashMap<>();
    private final Map<Key, Product> found = new HashMap<>();
    private final DependentModules dependent;
    private final DkmsTree dkms;

    Products(Rules rules, List<Offer> offers, DkmsTree dkms) {
        this.rules = rules;
        this.dkms = dkms;
        dependent = new DependentModules(offers);
        for (Offer offer : offers) {
            modules.computeIfAbsent(key(offer), k -> new ArrayList<>())
                    .add(offer.build().name());
        }
    }

    Rules rules() {
        return rules;
    }

    /** The product of a build; the generic one if it is of no other. */
    Product of(Offer offer) {
        return found.computeIfAbsent(
                key(offer),
                key -> rules.productOf(offer.unit(), modules.getOrDefault(key, List.of()))
                        .product());
    }

    /** Whether the unit of a build, as built for the same kernel, has any of these modules. */
    boolean hasAny(Offer offer, List<String> names) {
        return modules.getOrDefault(key(offer), List.of()).stream().anyMatch(module -> names.contains(module));
    }

    /** Which of the builds that depend on one another have this one; null if none. */
    @Nullable
    String dependents(Offer offer) {
        return dependent.group(offer);
    }

    /**
     * The package that DKMS builds a module from whenever a kernel is installed; null if DKMS does not own it, or
     * builds it only when asked to. A link would keep {@code dkms autoinstall} from its work.
     */
    @Nullable
    String autoinstalled(Offer offer) {
        DkmsPackage owner = dkms.ownerOf(offer.build().inside());
        return owner != null && owner.autoinstall() ? owner.label() : null;
    }

    /** What plans call the unit of a build. */
    Unit unit(Offer offer) {
        Product product = of(offer);
        boolean isKnown = !product.id().equals(Product.GENERIC);
        return new Unit(offer.unit().name(), isKnown ? product.id() : null);
    }

    private static Key key(Offer offer) {
        return new Key(offer.unit().name(), offer.build().release());
    }

    /**
     * Which builds depend on one another, among those that were installed together: by one package, else in one
     * directory, for one kernel. Pure.
     */
    private static final class DependentModules {
        private record Key(String unit, String release) {}

        private final Map<String, String> groups = new HashMap<>();

        DependentModules(List<Offer> offers) {
            Map<Key, List<Offer>> together = new LinkedHashMap<>();
            for (Offer offer : offers) {
                String name = offer.unit().packageName();
                String unit = name == null ? String.valueOf(offer.unit().directory()) : "package " + name;
                together.computeIfAbsent(new Key(unit, offer.build().release()), key -> new ArrayList<>())
                        .add(offer);
            }
            together.values().forEach(this::add);
        }

        private void add(List<Offer> offers) {
            List<KernelModule> modules = OutOfTreeBuilds.modules(offers);
            for (List<Integer> group : DependencyGroups.connected(modules)) {
                for (int member : group.size() == 1 ? List.<Integer>of() : group) {
                    groups.put(
                            offers.get(member).build().inside(),
                            offers.get(group.get(0)).build().inside());
                }
            }
        }

        /** The same for all that depend on one another; null for one that does not. */
        @Nullable
        String group(Offer offer) {
            return groups.get(offer.build().inside());
        }
    }
}
