package dev.weaklink.check;

import dev.weaklink.archive.PackageFile;
import dev.weaklink.archive.PackageInfo;
import dev.weaklink.archive.PackageLimits;
import dev.weaklink.archive.PackageReader;
import dev.weaklink.archive.UnreadablePackageException;
import dev.weaklink.check.result.BuildMatch;
import dev.weaklink.check.result.MatchReport;
import dev.weaklink.check.result.Tally;
import dev.weaklink.load.Verdict;
import dev.weaklink.module.KernelModule;
import dev.weaklink.source.Build;
import dev.weaklink.source.BuildSearch;
import dev.weaklink.source.GivenPackages;
import dev.weaklink.source.ModuleArguments;
import dev.weaklink.sys.InputProblem;
import dev.weaklink.sys.Progress;
import dev.weaklink.sys.Root;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Says which of the builds of modules in some place fit a kernel. */
public final class Matcher {
  private final CheckRequest request;
  private final List<InputProblem> problems = new ArrayList<>();

  private Matcher(CheckRequest request) {
    this.request = request;
  }

  /**
   * Judges every build by itself, one after the other.
   *
   * @param request its modules are the places to look in; one kernel, or none for the newest
   */
  public static MatchReport match(CheckRequest request) {
    return new Matcher(request).run();
  }

  private MatchReport run() {
    Root root = root();
    OpenTarget target = root == null ? null : target(root);
    if (root == null || target == null) {
      return new MatchReport(null, List.of(), problems);
    }
    TargetKeys keys =
        target.keys(
            GivenCertificates.read(request.certificates(), problems),
            request.root() == null ? Root.HOST : null);
    RefusalExplainer explainer =
        request.explain()
            ? new RefusalExplainer(root, request.store(), target, request.reading())
            : null;
    List<BuildMatch> builds = new ArrayList<>();
    for (String place : request.modules()) {
      List<InputProblem> met = new ArrayList<>();
      for (Build build : BuildSearch.below(place, met)) {
        ModuleArguments found = ModuleArguments.of(build, request.reading().packages());
        problems.addAll(found.problems());
        // Most packages of a repository have no modules.
        if (!found.modules().isEmpty()) {
          builds.add(match(build, found, keys, explainer));
        }
      }
      problems.addAll(met);
    }
    if (builds.isEmpty() && problems.isEmpty()) {
      problems.add(new InputProblem(request.modules().get(0), "no modules in it"));
    }
    List<String> notes = explainer == null ? List.of() : explainer.notes();
    return new MatchReport(target.summary().explained(notes), builds, problems);
  }

  private @Nullable Root root() {
    try {
      return request.root() == null ? Root.HOST : Root.of(request.root());
    } catch (IOException e) {
      problems.add(new InputProblem("--root", String.valueOf(e.getMessage())));
      return null;
    }
  }

  private @Nullable OpenTarget target(Root root) {
    GivenPackages packages = request.reading().packages();
    packages.readAll(request.kernels(), Progress.NONE);
    List<OpenTarget> targets = Checker.open(request, root, packages, problems);
    if (targets.size() > 1) {
      problems.add(
          new InputProblem(
              targets.get(1).summary().label(), "a second kernel; builds are matched with one"));
      return null;
    }
    return targets.isEmpty() ? null : targets.get(0);
  }

  private BuildMatch match(
      Build build, ModuleArguments found, TargetKeys keys, @Nullable RefusalExplainer explainer) {
    OpenTarget target = keys.target();
    ModuleFacts reading = ModuleFacts.read(Checker.sources(found.modules()), request.reading());
    List<Verdict> verdicts = new ArrayList<>();
    SignatureCheck.Proofs proofs = SignatureCheck.run(keys, reading);
    Checker.judge(target, reading, proofs, request, verdicts);
    if (explainer != null) {
      verdicts = explainer.explain(verdicts);
    }
    Set<String> names = new TreeSet<>();
    Set<String> builtFor = new TreeSet<>();
    for (int i = 0; i < reading.size(); i++) {
      KernelModule module = reading.module(i);
      if (module != null) {
        names.add(module.name());
        String release = module.release();
        if (release != null) {
          builtFor.add(release);
        }
      }
    }
    PackageInfo info = build.packaged() ? info(build.file()) : null;
    return new BuildMatch(
        build.file(),
        info == null ? "" : info.name(),
        info == null ? "" : info.version(),
        List.copyOf(builtFor),
        builtFor.equals(Set.of(Objects.requireNonNullElse(target.kernel().release(), ""))),
        names,
        Tally.of(verdicts),
        BuildMatch.worst(verdicts));
  }

  private static @Nullable PackageInfo info(String file) {
    try (PackageFile open = PackageReader.open(Path.of(file), PackageLimits.DEFAULT)) {
      return open.info();
    } catch (UnreadablePackageException e) {
      // It has been reported when its modules were looked for.
      return null;
    }
  }
}
