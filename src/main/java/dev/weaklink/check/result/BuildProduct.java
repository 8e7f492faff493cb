package dev.weaklink.check.result;

import dev.weaklink.check.result.MatrixReport.Row;
import dev.weaklink.rules.KernelRequirements;
import dev.weaklink.rules.NamePattern;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * A product: builds that replace each other, because they have the same modules or because the site's requirements
 * group them.
 *
 * @param name the name in the requirements, else the packages' common name if it is unique, else the modules' names
 * @param builds the builds in the order of the report; empty if a required product has no build
 */
public record BuildProduct(String name, List<Row> builds) {
    private static final int MAX_NAMES = 3;

    public BuildProduct {
        builds = List.copyOf(builds);
    }

    static List<BuildProduct> of(List<Row> builds, KernelRequirements requirements) {
        List<BuildProduct> products = new ArrayList<>();
        Set<Row> named = new HashSet<>();
        requirements.products().forEach((name, patterns) -> {
            List<Row> members =
                    builds.stream().filter(build -> isNamed(build, patterns)).toList();
            named.addAll(members);
            products.add(new BuildProduct(name, members));
        });
        Map<Set<String>, List<Row>> bySet = new LinkedHashMap<>();
        for (Row build : builds) {
            if (!named.contains(build)) {
                bySet.computeIfAbsent(build.moduleNames(), none -> new ArrayList<>())
                        .add(build);
            }
        }
        Map<String, Integer> uses = new HashMap<>();
        bySet.values().forEach(members -> uses.merge(packageName(members), 1, Integer::sum));
        bySet.forEach((modules, members) -> {
            String name = packageName(members);
            boolean unique = !name.isEmpty() && uses.getOrDefault(name, 0) == 1;
            products.add(new BuildProduct(unique ? name : joined(modules), members));
        });
        return List.copyOf(products);
    }

    private static boolean isNamed(Row build, List<NamePattern> patterns) {
        return patterns.stream()
                .anyMatch(pattern -> pattern.matches(build.name())
                        || build.moduleNames().stream().anyMatch(NamePattern.ofModule(pattern.text())::matches));
    }

    private static String packageName(List<Row> builds) {
        Set<String> names = new TreeSet<>();
        builds.forEach(build -> names.add(build.name()));
        return names.size() == 1 ? names.iterator().next() : "";
    }

    private static String joined(Set<String> modules) {
        List<String> names = List.copyOf(modules);
        int more = names.size() - MAX_NAMES;
        return more <= 1
                ? String.join(", ", names)
                : String.join(", ", names.subList(0, MAX_NAMES)) + " and " + more + " more";
    }
}
