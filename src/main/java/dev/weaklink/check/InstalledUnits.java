package dev.weaklink.check;

import dev.weaklink.rules.Rules.RuleUnit;
import dev.weaklink.sys.InputProblem;
import dev.weaklink.sys.Root;
import dev.weaklink.system.ModuleBuilds.ModuleBuild;
import dev.weaklink.system.RpmDatabase;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Finds the units in which builds were installed: an rpm package, else a directory such as {@code extra/foo}, else the
 * single module.
 */
public final class InstalledUnits {
    private static final String DKMS = "dkms";

    private InstalledUnits() {}

    /**
     * Returns the unit of each build.
     *
     * @param problems receives the reason why the rpm database could not be queried; units are then directories or
     *     modules
     */
    public static List<RuleUnit> of(Root root, List<ModuleBuild> builds, List<InputProblem> problems) {
        Map<String, String> packages = packages(root, builds, problems);
        List<RuleUnit> units = new ArrayList<>();
        for (ModuleBuild build : builds) {
            units.add(of(build, packages.get(build.inside())));
        }
        return units;
    }

    private static Map<String, String> packages(Root root, List<ModuleBuild> builds, List<InputProblem> problems) {
        List<String> files = new ArrayList<>();
        for (ModuleBuild build : builds) {
            files.add(build.inside());
        }
        try {
            RpmDatabase database = files.isEmpty() ? null : RpmDatabase.find(root);
            return database == null ? Map.of() : database.owners(files);
        } catch (IOException e) {
            problems.add(new InputProblem(
                    "rpm database", e.getMessage() + "; modules are grouped by directory, not by package"));
            return Map.of();
        }
    }

    static RuleUnit of(ModuleBuild build, @Nullable String packageName) {
        boolean isBelowKernel = build.place().startsWith("kernel/");
        String directory = isBelowKernel ? "kernel/" + build.directory() : directory(build);
        if (packageName != null) {
            return new RuleUnit(packageName, packageName, directory);
        }
        boolean isOwn = directory.indexOf('/') > 0 && !isBelowKernel && !directory.endsWith("/" + DKMS);
        return new RuleUnit(isOwn ? directory : build.name(), null, directory);
    }

    /** Returns the first two directories of the path, such as {@code extra/foo}, or fewer if the path has fewer. */
    private static String directory(ModuleBuild build) {
        String place = build.place();
        int first = place.indexOf('/');
        int second = place.indexOf('/', first + 1);
        return place.substring(0, second < 0 ? Math.max(first, 0) : second);
    }
}
