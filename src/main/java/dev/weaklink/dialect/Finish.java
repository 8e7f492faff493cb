package dev.weaklink.dialect;

import dev.weaklink.links.InitramfsStep;
import dev.weaklink.links.LinkTransaction;
import dev.weaklink.links.TransactionException;
import dev.weaklink.links.TransactionListener;
import dev.weaklink.links.TransactionOutcome;
import dev.weaklink.sys.LockFile;
import dev.weaklink.tree.ModulesDirectory;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Carries out what was found to be done, as one transaction: links, depmod, initramfs. */
final class Finish {
  private final Streams streams;
  private final BaseDirectory base;
  private final Execution execution;

  Finish(Streams streams, BaseDirectory base, Execution execution) {
    this.streams = streams;
    this.base = base;
    this.execution = execution;
  }

  /** Releases of changed kernels that are installed, for which depmod runs. */
  List<String> installed(Work work) throws IOException {
    List<String> installed = new ArrayList<>();
    for (String kernel : work.kernels()) {
      if (isInstalled(kernel)) {
        installed.add(kernel);
      }
    }
    return installed;
  }

  /** Whether a kernel of this release has a directory of modules that is not a mere remnant. */
  boolean isInstalled(String kernel) throws IOException {
    ModulesDirectory directory = ModulesDirectory.find(base.root(), kernel);
    return directory != null && directory.isKernel();
  }

  /** Does it; returns whether all of it succeeded. */
  boolean run(String title, Work work, List<InitramfsStep> images) throws IOException {
    List<String> installed = installed(work);
    if (work.changes().isEmpty() && installed.isEmpty()) {
      return true;
    }
    LinkTransaction transaction = new LinkTransaction(title, work.changes(), installed, images);
    try {
      return tell(execution.run(base.root(), transaction, new Messages(streams)));
    } catch (TransactionException e) {
      streams.complain(String.valueOf(e.getMessage()));
      for (String detail : e.details()) {
        streams.log("  " + detail);
      }
      return false;
    }
  }

  private boolean tell(TransactionOutcome outcome) {
    for (TransactionOutcome.InitramfsFailure failure : outcome.initramfsFailures()) {
      streams.complain(
          "the initramfs of " + failure.kernel() + " could not be renewed: " + failure.reason());
      for (String line : failure.output()) {
        streams.log("  " + line);
      }
    }
    return outcome.initramfsFailures().isEmpty();
  }

  private record Messages(Streams streams) implements TransactionListener {
    @Override
    public void waitingFor(LockFile.Holder holder) {
      streams.complain("waiting for " + holder);
    }

    @Override
    public void warning(String message) {
      streams.complain(message);
    }
  }
}
