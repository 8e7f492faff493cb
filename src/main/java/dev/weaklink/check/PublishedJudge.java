package dev.weaklink.check;

import dev.weaklink.check.result.OfferAnswer;
import dev.weaklink.check.result.OfferAnswer.Fit;
import dev.weaklink.kernel.ExportTable;
import dev.weaklink.kernel.ExportTableBuilder;
import dev.weaklink.kernel.ImageFacts;
import dev.weaklink.kernel.LoaderEvidence;
import dev.weaklink.kernel.LoaderRule;
import dev.weaklink.kernel.LoaderRules;
import dev.weaklink.kernel.LoaderRulesReader;
import dev.weaklink.kernel.TargetKernel;
import dev.weaklink.loader.Finding;
import dev.weaklink.loader.FindingKind;
import dev.weaklink.loader.KernelRows;
import dev.weaklink.loader.LoadSet;
import dev.weaklink.loader.TargetReads;
import dev.weaklink.loader.Verdict;
import dev.weaklink.module.KernelModule;
import dev.weaklink.module.SymbolNames;
import dev.weaklink.sys.Escape;
import dev.weaklink.sys.Numbers;
import dev.weaklink.system.offers.OfferedKernel;
import dev.weaklink.system.offers.PublishedSymbols;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Judges modules by the symbols that the packages of a kernel say they export. Pure. That a module
 * is refused is said only if the loader cannot but refuse it; what the packages do not say
 * (vermagic, licenses, namespaces, signatures, who exports a symbol) can only add to it.
 */
final class PublishedJudge {
  private static final String LAYOUT = "module_layout";

  private static final FindingKind LAYOUT_DIFFERS = FindingKind.LAYOUT_CRC_MISMATCH;

  /** What does not depend on anything that the packages do not say. */
  private static final Set<FindingKind> SURE =
      EnumSet.of(FindingKind.SYMBOL_CRC_MISMATCH, LAYOUT_DIFFERS, FindingKind.SYMBOL_MISSING);

  private PublishedJudge() {}

  /** The symbols on which an answer depends. */
  static Set<String> symbols(List<KernelModule> modules) {
    Set<String> symbols = new TreeSet<>(Set.of(LAYOUT));
    for (KernelModule module : modules) {
      addAll(module.imports().names(), symbols);
    }
    return symbols;
  }

  private static void addAll(SymbolNames names, Set<String> symbols) {
    for (int i = 0; i < names.size(); i++) {
      symbols.add(names.name(i));
    }
  }

  /**
   * Whether a kernel that publishes symbols would load modules as far as these say.
   *
   * @param modules all that are in use: a symbol that one of them exports need not be the kernel's
   * @param counted those of them for whose sake it can be refused
   * @param complete whether these are all of them; one that is not known could export any symbol
   *     but those of vmlinux
   */
  static OfferAnswer judge(
      OfferedKernel kernel,
      PublishedSymbols published,
      List<KernelModule> modules,
      List<KernelModule> counted,
      boolean complete) {
    TargetKernel target = target(kernel, published, modules);
    List<Verdict> verdicts =
        LoadSet.together(
            target,
            modules,
            List.of(),
            Set.of(),
            new KernelRows(target.exports()),
            1,
            new TargetReads());
    Set<String> names = new HashSet<>();
    counted.forEach(module -> names.add(module.name()));
    Map<String, Finding> refused = new TreeMap<>();
    for (Verdict verdict : verdicts) {
      Finding sure = sure(verdict, published, complete);
      if (sure != null && names.contains(verdict.module().name())) {
        refused.put(verdict.module().name(), sure);
      }
    }
    if (!refused.isEmpty()) {
      return new OfferAnswer(kernel, Fit.REFUSED, List.copyOf(refused.keySet()), reason(refused));
    }
    if (!complete) {
      return new OfferAnswer(
          kernel, Fit.UNKNOWN, List.of(), "not all modules in use could be looked at");
    }
    int known = 0;
    Set<String> symbols = symbols(counted);
    for (String symbol : symbols) {
      known += published.exports().find(symbol) >= 0 ? 1 : 0;
    }
    return new OfferAnswer(
        kernel,
        known == 0 ? Fit.UNKNOWN : Fit.FITS_AS_FAR_AS_KNOWN,
        List.of(),
        known == 0
            ? "its packages publish none of the symbols in use"
            : "CRCs fit of the "
                + Numbers.of(known, "symbol")
                + " in use that its packages publish, of "
                + symbols.size()
                + "; vermagic, namespaces and signatures are not published");
  }

  private static @Nullable Finding sure(
      Verdict verdict, PublishedSymbols published, boolean complete) {
    for (Finding finding : verdict.findings()) {
      boolean counts = complete ? SURE.contains(finding.kind()) : finding.kind() == LAYOUT_DIFFERS;
      boolean isUnusual =
          finding.kind() == FindingKind.SYMBOL_MISSING
              && !published.usual().contains(String.valueOf(finding.symbol()));
      if (finding.effect() == Finding.Effect.REFUSES && counts && !isUnusual) {
        return finding;
      }
    }
    return null;
  }

  private static String reason(Map<String, Finding> refused) {
    List<String> modules = new ArrayList<>();
    refused.forEach(
        (name, finding) ->
            modules.add(
                Escape.text(
                    name
                        + " ("
                        + (finding.kind() == FindingKind.SYMBOL_MISSING
                            ? finding.symbol() + " is not exported"
                            : "another CRC of " + finding.symbol())
                        + ")")));
    int most = Math.min(modules.size(), 3);
    String more = modules.size() > most ? " and " + (modules.size() - most) + " more" : "";
    return "would refuse "
        + String.join(", ", modules.subList(0, most))
        + more
        + ", as its packages say";
  }

  private static TargetKernel target(
      OfferedKernel kernel, PublishedSymbols published, List<KernelModule> modules) {
    LoaderRules rules =
        LoaderRulesReader.read(
            new LoaderEvidence(
                kernel.release(), null, null, null, Map.of(LoaderRule.MODVERSIONS, "yes")));
    return new TargetKernel(
        kernel.release(),
        kernel.release(),
        null,
        null,
        -1,
        withoutReplaced(published.exports(), modules),
        published.complete(),
        false,
        ImageFacts.NONE,
        rules,
        Set.of());
  }

  /** Without what modules export: it may be the kernel's own modules that these replace. */
  private static ExportTable withoutReplaced(ExportTable rows, List<KernelModule> modules) {
    Set<String> exported = new HashSet<>();
    for (KernelModule module : modules) {
      addAll(module.exports().names(), exported);
    }
    ExportTableBuilder kept = new ExportTableBuilder(rows.size());
    for (int row = 0; row < rows.size(); row++) {
      if (!exported.contains(rows.symbol(row))) {
        kept.add(rows, row);
      }
    }
    return kept.build();
  }
}
