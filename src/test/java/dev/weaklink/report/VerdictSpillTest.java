package dev.weaklink.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.audit.AuditReport.Finding;
import dev.weaklink.audit.AuditReport.ModuleVerdict;
import dev.weaklink.audit.AuditedCause;
import dev.weaklink.load.Outcome;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;

/** What is kept in a file is what was in memory. */
class VerdictSpillTest {
  @Provide
  Arbitrary<List<ModuleVerdict>> verdicts() {
    Arbitrary<String> texts = Arbitraries.strings().ofMaxLength(8);
    Arbitrary<AuditedCause> causes =
        texts.map(text -> new AuditedCause("struct", text, "layout", text));
    Arbitrary<Finding> findings =
        Combinators.combine(texts, texts.injectNull(0.3), causes.injectNull(0.5))
            .as((text, symbol, cause) -> finding(text, symbol, cause));
    return Combinators.combine(
            texts,
            Arbitraries.of(Outcome.INCOMPATIBLE, Outcome.UNDETERMINED),
            texts.injectNull(0.5),
            findings.list().ofMaxSize(3),
            Arbitraries.integers().between(0, 3))
        .as(ModuleVerdict::new)
        .list()
        .ofMaxSize(4);
  }

  private static Finding finding(String text, String symbol, AuditedCause cause) {
    return new Finding("symbol-crc", "symbol.crc-mismatch", symbol, text, null, text, cause);
  }

  @Property(tries = 200)
  void listsAreReadAsTheyWere(
      @ForAll("verdicts") List<ModuleVerdict> one, @ForAll("verdicts") List<ModuleVerdict> other)
      throws IOException {
    try (VerdictSpill spill = new VerdictSpill()) {
      List<ModuleVerdict> kept = spill.keep(one);
      List<ModuleVerdict> second = spill.keep(other);
      for (List<ModuleVerdict> list : List.of(kept, new ArrayList<>(kept))) {
        assertThat(list).isEqualTo(one).hasSameHashCodeAs(one);
        assertThat(one).isEqualTo(list);
      }
      assertThat(second).isEqualTo(other);
      assertThat(kept.equals(second)).isEqualTo(one.equals(other));
      for (int i = 0; i < one.size(); i++) {
        assertThat(kept.get(i)).isEqualTo(one.get(i));
      }
    }
  }

  @Test
  void whatIsEqualIsKeptOnce() throws IOException {
    List<ModuleVerdict> list =
        List.of(
            new ModuleVerdict(
                "m", Outcome.INCOMPATIBLE, "EINVAL", List.of(finding("a", "b", null)), 2));
    try (VerdictSpill spill = new VerdictSpill()) {
      assertThat(spill.keep(list)).isSameAs(spill.keep(new ArrayList<>(list)));
      assertThat(spill.keep(List.of())).isSameAs(List.of());
    }
  }
}
