package dev.weaklink.audit;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How audits are divided. */
class AuditPlanTest {
  private static List<List<String>> kernels(int count) {
    List<List<String>> kernels = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      kernels.add(List.of("k" + i));
    }
    return kernels;
  }

  @Property
  void everySetMeetsEveryKernelOnce(
      @ForAll @IntRange(min = 0, max = 40) int sets,
      @ForAll @IntRange(min = 1, max = 20) int kernels,
      @ForAll @IntRange(min = 1, max = 60) int wanted,
      @ForAll boolean byKernels) {
    List<AuditPlan.Part> parts = AuditPlan.of(sets, kernels(kernels), wanted, byKernels);
    assertThat(parts).hasSizeBetween(1, wanted);
    Set<String> met = new HashSet<>();
    Set<String> asked = new HashSet<>();
    for (AuditPlan.Part part : parts) {
      asked.addAll(part.kernels());
      for (int set = part.from(); set < part.to(); set++) {
        for (String kernel : part.kernels()) {
          assertThat(met.add(set + " " + kernel)).isTrue();
        }
      }
    }
    assertThat(met).hasSize(sets * kernels);
    assertThat(asked).hasSize(kernels);
  }

  @ParameterizedTest
  @CsvSource({
    "100, 10, 12, false, 12, 3",
    "100, 10, 7, false, 7, 10",
    "100, 2, 16, false, 16, 1",
    "2, 10, 16, false, 8, 2",
    "100, 10, 16, true, 10, 1",
  })
  void setsAndKernelsAreBothDivided(
      int sets, int kernels, int wanted, boolean byKernels, int parts, int kernelsOfFirst) {
    List<AuditPlan.Part> all = AuditPlan.of(sets, kernels(kernels), wanted, byKernels);
    assertThat(all).hasSize(parts);
    assertThat(all.get(0).kernels()).hasSize(kernelsOfFirst);
  }
}
