package dev.weaklink.check;

import dev.weaklink.check.SignatureCheck.GivenCertificates;
import dev.weaklink.check.result.BuildMatch;
import dev.weaklink.check.result.MatchReport;
import dev.weaklink.check.result.Tally;
import dev.weaklink.format.archive.PackageFile;
import dev.weaklink.format.archive.PackageInfo;
import dev.weaklink.format.archive.PackageReader;
import dev.weaklink.format.archive.PackageReader.PackageLimits;
import dev.weaklink.loader.Finding.Provider;
import dev.weaklink.loader.Verdict;
import dev.weaklink.module.KernelModule;
import dev.weaklink.sys.InputProblem;
import dev.weaklink.sys.Progress;
import dev.weaklink.sys.Root;
import dev.weaklink.sys.UnreadableException;
import dev.weaklink.system.BuildSearch;
import dev.weaklink.system.BuildSearch.Build;
import dev.weaklink.system.GivenPackages;
import dev.weaklink.system.ModuleArguments;
import dev.weaklink.system.ModuleSource;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Finds builds of modules that fit a kernel, among the files below given paths. */
public final class Matcher {
    private static final Pattern MODULE = Pattern.compile("[A-Za-z0-9_-]+");

    record BuildModules(Build build, List<ModuleSource> modules) {}

    private final CheckRequest request;
    private final List<InputProblem> problems = new ArrayList<>();
    private final Set<String> wanted = new TreeSet<>();

    private Root root = Root.HOST;

    private Matcher(CheckRequest request) {
        this.request = request;
    }

    /**
     * Judges every build separately. A build that needs symbols of another build is judged again together with the
     * builds that fit.
     *
     * @param request the request; its modules are paths to search and names of wanted modules. It names at most one
     *     kernel; the default is the newest installed kernel
     */
    public static MatchReport match(CheckRequest request) {
        return new Matcher(request).run();
    }

    private MatchReport run() {
        Root given = root();
        CheckTarget target = given == null ? null : target(given);
        if (given == null || target == null) {
            return new MatchReport(null, List.of(), Set.of(), problems);
        }
        root = given;
        TrustedKeys keys = target.keys(
                GivenCertificates.read(request.certificates(), problems), request.root() == null ? Root.HOST : null);
        CauseSource.TargetCauses explainer =
                request.explain() ? request.reading().causesOn(root, request.store(), target) : null;
        List<BuildModules> candidates = new ArrayList<>();
        for (String place : places()) {
            List<InputProblem> met = new ArrayList<>();
            candidates.addAll(candidates(BuildSearch.below(place, met), request, problems));
            problems.addAll(met);
        }
        List<BuildMatch> builds = match(candidates, keys, explainer);
        if (builds.isEmpty() && !InputProblem.matter(problems)) {
            problems.add(new InputProblem(request.modules().get(0), "contains no modules"));
        }
        List<String> notes = explainer == null ? List.of() : explainer.notes();
        return new MatchReport(target.summary().explained(notes), builds, wanted, problems);
    }

    /**
     * Returns the paths to search. Arguments that look like module names and do not exist as files are the requested
     * modules. If all arguments are such names, they count as paths.
     */
    private List<String> places() {
        List<String> places = new ArrayList<>(request.modules());
        places.removeIf(word -> MODULE.matcher(word).matches() && !Files.exists(Path.of(word)));
        if (places.isEmpty()) {
            return request.modules();
        }
        request.modules().stream()
                .filter(word -> !places.contains(word))
                .forEach(word -> wanted.add(word.replace('-', '_')));
        return places;
    }

    static List<BuildModules> candidates(List<Build> builds, CheckRequest request, List<InputProblem> problems) {
        List<BuildModules> candidates = new ArrayList<>();
        for (Build build : builds) {
            ModuleArguments found = ModuleArguments.of(build, request.reading().packages());
            problems.addAll(found.problems());
            if (!found.modules().isEmpty()) {
                candidates.add(new BuildModules(build, found.modules()));
            }
        }
        return candidates;
    }

    private @Nullable Root root() {
        try {
            return request.root() == null ? Root.HOST : Root.of(request.root());
        } catch (IOException e) {
            problems.add(new InputProblem("--root", String.valueOf(e.getMessage())));
            return null;
        }
    }

    private @Nullable CheckTarget target(Root root) {
        GivenPackages packages = request.reading().packages();
        packages.readAll(request.kernels(), Progress.NONE);
        List<CheckTarget> targets = CheckInput.open(request, root, packages, problems);
        if (targets.size() > 1) {
            problems.add(new InputProblem(
                    targets.get(1).summary().label(), "is a second kernel; with --best, give only one"));
            return null;
        }
        return targets.isEmpty() ? null : targets.get(0);
    }

