package dev.weaklink.rebuild;

import dev.weaklink.system.ModuleNames;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * The comparison of a rebuild's result with the modules that were installed before, and with the packages of the
 * installation image of Mellanox. All lists are sorted.
 *
 * @param packages the packages ({@link ModulePackages#subjects}) that the image contains and the result lacks, except
 *     allowed ones; empty if the result contains no packages
 * @param modules the installed modules of the product that were not built, except allowed ones
 * @param dependants the installed modules of other products that use rebuilt modules and were not built
 * @param allowed the missing packages and modules that the user allowed to be missing
 */
public record Completeness(List<String> packages, List<String> modules, List<String> dependants, List<String> allowed) {
    public Completeness {
        packages = List.copyOf(packages);
        modules = List.copyOf(modules);
        dependants = List.copyOf(dependants);
        allowed = List.copyOf(allowed);
    }

    /**
     * Compares a rebuild with the image and the installed modules.
     *
     * @param imagePackages the file names of the packages with modules in the installation image of Mellanox; empty if
     *     the build uses no image
     * @param resultPackages the package files of the result
     * @param installed the installed out-of-tree modules
     * @param built the names of the modules in the result
     * @param belonging the names of the modules in the last successful build of the same product
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
     * Returns this comparison with these names moved from the missing packages and modules to {@link #allowed}.
     *
     * @param names the names of modules and packages; {@code '-'} and {@code '_'} are equivalent
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

    /** Returns the names of missing packages and modules that the user did not allow to be missing, sorted. */
    public List<String> missing() {
        Set<String> missing = new TreeSet<>(packages);
        missing.addAll(modules);
        return new ArrayList<>(missing);
    }

    /**
     * Returns the directories ({@link BuiltModule#unit}) of the installed modules that were rebuilt. Leaves out the
     * directory {@code dkms}, because several DKMS packages share it.
     */
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

    public boolean isComplete() {
        return packages.isEmpty() && modules.isEmpty();
    }
}
