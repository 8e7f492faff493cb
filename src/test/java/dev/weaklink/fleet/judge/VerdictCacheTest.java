package dev.weaklink.fleet.judge;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.check.FilesByDigest;
import dev.weaklink.check.OpenTarget;
import dev.weaklink.check.ReadOptions;
import dev.weaklink.check.SetSignatures;
import dev.weaklink.check.result.TargetSummary;
import dev.weaklink.check.result.TargetSummary.ExportCount;
import dev.weaklink.fleet.SetResult;
import dev.weaklink.fleet.intake.NodePolicy;
import dev.weaklink.fleet.judge.AuditJudge.SetFacts;
import dev.weaklink.kernel.ImageFacts;
import dev.weaklink.kernel.LoaderRule;
import dev.weaklink.kernel.LoaderRulesReader;
import dev.weaklink.kernel.LoaderRulesReader.LoaderEvidence;
import dev.weaklink.kernel.Symvers;
import dev.weaklink.kernel.SymversReader;
import dev.weaklink.kernel.TargetKernel;
import dev.weaklink.module.KernelModule;
import dev.weaklink.module.ModuleReader;
import dev.weaklink.module.Origin;
import dev.weaklink.system.FoundFile;
import dev.weaklink.system.TargetKind;
import dev.weaklink.testing.Machine;
import dev.weaklink.testing.ModuleBuilder;
import dev.weaklink.testing.ModuleSpec.Export;
import dev.weaklink.testing.ModuleSpec.Presence;
import dev.weaklink.testing.Records;
import dev.weaklink.testing.SymversBuilder;
import dev.weaklink.testing.SymversBuilder.Kind;
import dev.weaklink.testing.SymversBuilder.Row;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** An answer serves another kernel only if nothing that a loader looks at is different there. */
class VerdictCacheTest {
  private static final String FLAGS = " SMP mod_unload modversions ";
  private static final Row PRINTK = new Row(5, "_printk", "vmlinux", Kind.EXPORT_SYMBOL, null);
  private static final Row OTHER = new Row(9, "kfree", "vmlinux", Kind.EXPORT_SYMBOL, null);

  private final SetFacts set = set(module(true), NodePolicy.PERMISSIVE);
  private final VerdictCache answers = new VerdictCache(List.of(set));

  private static KernelModule module() {
    return module(true);
  }

  /** With versions the release in its vermagic is not compared. */
  private static KernelModule module(boolean versions) {
    ModuleBuilder typical =
        ModuleBuilder.typical(Machine.X86_64, "a")
            .withoutModInfo("vermagic")
            .modInfo("vermagic=6.1.0-8" + FLAGS)
            .importing("_printk", 5)
            .exporting("a_up", Export.Table.NORMAL, 7);
    byte[] built = (versions ? typical : typical.versions(Presence.ABSENT)).build();
    return ModuleReader.read(Origin.file("a.ko"), built, built.length);
  }

  private static SetFacts set(KernelModule module, NodePolicy policy) {
    return new SetFacts("a", policy, List.of(module), new TreeMap<>());
  }

  private static OpenTarget kernel(
      @Nullable String release, @Nullable String vermagic, Row... rows) {
    SymversBuilder builder =
        new SymversBuilder(SymversBuilder.Layout.NAMESPACE_LAST)
            .kernel("module_layout", Kind.EXPORT_SYMBOL, 0x11223344);
    for (Row row : rows) {
      builder.row(row);
    }
    byte[] text = builder.bytes();
    Symvers symvers = SymversReader.read(text, text.length);
    LoaderEvidence evidence =
        new LoaderEvidence(
            null,
            null,
            symvers,
            null,
            null,
            Map.of(LoaderRule.VERSION, "6.1.0", LoaderRule.FORCE_LOAD, "yes"));
    TargetKernel kernel =
        Records.of(
            TargetKernel.class,
            "label",
            "k",
            "release",
            release,
            "vermagic",
            vermagic,
            "structModuleSize",
            -1,
            "exports",
            symvers.exports(),
            "image",
            ImageFacts.NONE,
            "rules",
            LoaderRulesReader.read(evidence));
    TargetSummary summary =
        new TargetSummary(
            "k",
            release,
            TargetKind.SYMVERS_FILE,
            "k",
            ExportCount.of(symvers.exports()).ofVmlinux(),
            0,
            kernel.rules(),
            List.of());
    return new OpenTarget(kernel, symvers.exports(), null, List.of(), List.of(), summary);
  }

  private SetResult ask(OpenTarget target) {
    VerdictCache.Kernel kernel = answers.on(target);
    SetResult known = kernel.known(0);
    assertThat(known).as("nothing is known beforehand").isNull();
    PolicyJudge.Answer answer = judge(target, set);
    kernel.keep(0, answer);
    return answer.answer();
  }

