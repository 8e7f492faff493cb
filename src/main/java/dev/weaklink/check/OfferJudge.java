package dev.weaklink.check;

import dev.weaklink.check.report.GateText;
import dev.weaklink.check.result.GateAnswer;
import dev.weaklink.check.result.GateReport;
import dev.weaklink.check.result.OfferAnswer;
import dev.weaklink.check.result.OfferAnswer.Fit;
import dev.weaklink.kernel.store.CorruptEntryException;
import dev.weaklink.kernel.store.KernelStore;
import dev.weaklink.kernel.store.StoreEntry;
import dev.weaklink.loader.Outcome;
import dev.weaklink.loader.Verdict;
import dev.weaklink.sys.InputProblem;
import dev.weaklink.sys.IoReason;
import dev.weaklink.sys.Root;
import dev.weaklink.system.InstalledModules;
import dev.weaklink.system.offers.OfferedKernel;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Judges the modules in use on kernels that are offered, as far as these are known. */
public final class OfferJudge {
  private final CheckRequest request;
  private final Root root;
  private final List<InputProblem> problems;

  /**
   * For one run.
   *
   * @param request its modules and kernels do not count
   * @param problems takes what could not be read
   */
  public OfferJudge(CheckRequest request, Root root, List<InputProblem> problems) {
    this.request = request;
    this.root = root;
    this.problems = problems;
  }

  /** Whether there are modules for whose sake a kernel could be held, or may be. */
  public boolean isAnythingInUse() {
    ModulesInUse inUse =
        ModulesInUse.find(new InstalledModules(root), root, request.root() == null);
    return !inUse.names().isEmpty() || !inUse.complete();
  }

  /**
   * The name in the store of an offered kernel.
   *
   * @param kept as which its headers were kept when they were fetched; else its release
   * @return null if it is not there, or several of its release are, or it cannot be read: an
   *     earlier version may have kept it
   */
  public @Nullable String stored(OfferedKernel kernel, String kept) {
    try {
      KernelStore store = StoreKeeper.open(request.root(), request.store());
      List<StoreEntry> entries = store.named(kept);
      if (entries.size() != 1) {
        return null;
      }
      store.read(entries.get(0));
      return entries.get(0).name();
    } catch (CorruptEntryException e) {
      return null;
    } catch (IOException e) {
      problems.add(new InputProblem(kernel.release(), IoReason.of(e)));
      return null;
    }
  }

  /**
   * An answer for each kernel.
   *
   * @param stored the name in the store of each, if it is there
   */
  public List<OfferAnswer> judge(List<OfferedKernel> kernels, Map<OfferedKernel, String> stored) {
    Map<String, GateAnswer> known = new LinkedHashMap<>();
    Set<String> names = new TreeSet<>(stored.values());
    if (!names.isEmpty()) {
      GateReport report =
          new Gate(new Checker()).judge(request.with(List.of(), List.copyOf(names)));
      problems.addAll(report.problems());
      report.answers().forEach(answer -> known.put(answer.target().label(), answer));
    }
    List<OfferAnswer> answers = new ArrayList<>();
    for (OfferedKernel kernel : kernels) {
      String name = stored.get(kernel);
      GateAnswer answer = name == null ? null : known.get(name);
      answers.add(answer == null ? unknown(kernel) : of(kernel, answer));
    }
    return answers;
  }

  private static OfferAnswer unknown(OfferedKernel kernel) {
    String reason =
        kernel.headers() == null
            ? "its headers are not offered"
            : "its headers (" + kernel.headers().name() + ") have not been looked at";
    return new OfferAnswer(kernel, Fit.UNKNOWN, List.of(), reason);
  }

  private static OfferAnswer of(OfferedKernel kernel, GateAnswer answer) {
    Set<String> refused = new TreeSet<>(answer.names(Outcome.INCOMPATIBLE));
    for (Verdict verdict : answer.verdicts()) {
      if (verdict.breaksOthers()) {
        refused.add(verdict.module().name());
      }
    }
    Fit fit =
        switch (answer.word()) {
          case YES -> Fit.FITS;
          case NO -> Fit.REFUSED;
          case UNKNOWN -> Fit.UNKNOWN;
        };
    return new OfferAnswer(kernel, fit, List.copyOf(refused), GateText.reason(answer));
  }
}
