package dev.weaklink.cli;

import dev.weaklink.links.TransactionException;
import dev.weaklink.links.TransactionOutcome;
import dev.weaklink.manage.LinkManager;
import dev.weaklink.manage.PlanRequest;
import dev.weaklink.manage.PlanResult;
import dev.weaklink.report.ExitCode;
import dev.weaklink.report.Format;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/** {@code weaklink apply}: makes the links of a plan. */
final class ApplyCommand implements Command {
  private static final String DRY_RUN = "--dry-run";

  @Override
  public CommandSpec spec() {
    CommandSpec spec = CommandSpec.create();
    Map<String, String> codes = PlanOptions.exitCodes("done, and nothing is left to be done");
    TransactionFailure.addExitCodes(codes);
    spec.usageMessage()
        .header("Make the weak-updates links that 'weaklink plan' says are to be made.")
        .description(
            "Makes, replaces and removes links as 'weaklink plan' says, as one transaction: all of"
                + " it or nothing, whatever happens. depmod runs once for each kernel that changed."
                + " 'weaklink undo' takes it back.",
            "Links of unknown origin are left alone.")
        .exitCodeList(codes);
    spec.addOption(Options.flag("Show what would be done and write nothing anywhere.", DRY_RUN));
    Options.addNoInitramfs(spec);
    PlanOptions.addTo(spec, List.of(Format.TABLE, Format.JSON));
    return spec;
  }

  @Override
  public Manual manual() {
    return new Manual(
        List.of(
            new Entry("weaklink apply --dry-run", "What would be done."),
            new Entry("weaklink apply --kernel 5.14.0-570.el9.x86_64", "One kernel's links.")),
        List.of(
            new Entry("/var/lib/weaklink", "The journal of transactions."),
            new Entry("/run/weaklink/lock", "Held while links are changed."),
            Options.CACHE_PLACE),
        List.of(Options.CACHE_VARIABLE));
  }

  @Override
  public int run(ParseResult parsed, Console console, Services services) throws IOException {
    LinkManager manager = new LinkManager();
    PlanRequest request = PlanOptions.request(parsed, console);
    PlanResult result = manager.plan(request);
    PlanOptions.write(result, parsed, console, result.exitCode().number());
    if (Options.isSet(parsed, DRY_RUN)) {
      return result.exitCode().number();
    }
    console.out().flush();
    request.reading().cache().save();
    if (result.plan().changesNothing()) {
      return result.exitCode().number();
    }
    try {
      TransactionOutcome outcome =
          manager.apply(
              result,
              PlanOptions.title("apply", parsed),
              !Options.isSet(parsed, Options.NO_INITRAMFS),
              new TransactionMessages(console));
      TransactionMessages.tell(
          outcome, PlanOptions.isForPeople(parsed), Options.root(parsed), console);
      return outcome.initramfsFailures().isEmpty()
          ? result.exitCodeOnceApplied().number()
          : ExitCode.BROKEN.number();
    } catch (TransactionException e) {
      return TransactionFailure.tell(e, console).number();
    }
  }
}
