package dev.weaklink.links;

import dev.weaklink.check.result.ExitCode;
import dev.weaklink.links.plan.AuditedLink;
import dev.weaklink.sys.InputProblem;
import dev.weaklink.sys.Root;
import java.util.LinkedHashSet;
import java.util.List;

/**
 * The links of a root.
 *
 * @param root the tree they are in
 * @param links by kernel from old to new, then by path
 * @param needsDepmod kernels whose modules.dep lacks links, or lists some that are gone
 * @param interrupted whether a killed process left a transaction unfinished; a problem says so
 * @param problems what could not be read, each once
 */
public record AuditResult(
    Root root,
    List<AuditedLink> links,
    List<String> needsDepmod,
    boolean interrupted,
    List<InputProblem> problems) {
  public AuditResult {
    links = List.copyOf(links);
    needsDepmod = List.copyOf(needsDepmod);
    problems = List.copyOf(new LinkedHashSet<>(problems));
  }

  /** What a caller learns from the exit status alone. */
  public ExitCode exitCode() {
    if (interrupted || !needsDepmod.isEmpty()) {
      return ExitCode.INCOMPATIBLE;
    }
    boolean doubt = !problems.isEmpty();
    for (AuditedLink link : links) {
      if (link.isDefective()) {
        return ExitCode.INCOMPATIBLE;
      }
      doubt |= link.isDoubtful();
    }
    return doubt ? ExitCode.UNDETERMINED : ExitCode.COMPATIBLE;
  }
}
