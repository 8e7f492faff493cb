package dev.weaklink.cli;

import dev.weaklink.check.result.ExitCode;
import dev.weaklink.links.AppliedPlan;
import dev.weaklink.links.LinkChanges;
import dev.weaklink.links.LinkManager;
import dev.weaklink.links.PlanRequest;
import dev.weaklink.links.PlanResult;
import dev.weaklink.links.transaction.TransactionException;
import dev.weaklink.links.transaction.TransactionOutcome;
import dev.weaklink.links.transaction.TransactionSettings;
import dev.weaklink.report.Format;
import java.io.IOException;
import java.util.List;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/** {@code weaklink apply}: makes the links of a plan. */
final class ApplyCommand implements Command {
  private final TransactionSettings transactions;

  ApplyCommand(TransactionSettings transactions) {
    this.transactions = transactions;
  }

  private static final String DRY_RUN = "--dry-run";

  @Override
  public void declare(CommandSpec spec) {
    spec.addOption(Options.flag(DRY_RUN));
    spec.addOption(Options.flag(PlanOptions.OVERRIDE));
    spec.addOption(Options.flag(ApplyRebuild.REBUILD));
    spec.addOption(Options.value("PATH", ApplyRebuild.BUNDLE));
    Options.addNoInitramfs(spec);
    PlanOptions.addTo(spec, List.of(Format.TABLE, Format.JSON));
  }

  @Override
  public int run(ParseResult parsed, Console console) throws IOException {
    PlanRequest request = PlanOptions.request(parsed, console);
    if (Options.isSet(parsed, ApplyRebuild.REBUILD)) {
      return new ApplyRebuild(request, parsed, console, transactions)
          .run(Options.isSet(parsed, DRY_RUN));
    }
    if (Options.text(parsed, ApplyRebuild.BUNDLE) != null) {
      throw new UsageException("--bundle is for --rebuild");
    }
    if (Options.isSet(parsed, DRY_RUN)) {
      PlanResult result = new LinkManager().plan(request);
      return PlanOptions.write(result, parsed, console, result.exitCode().number());
    }
    try {
      AppliedPlan applied =
          new LinkChanges(transactions)
              .apply(
                  request,
                  PlanOptions.title("apply", parsed),
                  !Options.isSet(parsed, Options.NO_INITRAMFS),
                  new TransactionMessages(console));
      request.reading().cache().save();
      return report(applied, request, parsed, console);
    } catch (TransactionException e) {
      return TransactionMessages.failed(e, console).number();
    }
  }

  /** Programs get the plan that was carried out; people what was done, and how things stand now. */
  private static int report(
      AppliedPlan applied, PlanRequest request, ParseResult parsed, Console console)
      throws IOException {
    TransactionOutcome outcome = applied.outcome();
    PlanResult now = outcome.isNothing() ? applied.planned() : new LinkManager().plan(request);
    boolean forPeople = PlanOptions.isForPeople(parsed);
    if (forPeople && !PlanOptions.isByUnit(parsed)) {
      TransactionMessages.write(applied.recovered(), console);
      TransactionMessages.write(outcome, console);
    }
    ExitCode code = outcome.initramfsFailures().isEmpty() ? now.exitCode() : ExitCode.BROKEN;
    PlanResult shown = forPeople ? now : applied.planned();
    int status = PlanOptions.write(shown, parsed, console, code.number());
    console.out().flush();
    TransactionMessages.report(outcome, forPeople, Options.root(parsed), console);
    return status;
  }
}
