package dev.weaklink.load;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.kernel.TargetKernel;
import dev.weaklink.module.KernelModule;
import dev.weaklink.testing.Machine;
import dev.weaklink.testing.ModuleBuilder;
import dev.weaklink.testing.ModuleSpec.Export;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Which own modules are at stake if others are linked. */
class DependantsTest {
  private final TargetKernel target = Kernels.version("6.1").exporting("k", 1).build();
  private final KernelRows rows = new KernelRows(target.exports());
  private final List<KernelModule> own =
      Judged.readAll(
          List.of(
              exporting("base", "f"),
              exporting("user", "g").importing("f", 1).importing("h", 1),
              typical("last").importing("g", 1),
              exporting("other", "h").importing("i", 1),
              exporting("deep", "i"),
              typical("stranger").importing("h", 1).importing("k", 1)));

  @Test
  void dependantsAreThoseThatUseItDirectlyOrThroughOthers() {
    assertThat(names(Dependants.of(target, List.of(own.get(0)), own, rows)))
        .containsExactly("user", "last");
  }

  @Test
  void whoeverUsesASymbolThatACandidateBringsMayDependOnIt() {
    KernelModule candidate = Judged.read(exporting("brings", "i").spec());

    assertThat(names(Dependants.of(target, List.of(candidate), own, rows)))
        .containsExactly("user", "last", "other", "stranger");
  }

  @Test
  void aSymbolOfVmlinuxMakesNobodyDependent() {
    KernelModule candidate = Judged.read(exporting("brings", "k").spec());

    assertThat(Dependants.of(target, List.of(candidate), own, rows)).isEmpty();
  }

  @Test
  void nativesAreThoseConcernedWithAllTheyNeed() {
    KernelModule base = Judged.read(exporting("base", "f").spec());
    assertThat(names(Dependants.natives(target, List.of(base), own, rows)))
        .containsExactly("base", "user", "last", "other", "deep");

    KernelModule needy = Judged.read(typical("new").importing("i", 1).spec());
    assertThat(names(Dependants.natives(target, List.of(needy), own, rows)))
        .containsExactly("deep");
  }

  private static List<String> names(List<KernelModule> modules) {
    return modules.stream().map(KernelModule::name).toList();
  }

  private static ModuleBuilder typical(String name) {
    return ModuleBuilder.typical(Machine.X86_64, name);
  }

  private static ModuleBuilder exporting(String name, String symbol) {
    return typical(name).exporting(symbol, Export.Table.NORMAL, 1);
  }
}
