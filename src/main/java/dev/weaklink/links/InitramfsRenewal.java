package dev.weaklink.links;

import dev.weaklink.links.TransactionOutcome.InitramfsFailure;
import dev.weaklink.sys.ExternalCommand;
import dev.weaklink.sys.IoReason;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Runs what renews an initramfs. */
final class InitramfsRenewal {
  private final Workplace workplace;

  InitramfsRenewal(Workplace workplace) {
    this.workplace = workplace;
  }

  /** Null if it went well. */
  @Nullable InitramfsFailure run(InitramfsStep step) {
    workplace.listener().initramfs(step.kernel());
    String program = step.command().get(0);
    try {
      ExternalCommand.Result result =
          ExternalCommand.of(step.command(), workplace.settings().initramfsLimit()).run();
      return result.succeeded()
          ? null
          : new InitramfsFailure(
              step.kernel(), program + " failed (" + result.reason() + ")", result.lines());
    } catch (IOException e) {
      return new InitramfsFailure(
          step.kernel(), program + " cannot be run: " + IoReason.of(e), List.of());
    }
  }
}
