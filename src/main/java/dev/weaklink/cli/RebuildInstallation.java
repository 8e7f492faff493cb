package dev.weaklink.cli;

import dev.weaklink.check.Checker;
import dev.weaklink.check.result.ExitCode;
import dev.weaklink.links.LinkChanges;
import dev.weaklink.links.transaction.TransactionException;
import dev.weaklink.links.transaction.TransactionGroup;
import dev.weaklink.links.transaction.TransactionOutcome;
import dev.weaklink.links.transaction.TransactionSettings;
import dev.weaklink.rebuild.report.PlanTable;
import dev.weaklink.rebuild.report.RebuildText;
import dev.weaklink.rebuild.run.AfterInstallation;
import dev.weaklink.rebuild.run.Installation;
import dev.weaklink.rebuild.run.InstallationException;
import dev.weaklink.rebuild.run.PreparedRebuild;
import dev.weaklink.rebuild.run.RebuildOutcome;
import dev.weaklink.report.TableOptions;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Installs what a rebuild made, looks at it again, and renews the kernel's links. */
final class RebuildInstallation {
  private final PreparedRebuild prepared;
  private final RebuildOutcome outcome;
  private final Console console;
  private final TransactionSettings transactions;

  RebuildInstallation(
      PreparedRebuild prepared,
      RebuildOutcome outcome,
      Console console,
      TransactionSettings transactions) {
    this.prepared = prepared;
    this.outcome = outcome;
    this.console = console;
    this.transactions = transactions;
  }

  ExitCode run(TableOptions table) throws IOException {
    TransactionGroup group = TransactionGroup.begin();
    Installation.Installed installed;
    try {
      installed =
          new Installation(prepared, outcome, transactions, title(), console::message).run(group);
    } catch (InstallationException e) {
      console.message(String.valueOf(e.getMessage()));
      return e.isUndone() ? ExitCode.ROLLED_BACK : ExitCode.BROKEN;
    }
    AfterInstallation.State state =
        AfterInstallation.look(prepared, outcome.manifest(), installed, new Checker());
    List<String> undo = new ArrayList<>(installed.undo());
    if (undo.isEmpty()) {
      undo.add("weaklink undo" + PlanOptions.rootWords(prepared.request().root()));
    }
    console.print(
        new RebuildText(table)
            .packages(installed.missing())
            .installed(prepared.job().place().kernel(), state.check(), state.modules())
            .facts("left out by DKMS, the kernel has its own", installed.leftOut())
            .facts("initramfs", state.initramfs())
            .facts("to undo", undo)
            .text());
    if (!state.plan().plan().changesNothing()) {
      console.print(new PlanTable(table).render(state.plan().plan()));
      return links(installed, state, group, table);
    }
    return code(installed, state);
  }

  private String title() {
    return "weaklink rebuild --kernel " + prepared.job().place().kernel() + " --install";
  }

  private static ExitCode code(Installation.Installed installed, AfterInstallation.State state) {
    if (state.check().tally().incompatible() > 0) {
      return ExitCode.BROKEN;
    }
    return installed.missing().isEmpty() ? state.check().exitCode() : ExitCode.INCOMPATIBLE;
  }

  private ExitCode links(
      Installation.Installed installed,
      AfterInstallation.State state,
      TransactionGroup group,
      TableOptions table)
      throws IOException {
    console.out().flush();
    try {
      TransactionOutcome done =
          new LinkChanges(transactions)
              .apply(state.plan(), title(), false, group, new TransactionMessages(console));
      TransactionMessages.report(done, false, prepared.request().root(), console);
      console.print(new RebuildText(table).links(done.changes()).text());
      return code(installed, state);
    } catch (TransactionException e) {
      TransactionMessages.failed(e, console);
      return ExitCode.BROKEN;
    }
  }
}
