package dev.weaklink.check.result;

import dev.weaklink.kernel.KernelReleaseOrder;
import dev.weaklink.sys.InputProblem;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Which builds of modules fit a kernel.
 *
 * @param target the kernel, null if it could not be read
 * @param builds the best first
 * @param problems what could not be used
 */
public record MatchReport(
    @Nullable TargetSummary target, List<BuildMatch> builds, List<InputProblem> problems) {
  /** How it fits, then whether it was made for this very kernel, then the newest. */
  private static final Comparator<BuildMatch> BEST_FIRST =
      Comparator.comparing(BuildMatch::fit)
          .thenComparing(BuildMatch::exact, Comparator.reverseOrder())
          .thenComparing(BuildMatch::version, KernelReleaseOrder.INSTANCE.reversed())
          .thenComparing(BuildMatch::file);

  public MatchReport {
    builds = builds.stream().sorted(BEST_FIRST).toList();
    problems = List.copyOf(problems);
  }

  /** Those to install: the best of all that fit, and of the others what has other modules. */
  public List<BuildMatch> advised() {
    List<BuildMatch> advised = new ArrayList<>();
    Set<String> taken = new HashSet<>();
    Set<String> files = new HashSet<>();
    int before = -1;
    // what needs others comes after them
    while (before != advised.size()) {
      before = advised.size();
      for (BuildMatch build : builds) {
        if (build.fit() == BuildMatch.Fit.FITS
            && files.containsAll(build.together())
            && Collections.disjoint(taken, build.modules())) {
          advised.add(build);
          taken.addAll(build.modules());
          files.add(build.file());
        }
      }
    }
    return advised;
  }

  /** 0 if there is something to install. */
  public ExitCode exitCode() {
    if (target == null || builds.isEmpty()) {
      return ExitCode.UNUSABLE;
    }
    return switch (builds.get(0).fit()) {
      case FITS -> InputProblem.matter(problems) ? ExitCode.UNDETERMINED : ExitCode.COMPATIBLE;
      case UNDETERMINED -> ExitCode.UNDETERMINED;
      case REFUSED -> ExitCode.INCOMPATIBLE;
      case EMPTY -> ExitCode.UNUSABLE;
    };
  }
}
