package dev.weaklink.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.report.FullModule;
import dev.weaklink.report.Samples;
import org.junit.jupiter.api.Test;

class InspectCommandTest {
  private final Run run =
      new Run(Samples.report())
          .withModule("mlx5_core.ko", FullModule.create())
          .withModule("a.ko", Samples.module("a"));

  @Test
  void showsEveryModuleAndGoesOnAfterOneThatCannotBeRead() {
    int status = run.with("inspect", "mlx5_core.ko", "none.ko", "a.ko", "--format", "json");

    assertThat(status).isEqualTo(2);
    assertThat(run.err()).isEqualTo("weaklink: none.ko: no such module\n");
    assertThat(run.out().lines())
        .hasSize(2)
        .allMatch(line -> line.startsWith("{\"schema\":\"weaklink.module/1\""));
  }

  @Test
  void aTableIsTheDefault() {
    assertThat(run.with("inspect", "a.ko")).isZero();

    assertThat(run.out()).startsWith("a  extra/a.ko\n");
    assertThat(run.err()).isEmpty();
  }
}
