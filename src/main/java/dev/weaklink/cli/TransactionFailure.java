package dev.weaklink.cli;

import dev.weaklink.check.result.ExitCode;
import dev.weaklink.links.TransactionException;
import java.util.Map;

/** What is said, and returned, when a transaction was not carried out. */
final class TransactionFailure {
  private TransactionFailure() {}

  static ExitCode report(TransactionException failure, Console console) {
    console.message(String.valueOf(failure.getMessage()));
    for (String detail : failure.details()) {
      console.hint("  " + detail);
    }
    return switch (failure.outcome()) {
      case REFUSED, ROLLED_BACK -> ExitCode.ROLLED_BACK;
      case BROKEN -> ExitCode.BROKEN;
    };
  }

  static void addExitCodes(Map<String, String> codes) {
    for (ExitCode code : new ExitCode[] {ExitCode.ROLLED_BACK, ExitCode.BROKEN}) {
      codes.put(Integer.toString(code.number()), code.meaning());
    }
  }
}