  private static PolicyJudge.Answer judge(OpenTarget target, SetFacts set) {
    SetSignatures signatures =
        FilesByDigest.find(List.of(), Set.of(), ReadOptions.uncached(1), new ArrayList<>())
            .signatures(List.of());
    return new PolicyJudge(target, signatures, 1, null).ask(set);
  }

  @Test
  void anotherKernelThatIsTheSameInAllTheModulesAskForGivesTheSameAnswer() {
    SetResult answer = ask(kernel("6.1.0-9", null, PRINTK));

    assertThat(answers.on(kernel("6.1.0-10", null, PRINTK, OTHER)).known(0)).isSameAs(answer);
    assertThat(answers.on(kernel(null, null, OTHER, PRINTK)).known(0)).isSameAs(answer);
  }

  @Test
  void aRowThatDiffersInAnythingIsAnotherQuestion() {
    ask(kernel(null, null, PRINTK));

    for (Row row :
        List.of(
            new Row(6, "_printk", "vmlinux", Kind.EXPORT_SYMBOL, null),
            new Row(5, "_printk", "vmlinux", Kind.EXPORT_SYMBOL_GPL, null),
            new Row(5, "_printk", "vmlinux", Kind.EXPORT_SYMBOL, "SPACE"),
            new Row(5, "_printk", "kernel/printk", Kind.EXPORT_SYMBOL, null),
            OTHER)) {
      assertThat(answers.on(kernel(null, null, row)).known(0)).as(row.toString()).isNull();
    }
    Row exported = new Row(1, "a_up", "vmlinux", Kind.EXPORT_SYMBOL, null);
    assertThat(answers.on(kernel(null, null, PRINTK, exported)).known(0))
        .as("the kernel has what the module exports")
        .isNull();
  }

  @Test
  void theFirstOfTwoRowsOfOneNameCounts() {
    Row changed = new Row(6, "_printk", "vmlinux", Kind.EXPORT_SYMBOL, null);
    ask(kernel(null, null, PRINTK));

    assertThat(answers.on(kernel(null, null, changed, PRINTK)).known(0)).isNull();
    assertThat(answers.on(kernel(null, null, PRINTK, changed)).known(0)).isNotNull();
  }

  @Test
  void whatTheReleaseIsMattersWhereItIsCompared() {
    ask(kernel("6.1.0-9", "6.1.0-9" + FLAGS, PRINTK));
    SetFacts unversioned = set(module(false), NodePolicy.PERMISSIVE);
    OpenTarget own = kernel("6.1.0-8", "6.1.0-8" + FLAGS, PRINTK);
    VerdictCache compared = new VerdictCache(List.of(unversioned));
    compared.on(own).keep(0, judge(own, unversioned));

    assertThat(answers.on(kernel("6.1.0-8", "6.1.0-8" + FLAGS, PRINTK)).known(0)).isNotNull();
    assertThat(compared.on(own).known(0)).isNotNull();
    assertThat(compared.on(kernel("6.1.0-9", "6.1.0-9" + FLAGS, PRINTK)).known(0)).isNull();
  }

  @Test
  void anAnswerThatQuotesTheVermagicServesNoOtherOne() {
    SetResult answer = ask(kernel("6.1.0-9", "6.1.0-9 preempt ", PRINTK));

    assertThat(answer.reason()).contains("6.1.0-9 preempt");
    assertThat(answers.on(kernel("6.1.0-9", "6.1.0-9 preempt ", PRINTK)).known(0)).isSameAs(answer);
    assertThat(answers.on(kernel("6.1.0-10", "6.1.0-10 preempt ", PRINTK)).known(0)).isNull();
  }

  @Test
  void keysInAnImageAreLookedForWhereSignaturesMatter() {
    OpenTarget keyless = kernel(null, null, PRINTK);
    OpenTarget withKeys =
        new OpenTarget(
            keyless.kernel(),
            keyless.inbox(),
            null,
            List.of(),
            List.of(new FoundFile("/boot/vmlinuz", Path.of("/boot/vmlinuz"))),
            keyless.summary());
    SetResult answer = ask(keyless);
    SetFacts locked = set(module(), NodePolicy.LOCKDOWN);
    VerdictCache onLockedNodes = new VerdictCache(List.of(locked));
    PolicyJudge.Answer refused = judge(keyless, locked);
    onLockedNodes.on(keyless).keep(0, refused);

    assertThat(answers.on(withKeys).known(0)).isSameAs(answer);
    assertThat(onLockedNodes.on(withKeys).known(0)).isNull();
    assertThat(onLockedNodes.on(keyless).known(0)).isSameAs(refused.answer());
  }

  @Test
  void aKernelWithModulesOfItsOwnIsAskedItself() {
    OpenTarget target = kernel(null, null, PRINTK);
    ask(target);

    OpenTarget withOwn =
        new OpenTarget(
            target.kernel(), target.inbox(), null, List.of(module()), List.of(), target.summary());
    assertThat(answers.on(withOwn).known(0)).isNull();
  }
}
