package dev.weaklink.cli;

import dev.weaklink.links.TransactionListener;
import dev.weaklink.links.TransactionOutcome;
import dev.weaklink.links.TransactionOutcome.InitramfsFailure;
import dev.weaklink.links.TransactionState;
import dev.weaklink.sys.LockFile;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Tells on standard error how a transaction gets on. */
final class TransactionMessages implements TransactionListener {
  private final Console console;

  TransactionMessages(Console console) {
    this.console = console;
  }

  @Override
  public void waitingFor(LockFile.Holder holder) {
    console.message("waiting for " + holder);
  }

  @Override
  public void recovering(int number, String title) {
    console.message("transaction " + number + " was interrupted (" + title + ")");
  }

  @Override
  public void recovered(int number, TransactionState state, List<String> initramfsPending) {
    console.message(
        "transaction "
            + number
            + (state == TransactionState.DONE ? " is finished now" : " is taken back now"));
    for (String kernel : initramfsPending) {
      console.message("the initramfs of " + kernel + " was not renewed; renew it");
    }
  }

  @Override
  public void depmod(String kernel) {
    progress("depmod " + kernel);
  }

  @Override
  public void initramfs(String kernel) {
    progress("renewing the initramfs of " + kernel);
  }

  private void progress(String what) {
    if (console.terminal().isTerminal(Console.STDERR)) {
      console.message(what);
    }
  }

  @Override
  public void warning(String message) {
    console.message(message);
  }

  /** Says what was done and how to take it back. */
  static void tell(
      TransactionOutcome outcome, boolean forPeople, @Nullable Path root, Console console) {
    for (InitramfsFailure failure : outcome.initramfsFailures()) {
      console.message(
          "the initramfs of " + failure.kernel() + " could not be renewed: " + failure.reason());
      for (String line : failure.output()) {
        console.hint("  " + line);
      }
    }
    if (forPeople && outcome.number() > 0) {
      console.message(
          "done as transaction "
              + outcome.number()
              + "; to take it back: weaklink undo "
              + outcome.number()
              + PlanOptions.rootWords(root));
    }
  }
}