    private List<BuildMatch> match(
            List<BuildModules> candidates, TrustedKeys keys, CauseSource.@Nullable TargetCauses explainer) {
        BuildMatch[] matches = new BuildMatch[candidates.size()];
        for (int i = 0; i < matches.length; i++) {
            matches[i] = match(candidates.get(i), List.of(), keys, explainer);
        }
        for (boolean more = true; more; ) {
            more = false;
            List<BuildMatch> advised = new MatchReport(null, Arrays.asList(matches), wanted, problems).fitting();
            for (int i = 0; i < matches.length; i++) {
                if (!matches[i].mayNeedOthers()) {
                    continue;
                }
                List<BuildModules> others = others(matches[i], advised, candidates, matches);
                BuildMatch with = match(candidates.get(i), others, keys, explainer);
                if (with.fit() == BuildMatch.BuildFit.FITS && !with.together().isEmpty()) {
                    matches[i] = with;
                    more = true;
                }
            }
        }
        return Arrays.asList(matches);
    }

    /** Returns the builds in {@code advised} that share no module with this build. */
    private static List<BuildModules> others(
            BuildMatch build, List<BuildMatch> advised, List<BuildModules> candidates, BuildMatch[] matches) {
        List<BuildModules> others = new ArrayList<>();
        for (int i = 0; i < matches.length; i++) {
            if (advised.contains(matches[i])
                    && Collections.disjoint(
                            matches[i].modules().keySet(), build.modules().keySet())) {
                others.add(candidates.get(i));
            }
        }
        return others;
    }

    private BuildMatch match(
            BuildModules candidate,
            List<BuildModules> others,
            TrustedKeys keys,
            CauseSource.@Nullable TargetCauses explainer) {
        CheckTarget target = keys.target();
        int own = candidate.modules().size();
        List<ModuleSource> all = new ArrayList<>(candidate.modules());
        others.forEach(other -> all.addAll(other.modules()));
        ModuleFacts reading = ModuleFacts.read(ModuleFacts.inputs(all), request.reading());
        addFailures(reading);
        SignatureCheck.Proofs proofs = SignatureCheck.run(keys, reading);
        List<Verdict> verdicts =
                Judge.files(root, target, reading, proofs, request).subList(0, own);
        if (explainer != null) {
            verdicts = explainer.explain(verdicts);
        }
        Map<String, String> modules = new TreeMap<>();
        for (int i = 0; i < own; i++) {
            KernelModule module = reading.module(i);
            if (module != null) {
                String version = module.modInfo().first("version");
                modules.put(module.name(), Objects.requireNonNullElse(version, ""));
            }
        }
        Set<String> builtFor = builtFor(reading, own);
        Build build = candidate.build();
        PackageInfo info = info(build);
        return new BuildMatch(
                build.file(),
                info == null ? "" : info.name(),
                info == null ? "" : info.version(),
                List.copyOf(builtFor),
                builtFor.equals(
                        Set.of(Objects.requireNonNullElse(target.kernel().release(), ""))),
                modules,
                List.of(),
                Tally.of(verdicts),
                BuildMatch.worst(verdicts),
                together(verdicts, others));
    }

    private void addFailures(ModuleFacts reading) {
        List<InputProblem> failures = new ArrayList<>();
        Checker.addFailures(reading, failures);
        failures.removeAll(problems);
        problems.addAll(failures);
    }

    static Set<String> builtFor(ModuleFacts reading, int count) {
        Set<String> builtFor = new TreeSet<>();
        for (int i = 0; i < count; i++) {
            KernelModule module = reading.module(i);
            String release = module == null ? null : module.release();
            if (release != null) {
                builtFor.add(release);
            }
        }
        return builtFor;
    }

    private static List<String> together(List<Verdict> verdicts, List<BuildModules> others) {
        Set<String> providers = new HashSet<>();
        for (Verdict verdict : verdicts) {
            for (Provider provider : verdict.providers()) {
                providers.add(provider.file());
            }
        }
        Set<String> together = new TreeSet<>();
        for (BuildModules other : others) {
            for (ModuleSource module : other.modules()) {
                if (providers.contains(module.origin().toString())) {
                    together.add(other.build().file());
                }
            }
        }
        return List.copyOf(together);
    }

    static @Nullable PackageInfo info(Build build) {
        if (!build.packaged()) {
            return null;
        }
        try (PackageFile open = PackageReader.open(Path.of(build.file()), PackageLimits.DEFAULT)) {
            return open.info();
        } catch (UnreadableException e) {
            // The search for the package's modules has already reported the damage.
            return null;
        }
    }
}
