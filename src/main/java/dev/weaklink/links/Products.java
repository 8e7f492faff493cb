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

/**
 * The product of each build. The rules assign a product to all builds of a unit ({@link Rules.RuleUnit}), such as a
 * package, for one kernel.
 */
final class Products {
    private record UnitKey(String unit, String release) {}

    private final Rules rules;
    private final Map<UnitKey, List<String>> modules = new HashMap<>();
    private final Map<UnitKey, Product> found = new HashMap<>();
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

    Product of(Offer offer) {
        return found.computeIfAbsent(
                key(offer),
                key -> rules.productOf(offer.unit(), modules.getOrDefault(key, List.of()))
                        .product());
    }

    boolean hasAny(Offer offer, List<String> names) {
        return modules.getOrDefault(key(offer), List.of()).stream().anyMatch(module -> names.contains(module));
    }

    @Nullable
    String dependents(Offer offer) {
        return dependent.group(offer);
    }

    /**
     * Returns the DKMS package to which the build belongs if DKMS builds it for every installed kernel; otherwise null.
     * A link would keep {@code dkms autoinstall} from building the module.
     */
    @Nullable
    String autoinstalled(Offer offer) {
        DkmsPackage owner = dkms.ownerOf(offer.build().inside());
        return owner != null && owner.autoinstall() ? owner.label() : null;
    }

    Unit unit(Offer offer) {
        Product product = of(offer);
        boolean isKnown = !product.id().equals(Product.GENERIC);
        return new Unit(offer.unit().name(), isKnown ? product.id() : null);
    }

    private static UnitKey key(Offer offer) {
        return new UnitKey(offer.unit().name(), offer.build().release());
    }

    /**
     * Groups of builds that depend on one another. All builds of a group are for one kernel. They are from one package
     * or, if no package is known, from one directory.
     */
    private static final class DependentModules {
        private final Map<String, String> groups = new HashMap<>();

        DependentModules(List<Offer> offers) {
            Map<UnitKey, List<Offer>> together = new LinkedHashMap<>();
            for (Offer offer : offers) {
                String name = offer.unit().packageName();
                String unit = name == null ? String.valueOf(offer.unit().directory()) : "package " + name;
                together.computeIfAbsent(new UnitKey(unit, offer.build().release()), key -> new ArrayList<>())
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

        @Nullable
        String group(Offer offer) {
            return groups.get(offer.build().inside());
        }
    }
}
