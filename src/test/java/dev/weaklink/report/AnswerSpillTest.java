package dev.weaklink.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.audit.AuditReport.Finding;
import dev.weaklink.audit.AuditReport.ModuleVerdict;
import dev.weaklink.audit.AuditedCause;
import dev.weaklink.audit.SetAnswer;
import dev.weaklink.load.Outcome;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.From;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

/** What is kept in a file is what was in memory. */
class AnswerSpillTest {
  @Provide
  Arbitrary<SetAnswer> answers() {
    Arbitrary<String> texts = Arbitraries.strings().ofMaxLength(8);
    Arbitrary<AuditedCause> causes =
        texts.map(text -> new AuditedCause("struct", text, "layout", text));
    Arbitrary<Finding> findings =
        Combinators.combine(texts, texts.injectNull(0.3), causes.injectNull(0.5))
            .as((text, symbol, cause) -> finding(text, symbol, cause));
    Arbitrary<ModuleVerdict> modules =
        Combinators.combine(
                texts,
                Arbitraries.of(Outcome.INCOMPATIBLE, Outcome.UNDETERMINED),
                texts.injectNull(0.5),
                findings.list().ofMaxSize(3),
                Arbitraries.integers().between(0, 3))
            .as(ModuleVerdict::new);
    Arbitrary<Integer> counts = Arbitraries.integers().between(0, 2);
    return Combinators.combine(
            counts,
            counts,
            counts,
            modules.list().ofMaxSize(4),
            causes.list().ofMaxSize(1),
            Arbitraries.of("elf", "btf").list().ofMaxSize(1))
        .as(SetAnswer::new);
  }

  private static Finding finding(String text, String symbol, AuditedCause cause) {
    return new Finding("symbol-crc", "symbol.crc-mismatch", symbol, text, null, text, cause);
  }

  @Property(tries = 100)
  void answersAreReadAsTheyWere(@ForAll @Size(max = 80) List<@From("answers") SetAnswer> answers)
      throws IOException {
    try (AnswerSpill spill = new AnswerSpill()) {
      List<SetAnswer> distinct = new ArrayList<>();
      for (SetAnswer answer : answers) {
        int known = distinct.indexOf(answer);
        assertThat(spill.keep(answer)).isEqualTo(known < 0 ? distinct.size() : known);
        if (known < 0) {
          distinct.add(answer);
        }
      }
      assertThat(spill.size()).isEqualTo(distinct.size());
      for (int i = 0; i < distinct.size(); i++) {
        SetAnswer kept = spill.get(i);
        assertThat(kept).isEqualTo(distinct.get(i)).hasSameHashCodeAs(distinct.get(i));
        assertThat(distinct.get(i)).isEqualTo(kept);
        assertThat(kept.reason()).isEqualTo(distinct.get(i).reason());
      }
    }
  }

  /** More than is in memory at a time. */
  @Test
  void whatWasPutAsideIsReadAgain() throws IOException {
    try (AnswerSpill spill = new AnswerSpill()) {
      List<SetAnswer> answers = new ArrayList<>();
      for (int i = 0; i < 8; i++) {
        String text = i + "x".repeat(1 << 20);
        ModuleVerdict module =
            new ModuleVerdict(
                "m", Outcome.INCOMPATIBLE, "EINVAL", List.of(finding(text, "s", null)), 2);
        answers.add(new SetAnswer(0, 1, 0, List.of(module), List.of(), List.of()));
        spill.keep(answers.get(i));
      }
      for (int i : List.of(0, 7, 3, 0, 1, 2, 3, 4, 5, 6, 7)) {
        assertThat(spill.get(i)).isEqualTo(answers.get(i));
      }
    }
  }
}
