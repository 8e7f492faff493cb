package dev.weaklink.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.check.report.ExplainedFinding;
import org.junit.jupiter.api.Test;

/** {@code explain} of ids of findings. */
class ExplainFindingTest {
  @Test
  void listsEveryKindOnce() {
    WholeRun run = WholeRun.of("explain");

    assertThat(run.status()).isZero();
    for (ExplainedFinding kind : ExplainedFinding.ALL) {
      assertThat(run.out().lines().filter(line -> line.startsWith(kind.id() + " ")))
          .as(kind.id())
          .hasSize(1);
    }
  }

  @Test
  void saysAllThereIsToSayAboutOne() {
    assertThat(WholeRun.of("explain", "namespace.reserved").out())
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
    assertThat(WholeRun.of("explain", "vermagic").out())
        .contains("vermagic.mismatch\n", "vermagic.missing\n")
        .doesNotContain("symbol.");
  }

  @Test
  void anUnknownIdIsAUsageError() {
    WholeRun run = WholeRun.of("explain", "symbol.crc-mismatched");

    assertThat(run.status()).isEqualTo(2);
    assertThat(run.err()).contains("did you mean 'symbol.crc-mismatch'?");
    assertThat(WholeRun.of("explain", "kfree").messages())
        .contains(
            "there is no finding 'kfree'; a symbol takes the kernels to compare, with --from and --to");
  }
}
