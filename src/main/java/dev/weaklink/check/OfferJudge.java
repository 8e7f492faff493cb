package dev.weaklink.check;

import dev.weaklink.check.report.GateText;
import dev.weaklink.check.result.GateAnswer;
import dev.weaklink.check.result.GateReport;
import dev.weaklink.check.result.OfferAnswer;
import dev.weaklink.check.result.OfferAnswer.Fit;
import dev.weaklink.kernel.store.KernelStore;
import dev.weaklink.kernel.store.StoreEntry;
import dev.weaklink.loader.Outcome;
import dev.weaklink.loader.Verdict;
import dev.weaklink.module.KernelModule;
import dev.weaklink.sys.InputProblem;
import dev.weaklink.sys.IoReason;
import dev.weaklink.sys.Root;
import dev.weaklink.sys.UnreadableException;
import dev.weaklink.system.DkmsPackage;
import dev.weaklink.system.DkmsReader;
import dev.weaklink.system.DkmsTree;
import dev.weaklink.system.InstalledModules;
import dev.weaklink.system.InstalledModules.Found;
import dev.weaklink.system.ModuleSource;
import dev.weaklink.system.PackageOwners;
import dev.weaklink.system.offers.OfferedKernel;
import dev.weaklink.system.offers.OfferedPackage;
import dev.weaklink.system.offers.Offers.Driver;
import dev.weaklink.system.offers.PublishedSymbols;
import java.io.IOException;
import java.nio.file.Path;
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
  private @Nullable InUse inUse;

  /**
   * What is in use, as it was read.
   *
   * @param modules of each name the newest build
   * @param complete whether that is all
   */
  private record InUse(
      List<KernelModule> modules,
      boolean complete,
      Gate.IgnoredModules ignored,
      List<Found> builds) {
    /** Those that count on a kernel. */
    List<KernelModule> on(String release) {
      return modules.stream()
          .filter(module -> ignored.rule(module.name(), release) == null)
          .toList();
    }
  }

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

  /** The symbols of kernels that matter to the modules in use. */
  public Set<String> symbols() {
    return PublishedJudge.symbols(inUse().modules());
  }

  /** Where the modules in use come from. */
  public List<Driver> drivers() {
    DkmsTree dkms = DkmsReader.read(root);
    Map<Found, String> files = new LinkedHashMap<>();
    for (Found build : inUse().builds()) {
      String file = build.file().inside();
      DkmsPackage source = dkms.ownerOf(file);
      files.put(
          build,
          source == null
              ? file
              : "/usr/src/" + source.name() + "-" + source.version() + "/dkms.conf");
    }
    Map<String, String> owners = PackageOwners.of(files.values(), root);
    List<Driver> drivers = new ArrayList<>();
    files.forEach(
        (build, file) -> {
          String[] owner = owners.getOrDefault(file, "").split(" ", 2);
          drivers.add(
              new Driver(
                  build.file().name(),
                  build.kernel(),
                  owner.length < 2 ? null : new OfferedPackage(owner[0], owner[1], "")));
        });
    return drivers;
  }

  private InUse inUse() {
    if (inUse == null) {
      InstalledModules installed = new InstalledModules(root);
      ModulesInUse found = ModulesInUse.find(installed, root, request.root() == null);
      Gate.IgnoredModules ignored =
          Gate.IgnoredModules.read(root, installed, found.names(), problems);
      List<ModuleSource> sources = new ArrayList<>();
      List<Found> builds = new ArrayList<>();
      for (String name : found.names()) {
        Found build = installed.build(name, null);
        if (build != null) {
          builds.add(build);
          Path file = build.file().host();
          sources.add(new ModuleSource(file, root.inside(file), build.file().identity()));
        }
      }
      ModuleFacts facts = ModuleFacts.read(Checker.sources(sources), request.reading());
      List<KernelModule> modules = new ArrayList<>();
      for (int i = 0; i < facts.size(); i++) {
        KernelModule module = facts.module(i);
        if (module != null) {
          modules.add(module);
        }
      }
      boolean complete = found.complete() && modules.size() == found.names().size();
      inUse = new InUse(List.copyOf(modules), complete, ignored, builds);
    }
    return inUse;
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
    } catch (UnreadableException e) {
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
      answers.add(answer == null ? published(kernel) : of(kernel, answer));
    }
    return answers;
  }

  private OfferAnswer published(OfferedKernel kernel) {
    PublishedSymbols published = kernel.published();
    return published == null
        ? unknown(kernel)
        : PublishedJudge.judge(
            kernel, published, inUse().modules(), inUse().on(kernel.release()), inUse().complete());
  }

  private static OfferAnswer unknown(OfferedKernel kernel) {
    String reason =
        kernel.headers() == null
            ? "neither its headers nor the CRCs of its symbols are offered"
            : "its headers (" + kernel.headers().name() + ") have not been looked at";
    return new OfferAnswer(kernel, Fit.UNKNOWN, List.of(), reason);
  }

  /** The modules in use that an installed kernel refuses. */
  public static Set<String> refused(CheckRequest request, String release) {
    GateReport report = new Gate(new Checker()).judge(request.with(List.of(), List.of(release)));
    Set<String> refused = new TreeSet<>();
    report.answers().forEach(answer -> refused.addAll(refused(answer)));
    return refused;
  }

  private static Set<String> refused(GateAnswer answer) {
    Set<String> refused = new TreeSet<>(answer.names(Outcome.INCOMPATIBLE));
    for (Verdict verdict : answer.verdicts()) {
      if (verdict.breaksOthers()) {
        refused.add(verdict.module().name());
      }
    }
    return refused;
  }

  private static OfferAnswer of(OfferedKernel kernel, GateAnswer answer) {
    Set<String> refused = refused(answer);
    Fit fit =
        switch (answer.word()) {
          case YES -> Fit.FITS;
          case NO -> Fit.REFUSED;
          case UNKNOWN -> Fit.UNKNOWN;
        };
    return new OfferAnswer(kernel, fit, List.copyOf(refused), GateText.reason(answer));
  }
}
