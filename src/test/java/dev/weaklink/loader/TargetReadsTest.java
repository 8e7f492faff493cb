package dev.weaklink.loader;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.kernel.LoaderRule;
import dev.weaklink.kernel.LoaderRules;
import dev.weaklink.kernel.TargetKernel;
import dev.weaklink.module.Exports;
import dev.weaklink.module.Imports;
import dev.weaklink.module.KernelModule;
import dev.weaklink.module.ModInfo;
import dev.weaklink.module.ModuleSignature;
import dev.weaklink.module.Origin;
import dev.weaklink.module.SymbolNames;
import dev.weaklink.module.VersionTable;
import dev.weaklink.testing.Machine;
import dev.weaklink.testing.ModuleBuilder;
import dev.weaklink.testing.ModuleSpec.Presence;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What verdicts rest on is what was read, and what is not known of a module is unchecked. */
class TargetReadsTest {
  private static List<Verdict> judge(
      TargetKernel kernel, List<KernelModule> modules, TargetReads reads) {
    KernelRows rows = new KernelRows(kernel.exports());
    return LoadSet.together(kernel, modules, List.of(), Set.of(), rows, 1, reads);
  }

  private static List<KernelModule> modules() {
    return Judged.readAll(
        List.of(
            ModuleBuilder.typical(Machine.X86_64, "fits").importing("_printk", 5),
            ModuleBuilder.typical(Machine.X86_64, "changed").importing("_printk", 6),
            ModuleBuilder.typical(Machine.X86_64, "lacks").importing("no_such_symbol", 6),
            ModuleBuilder.typical(Machine.X86_64, "unversioned")
                .versions(Presence.ABSENT)
                .importing("_printk", 5)));
  }

  /** Kernels that differ from one in a single rule. */
  private static List<TargetKernel> variants(TargetKernel kernel) {
    List<TargetKernel> variants = new ArrayList<>();
    for (LoaderRule rule : LoaderRule.values()) {
      for (String value : rule.choices()) {
        LoaderRules.Setting setting = new LoaderRules.Setting(value, false, "changed");
        variants.add(kernel.with(kernel.rules().with(rule, setting)));
      }
    }
    return variants;
  }

  @ParameterizedTest
  @ValueSource(strings = {"3.10", "4.18", "5.3", "5.14", "6.1", "6.16"})
  void targetsThatAnswerAllThatWasReadAlikeGetTheSameVerdicts(String version) {
    TargetKernel kernel = Kernels.version(version).exporting("_printk", 5).build();
    TargetReads reads = new TargetReads();
    List<Verdict> verdicts = judge(kernel, modules(), reads);
    List<Object> answers = new ArrayList<>(TargetReads.answers(reads.asked(), kernel));
    int alike = 0;
    for (TargetKernel variant : variants(kernel)) {
      if (TargetReads.answers(reads.asked(), variant).equals(answers)) {
        alike++;
        assertThat(judge(variant, modules(), new TargetReads()))
            .usingRecursiveComparison()
            .ignoringFields("module")
            .isEqualTo(verdicts);
      }
    }
    assertThat(alike).as("rules that were not read").isPositive();
    assertThat(alike).as("rules that were").isLessThan(variants(kernel).size());
  }

  @Test
  void whatANodeDoesNotReportIsUncheckedAndNeverDecides() {
    SymbolNames names = new SymbolNames.Builder(1).add("_printk").build();
    KernelModule reported =
        KernelModule.reported(
            Origin.file("m.ko"),
            ModInfo.some(List.of("name=m", "vermagic=" + Kernels.VERMAGIC)),
            new Imports(names, new BitSet()),
            new VersionTable(VersionTable.Layout.CLASSIC, layoutAnd(names), new long[] {LAYOUT, 5}),
            Exports.UNKNOWN,
            new ModuleSignature(ModuleSignature.Kind.UNKNOWN, ModuleSignature.Problem.UNKNOWN, 0));
    TargetKernel kernel = Kernels.version("6.4").exporting("_printk", 5).build();

    Verdict verdict = judge(kernel, List.of(reported), new TargetReads()).get(0);

    assertThat(verdict.outcome()).as("%s", verdict.findings()).isEqualTo(Outcome.COMPATIBLE);
    assertThat(new TreeSet<>(verdict.unchecked()))
        .containsExactly(
            "architecture",
            "btf",
            "elf",
            "license",
            "namespace",
            "relocation",
            "signature",
            "struct-module",
            "symbol-gpl-only");
  }

  private static final long LAYOUT = Kernels.LAYOUT_CRC;

  private static SymbolNames layoutAnd(SymbolNames names) {
    return new SymbolNames.Builder(2).add("module_layout").add(names.name(0)).build();
  }
}
