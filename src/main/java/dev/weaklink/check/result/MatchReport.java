package dev.weaklink.check.result;

import dev.weaklink.kernel.KernelReleaseOrder;
import dev.weaklink.sys.InputProblem;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The report on how well builds of modules fit a kernel.
 *
 * @param target the kernel, null if no single kernel could be found and read
 * @param builds the builds, the best first
 * @param wanted the names of the requested modules, with underscores; empty for all
 * @param problems the inputs that could not be used
 */
public record MatchReport(
        @Nullable TargetSummary target, List<BuildMatch> builds, Set<String> wanted, List<InputProblem> problems) {
    private static final Comparator<BuildMatch> BEST_FIRST = Comparator.comparing(BuildMatch::fit)
            .thenComparing(BuildMatch::exact, Comparator.reverseOrder())
            .thenComparing(BuildMatch::version, KernelReleaseOrder.INSTANCE.reversed())
            .thenComparing(BuildMatch::file);

    public MatchReport {
        wanted = Collections.unmodifiableSet(new TreeSet<>(wanted));
        builds = compared(builds, wanted).stream().sorted(BEST_FIRST).toList();
        problems = List.copyOf(problems);
    }

    /**
     * Adds to each build the names of the modules that the build lacks. Builds of one version of a product should have
     * the same modules. A build with fewer modules is left over from an incomplete build, or was configured to omit
     * some.
     */
    private static List<BuildMatch> compared(List<BuildMatch> builds, Set<String> wanted) {
        Map<List<String>, Set<String>> alike = new HashMap<>();
        for (BuildMatch build : builds) {
            for (List<String> key : keys(build)) {
                alike.computeIfAbsent(key, none -> new HashSet<>())
                        .addAll(build.modules().keySet());
            }
        }
        List<BuildMatch> compared = new ArrayList<>();
        for (BuildMatch build : builds) {
            Set<String> lacks = new TreeSet<>();
            keys(build).forEach(key -> lacks.addAll(alike.getOrDefault(key, Set.of())));
            lacks.removeAll(build.modules().keySet());
            if (!wanted.isEmpty()) {
                lacks.retainAll(wanted);
            }
            compared.add(build.lacking(lacks));
        }
        return compared;
    }

    private static List<List<String>> keys(BuildMatch build) {
        List<List<String>> keys = new ArrayList<>();
        build.modules().forEach((module, of) -> keys.add(List.of(build.name(), build.version(), module, of)));
        return keys;
    }

    /**
     * Returns the requested modules that no build in {@link #advised} contains. If no modules are requested and a build
     * is advised, returns the modules of each build that shares no module with any advised build.
     */
    public Set<String> missing() {
        List<BuildMatch> advised = advised();
        Set<String> found = new TreeSet<>();
        advised.forEach(build -> found.addAll(build.modules().keySet()));
        Set<String> missing = new TreeSet<>(wanted);
        missing.removeAll(found);
        if (wanted.isEmpty() && !advised.isEmpty()) {
            for (BuildMatch build : builds) {
                if (Collections.disjoint(found, build.modules().keySet())) {
                    missing.addAll(build.modules().keySet());
                }
            }
        }
        return missing;
    }

    public boolean isOther(BuildMatch build) {
        return !wanted.isEmpty() && Collections.disjoint(wanted, build.modules().keySet());
    }

    public List<BuildMatch> advised() {
        List<BuildMatch> advised = fitting();
        while (advised.removeIf(build -> isOther(build) && !isNeeded(build, advised))) {
            // repeats, because a removed build no longer needs others
        }
        return advised;
    }

    /**
     * Returns builds that fit and share no module with each other. Prefers the best builds, unless other builds contain
     * more of the requested modules.
     */
    public List<BuildMatch> fitting() {
        List<BuildMatch> best = fitting(builds);
        if (wanted.isEmpty() || requested(best) == wanted.size()) {
            return best;
        }
        List<BuildMatch> mostFirst = new ArrayList<>(builds);
        mostFirst.sort(Comparator.comparing(build -> -requested(List.of(build))));
        List<BuildMatch> most = fitting(mostFirst);
        return requested(most) > requested(best) ? most : best;
    }

    private int requested(List<BuildMatch> some) {
        Set<String> found = new HashSet<>();
        some.forEach(build -> found.addAll(build.modules().keySet()));
        found.retainAll(wanted);
        return found.size();
    }

    private static List<BuildMatch> fitting(List<BuildMatch> builds) {
        List<BuildMatch> advised = new ArrayList<>();
        Set<String> taken = new HashSet<>();
        Set<String> files = new HashSet<>();
        int before = -1;
        // repeats, because a build may be added only after the builds that it needs
        while (before != advised.size()) {
            before = advised.size();
            for (BuildMatch build : builds) {
                if (build.fit() == BuildMatch.BuildFit.FITS
                        && files.containsAll(build.together())
                        && Collections.disjoint(taken, build.modules().keySet())) {
                    advised.add(build);
                    taken.addAll(build.modules().keySet());
                    files.add(build.file());
                }
            }
        }
        return advised;
    }

    private static boolean isNeeded(BuildMatch build, List<BuildMatch> advised) {
        return advised.stream().anyMatch(other -> other.together().contains(build.file()));
    }

    public ExitCode exitCode() {
        if (target == null || builds.isEmpty()) {
            return ExitCode.UNUSABLE;
        }
        return switch (builds.get(0).fit()) {
            case FITS ->
                !missing().isEmpty()
                        ? withoutThem()
                        : InputProblem.matter(problems) ? ExitCode.UNDETERMINED : ExitCode.COMPATIBLE;
            case UNDETERMINED -> ExitCode.UNDETERMINED;
            case INCOMPLETE, REFUSED -> ExitCode.INCOMPATIBLE;
            case EMPTY -> ExitCode.UNUSABLE;
        };
    }

    private ExitCode withoutThem() {
        Set<String> missing = missing();
        boolean possible = builds.stream()
                .anyMatch(build -> build.fit() == BuildMatch.BuildFit.UNDETERMINED
                        && !Collections.disjoint(missing, build.modules().keySet()));
        return possible ? ExitCode.UNDETERMINED : ExitCode.INCOMPATIBLE;
    }
}
