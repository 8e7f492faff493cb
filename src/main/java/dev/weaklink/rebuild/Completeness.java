package dev.weaklink.rebuild;

import dev.weaklink.system.ModuleNames;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * Whether a rebuild has everything that was there before.
 *
 * @param packages subjects of packages that the image had and the result has not, sorted
 * @param modules modules that were installed with the same product and were not built, sorted
 * @param dependants installed modules of others that use rebuilt ones and were not built, sorted
 * @param allowed what would be among the packages or modules, and may be missing, sorted
 */
public record Completeness(List<String> packages, List<String> modules, List<String> dependants, List<String> allowed) {
    public Completeness {
        packages = List.copyOf(packages);
        modules = List.copyOf(modules);
        dependants = List.copyOf(dependants);
        allowed = List.copyOf(allowed);
    }

    /**
     * Compares.
     *
     * @param imagePackages package files of the image, empty if there was none
     * @param resultPackages package files of the result
     * @param installed out-of-tree modules that are installed
     * @param built names of the modules in the result
     * @param belonging names of the modules that the last build of the same product had
     */
    public static Completeness of(
            List<String> imagePackages,
            List<String> resultPackages,
            List<BuiltModule> installed,
            Collection<String> built,
            Collection<String> belonging) {
        Set<String> packages = new TreeSet<>();
        if (!resultPackages.isEmpty()) {
            packages.addAll(ModulePackages.subjects(imagePackages));
            packages.removeAll(ModulePackages.subjects(resultPackages));
        }
        Set<String> units = unitsOf(installed, built);
        units.addAll(ModulePackages.subjects(imagePackages));
        Set<String> modules = new TreeSet<>();
        Set<String> dependants = new TreeSet<>();
        for (BuiltModule module : installed) {
            if (built.contains(module.name())) {
                continue;
            }
            if (units.contains(module.unit()) || belonging.contains(module.name())) {
                modules.add(module.name());
            } else if (usesOneOf(module, built)) {
                dependants.add(module.name());
            }
        }
        return new Completeness(
                new ArrayList<>(packages), new ArrayList<>(modules), new ArrayList<>(dependants), List.of());
    }

    /**
     * The same where some may be missing.
     *
     * @param names of modules and packages; {@code '-'} and {@code '_'} are one
     */
    public Completeness allowing(Collection<String> names) {
        Set<String> given = new TreeSet<>();
        names.forEach(name -> given.add(ModuleNames.normalized(name)));
        Set<String> excused = new TreeSet<>();
        List<String> packagesLeft = left(packages, given, excused);
        List<String> modulesLeft = left(modules, given, excused);
        return new Completeness(packagesLeft, modulesLeft, dependants, new ArrayList<>(excused));
    }

    private static List<String> left(List<String> names, Set<String> given, Set<String> excused) {
        List<String> left = new ArrayList<>();
        for (String name : names) {
            if (given.contains(ModuleNames.normalized(name))) {
                excused.add(name);
            } else {
                left.add(name);
            }
        }
        return left;
    }

    /** What went missing and must not, sorted: names of packages and modules. */
    public List<String> missing() {
        Set<String> missing = new TreeSet<>(packages);
        missing.addAll(modules);
        return new ArrayList<>(missing);
    }

    /** Directories of a product: modules that DKMS built lie in one with those of all others. */
    private static Set<String> unitsOf(List<BuiltModule> installed, Collection<String> built) {
        Set<String> units = new TreeSet<>();
        for (BuiltModule module : installed) {
            boolean own = !module.unit().isEmpty() && !module.unit().equals("dkms");
            if (own && built.contains(module.name())) {
                units.add(module.unit());
            }
        }
        return units;
    }

    private static boolean usesOneOf(BuiltModule module, Collection<String> built) {
        return module.depends().stream().anyMatch(name -> built.contains(name));
    }

    /** Whether nothing that belonged to it went missing. */
    public boolean isComplete() {
        return packages.isEmpty() && modules.isEmpty();
    }
}
