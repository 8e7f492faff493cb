package dev.weaklink.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.check.report.ExplainedFinding;
import org.junit.jupiter.api.Test;

/** The command findings. */
class FindingsCommandTest {
  @Test
  void listsEveryKindOnce() {
    WholeRun run = WholeRun.of("findings");

    assertThat(run.status()).isZero();
    for (ExplainedFinding kind : ExplainedFinding.ALL) {
      assertThat(run.out().lines().filter(line -> line.startsWith(kind.id() + " ")))
          .as(kind.id())
          .hasSize(1);
    }
  }

  @Test
  void saysAllThereIsToSayAboutOne() {
    assertThat(WholeRun.of("findings", "namespace.reserved").out())
        .isEqualTo(
            """
            namespace.reserved
              Meaning: imports a namespace that is reserved for named modules
              Layer:   namespace
              Errno:   EPERM
              Source:  kernel/module/main.c:setup_modinfo
              Kernels: 6.16 and later
              To do:   remove MODULE_IMPORT_NS("module:..."): only the modules it names may
                use those symbols
            """);
  }

  @Test
  void theFirstWordStandsForAllThatBeginWithIt() {
    assertThat(WholeRun.of("findings", "vermagic").out())
        .contains("vermagic.mismatch\n", "vermagic.missing\n")
        .doesNotContain("symbol.");
  }

  @Test
  void anUnknownIdIsAUsageError() {
    WholeRun run = WholeRun.of("findings", "symbol.crc-mismatched");

    assertThat(run.status()).isEqualTo(2);
    assertThat(run.err()).contains("did you mean 'symbol.crc-mismatch'?");
  }
}
