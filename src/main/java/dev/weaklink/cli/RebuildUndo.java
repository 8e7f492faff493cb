package dev.weaklink.cli;

import dev.weaklink.check.ReadOptions;
import dev.weaklink.check.result.ExitCode;
import dev.weaklink.links.LinkChanges;
import dev.weaklink.links.LinkManager;
import dev.weaklink.links.PlanRequest;
import dev.weaklink.links.PlanResult;
import dev.weaklink.links.transaction.PathChange;
import dev.weaklink.links.transaction.TransactionException;
import dev.weaklink.links.transaction.TransactionOutcome;
import dev.weaklink.links.transaction.TransactionSettings;
import dev.weaklink.rebuild.report.PlanTable;
import dev.weaklink.rebuild.report.RebuildText;
import dev.weaklink.rebuild.run.UndoneInstallation;
import dev.weaklink.report.TableOptions;
import dev.weaklink.sys.Root;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ParseResult;

/** Takes back what {@code rebuild --install} installed last for a kernel, and renews its links. */
final class RebuildUndo {
  private final String kernel;
  private final ParseResult parsed;
  private final Console console;
  private final TransactionSettings transactions;

  RebuildUndo(
      String kernel, ParseResult parsed, Console console, TransactionSettings transactions) {
    this.kernel = kernel;
    this.parsed = parsed;
    this.console = console;
    this.transactions = transactions;
  }

  ExitCode run(TableOptions table) throws IOException {
    @Nullable Path top = Options.root(parsed);
    Root root = Root.of(top);
    List<String> links = new ArrayList<>();
    try {
      links.addAll(undoLinks(root));
    } catch (TransactionException e) {
      return TransactionMessages.failed(e, console);
    }
    UndoneInstallation undone = UndoneInstallation.of(root, kernel, transactions, console::message);
    if (undone == null) {
      console.message("another rebuild is running for " + kernel);
      return ExitCode.ROLLED_BACK;
    }
    Path run = undone.run();
    if (run == null) {
      console.message("nothing that 'weaklink rebuild' installed for " + kernel + " is left");
      return ExitCode.UNUSABLE;
    }
    boolean ours = undone.commands().isEmpty();
    console.print(
        new RebuildText(table)
            .heading(kernel, ours ? "undone" : "cannot be undone here", run.toString())
            .facts("link put back or removed", links)
            .facts("put back or removed", undone.files())
            .facts("changed since, and left alone", undone.changed())
            .facts("run", undone.commands())
            .text());
    if (!ours) {
      return ExitCode.INCOMPATIBLE;
    }
    ExitCode after = links.isEmpty() ? links(top, table) : ExitCode.COMPATIBLE;
    return undone.changed().isEmpty() ? after : ExitCode.BROKEN;
  }

  /** Takes back the links that were made when it was installed; says which. */
  private List<String> undoLinks(Root root) throws IOException, TransactionException {
    int number = UndoneInstallation.linksToUndo(root, kernel);
    List<String> links = new ArrayList<>();
    TransactionOutcome done =
        number == 0
            ? null
            : new LinkChanges(transactions)
                .undo(root, number, false, true, new TransactionMessages(console));
    if (done != null) {
      for (PathChange change : done.changes()) {
        links.addAll(change.isLink() ? List.of(change.path()) : List.of());
      }
      UndoneInstallation.forgetLinks(root, kernel);
    }
    return links;
  }

  private ExitCode links(@Nullable Path top, TableOptions table) throws IOException {
    PlanResult plan =
        new LinkManager()
            .plan(
                new PlanRequest(top, List.of(kernel), ReadOptions.uncached(Options.jobs(parsed))));
    if (plan.plan().changesNothing()) {
      return ExitCode.COMPATIBLE;
    }
    console.print(new PlanTable(table).render(plan.plan()));
    console.out().flush();
    try {
      String title = "weaklink rebuild --kernel " + kernel + " --undo";
      TransactionMessages.report(
          new LinkChanges(transactions).apply(plan, title, false, new TransactionMessages(console)),
          true,
          top,
          console);
      return ExitCode.COMPATIBLE;
    } catch (TransactionException e) {
      return TransactionMessages.failed(e, console);
    }
  }
}
