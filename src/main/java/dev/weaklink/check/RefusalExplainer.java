package dev.weaklink.check;

import dev.weaklink.explain.CauseFinder;
import dev.weaklink.explain.CrcCause;
import dev.weaklink.explain.KernelDifference;
import dev.weaklink.kernel.ExportTable;
import dev.weaklink.load.Finding;
import dev.weaklink.load.FindingKind;
import dev.weaklink.load.Verdict;
import dev.weaklink.source.InstalledKernels;
import dev.weaklink.source.TargetKind;
import dev.weaklink.sys.BackgroundTask;
import dev.weaklink.sys.Numbers;
import dev.weaklink.sys.Root;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Finds out why the CRCs that refused modules want differ from a kernel's: by the types of
 * installed kernels that have the CRCs wanted, those that the modules were built for first.
 */
final class RefusalExplainer {
  /** Kernels whose types are read for one target; each takes a second. */
  private static final int MOST_KERNELS = 4;

  /** What a module wants. */
  private record Import(String symbol, String crc) {}

  /** An older kernel, and what finds causes by its types. */
  private record Older(ExportTable exports, KernelDifference.Causes causes) {}

  private final Root root;
  private final StoredTargets store;
  private final OpenTarget target;
  private final Map<String, Optional<Older>> read = new HashMap<>();
  private @Nullable TypedKernel newer;

  /**
   * For verdicts on one kernel.
   *
   * @param given where stored kernels are, null for the root's own
   */
  RefusalExplainer(Root root, @Nullable Path given, OpenTarget target) {
    this.root = root;
    this.store = StoredTargets.in(root, given, new ArrayList<>());
    this.target = target;
  }

  /**
   * Adds causes to the findings about CRCs.
   *
   * @param notes takes what is not known, and why
   */
  List<Verdict> explain(List<Verdict> verdicts, List<String> notes) {
    Set<Import> open = new LinkedHashSet<>();
    Map<String, Integer> releases = new TreeMap<>();
    for (Verdict verdict : verdicts) {
      boolean found = false;
      for (Finding finding : verdict.findings()) {
        if (isAboutCrc(finding)) {
          open.add(wanted(finding));
          found = true;
        }
      }
      String release = verdict.module().release();
      if (found && release != null) {
        releases.merge(release, 1, Integer::sum);
      }
    }
    if (open.isEmpty()) {
      return verdicts;
    }
    Map<Import, CrcCause> causes = causes(kernels(releases), open, notes);
    if (!open.isEmpty() && !read.values().stream().allMatch(Optional::isEmpty)) {
      notes.add("no cause found for " + Numbers.of(open.size(), "changed symbol"));
    }
    List<Verdict> explained = new ArrayList<>(verdicts.size());
    for (Verdict verdict : verdicts) {
      explained.add(with(causes, verdict));
    }
    return explained;
  }

  private static boolean isAboutCrc(Finding finding) {
    return (finding.kind() == FindingKind.SYMBOL_CRC_MISMATCH
            || finding.kind() == FindingKind.LAYOUT_CRC_MISMATCH)
        && finding.symbol() != null
        && finding.wants() != null;
  }

  private static Import wanted(Finding finding) {
    return new Import(String.valueOf(finding.symbol()), String.valueOf(finding.wants()));
  }

  private static Verdict with(Map<Import, CrcCause> causes, Verdict verdict) {
    List<Finding> findings = new ArrayList<>(verdict.findings());
    findings.replaceAll(
        finding -> {
          CrcCause cause = isAboutCrc(finding) ? causes.get(wanted(finding)) : null;
          return cause == null ? finding : finding.with(cause);
        });
    return verdict.withFindings(findings);
  }

  /** Those that most modules were built for first, then the others from new to old. */
  private List<String> kernels(Map<String, Integer> releases) {
    List<String> kernels = new ArrayList<>(releases.keySet());
    kernels.sort(Comparator.comparing(releases::get, Comparator.reverseOrder()));
    try {
      List<String> installed = new ArrayList<>(InstalledKernels.list(root));
      Collections.reverse(installed);
      kernels.addAll(installed);
    } catch (IOException e) {
      // The kernels that modules were built for remain.
    }
    String own = target.kernel().release();
    return kernels.stream().distinct().filter(kernel -> !kernel.equals(own)).toList();
  }

  /** Finds causes; imports that have one are no longer open. */
  private Map<Import, CrcCause> causes(List<String> kernels, Set<Import> open, List<String> notes) {
    Map<Import, CrcCause> causes = new HashMap<>();
    List<String> compared = new ArrayList<>();
    for (String kernel : kernels) {
      boolean goesOn = compared.size() < MOST_KERNELS && !open.isEmpty();
      Older older = goesOn ? older(kernel) : null;
      if (older != null) {
        compared.add(kernel);
        addCauses(older, open, causes);
      }
    }
    if (newer != null) {
      notes.addAll(newer.notes());
    }
    notes.add(
        compared.isEmpty()
            ? "why CRCs changed is unknown: no kernel is installed that has those CRCs and type"
                + " information; 'weaklink explain MODULE --from OLD --to NEW' takes images and"
                + " packages"
            : "causes from the types of " + String.join(", ", compared) + " and this kernel");
    return causes;
  }

  private @Nullable Older older(String kernel) {
    return read.computeIfAbsent(kernel, name -> Optional.ofNullable(readOlder(name))).orElse(null);
  }

  private @Nullable Older readOlder(String kernel) {
    List<KernelReading> found =
        new TargetFinder(root, store, new ArrayList<>()).find(List.of(kernel));
    if (found.isEmpty()) {
      return null;
    }
    BackgroundTask<TypedKernel> reading =
        BackgroundTask.start(() -> TypedKernel.read(found.get(0)));
    newer = newer == null ? readTarget() : newer;
    TypedKernel older = reading.get();
    ExportTable exports = older.exports();
    return exports == null || older.types() == null
        ? null
        : new Older(exports, Explainer.causes(older, newer));
  }

  private TypedKernel readTarget() {
    List<KernelReading> stored =
        target.summary().kind() == TargetKind.STORED_KERNEL
            ? new TargetFinder(root, store, new ArrayList<>())
                .find(List.of(target.summary().label()))
            : List.of();
    return stored.isEmpty() ? TypedKernel.of(target) : TypedKernel.read(stored.get(0));
  }

  private void addCauses(Older older, Set<Import> open, Map<Import, CrcCause> causes) {
    ExportTable before = older.exports();
    ExportTable after = target.kernel().exports();
    List<Import> each = new ArrayList<>(open);
    each.sort(Comparator.comparing(Import::symbol, CauseFinder.BY_FILE));
    for (Import wanted : each) {
      int old = before.find(wanted.symbol());
      int now = after.find(wanted.symbol());
      boolean same =
          old >= 0
              && now >= 0
              && before.hasCrc(old)
              && Numbers.crc(Integer.toUnsignedLong(before.crc(old))).equals(wanted.crc())
              && before.owner(old).equals(after.owner(now));
      CrcCause cause = same ? older.causes().find(wanted.symbol(), after.owner(now)) : null;
      if (cause != null) {
        causes.put(wanted, cause);
        open.remove(wanted);
      }
    }
  }
}
