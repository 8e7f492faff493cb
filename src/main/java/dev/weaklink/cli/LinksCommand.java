package dev.weaklink.cli;

import dev.weaklink.check.result.ExitCode;
import dev.weaklink.links.TransactionException;
import dev.weaklink.manage.AuditResult;
import dev.weaklink.manage.LinkChanges;
import dev.weaklink.manage.LinkManager;
import dev.weaklink.manage.PlanRequest;
import dev.weaklink.manage.Repair;
import dev.weaklink.plan.AuditedLink;
import dev.weaklink.plan.LinkDefect;
import dev.weaklink.report.LinkJson;
import dev.weaklink.report.LinkTable;
import dev.weaklink.sys.Escape;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/** {@code weaklink links}: the links there are, what is wrong with them, and mending that. */
final class LinksCommand implements Command {
  private static final String LIST = "list";
  private static final String AUDIT = "audit";
  private static final String REPAIR = "repair";
  private static final List<String> WORDS = List.of(LIST, AUDIT, REPAIR);
  private static final String DRY_RUN = "--dry-run";

  @Override
  public void declare(CommandSpec spec) {
    Map<String, String> codes =
        Options.exitCodes(
            "no link is defective; or those that were to be removed are",
            "at least one link is defective, or a transaction was interrupted; after a repair: one is"
                + " left",
            "wrong usage, or a named link does not exist",
            "none is defective, but something could not be determined or read");
    TransactionFailure.addExitCodes(codes);
    spec.usageMessage()
        .header("List, audit and repair weak-updates links.")
        .description(description())
        .exitCodeList(codes);
    spec.addPositional(Options.action(WORDS, "What to do."));
    spec.addPositional(
        Options.operands(
            "1..*",
            "0..*",
            "LINK",
            List.of(),
            "With repair: links to be removed whatever they are, by their path."));
    spec.addOption(
        Options.flag("With repair: show what would be removed and write nothing.", DRY_RUN));
    Options.addNoInitramfs(spec);
    PlanOptions.addKernel(spec);
    Options.addRoot(spec);
    TrustOptions.addTo(spec);
    spec.addOption(TableOrJson.option("as one JSON object"));
    Options.addColor(spec);
    Options.addJobs(spec);
    Options.addNoCache(spec);
  }

  private static String[] description() {
    List<String> text = new ArrayList<>();
    text.add(
        "list shows every link below weak-updates, audit those that something is wrong with, and"
            + " repair removes, as one transaction, those of them that are proven to be of no use, and"
            + " runs depmod where it has not seen every link;"
            + " 'weaklink undo' takes that back, and 'weaklink apply' makes the links that are"
            + " missing. A link of unknown origin is removed only if it is named.");
    text.add("What can be wrong with a link:");
    for (LinkDefect defect : LinkDefect.values()) {
      text.add(
          "  "
              + defect.id()
              + ": "
              + defect.sentence()
              + (defect.mayBeRemoved() ? " (repair removes it)" : ""));
    }
    return text.toArray(new String[0]);
  }

  @Override
  public Manual manual() {
    return new Manual(
            new Entry("weaklink links audit", "What is wrong with the links of this system."),
            new Entry("weaklink links repair --dry-run", "Which of them could be removed."))
        .files(
            new Entry("/lib/modules/RELEASE/weak-updates", "Where links are."),
            new Entry("/var/lib/weaklink", "The journal of transactions."),
            Options.CACHE_PLACE)
        .environment(Options.CACHE_VARIABLE);
  }

  @Override
  public int run(ParseResult parsed, Console console, Services services) throws IOException {
    String word = parsed.matchedPositionalValue(0, "");
    List<String> named = parsed.matchedPositionalValue(1, List.<String>of());
    if (!WORDS.contains(word)) {
      throw new UsageException("links takes " + String.join(", ", WORDS) + "; not '" + word + "'");
    }
    if (!named.isEmpty() && !word.equals(REPAIR)) {
      throw new UsageException("links can be named with repair only");
    }
    PlanRequest request = PlanOptions.request(parsed, console);
    if (word.equals(REPAIR) && !Options.isSet(parsed, DRY_RUN)) {
      return repair(request, named, parsed, console, services);
    }
    AuditResult result = new LinkManager().audit(request);
    if (word.equals(REPAIR)) {
      say(result, console);
      Repair repair = Repair.of(result, named);
      write(repair, console);
      boolean nothing = repair.removed().isEmpty() && repair.depmod().isEmpty();
      return (nothing ? result.exitCode() : ExitCode.INCOMPATIBLE).number();
    }
    request.reading().cache().save();
    say(result, console);
    write(result, word, parsed, console);
    return word.equals(LIST) && result.problems().isEmpty()
        ? ExitCode.COMPATIBLE.number()
        : result.exitCode().number();
  }

  private static void say(AuditResult result, Console console) {
    console.report(result.problems());
  }

  private static void write(AuditResult result, String word, ParseResult parsed, Console console)
      throws IOException {
    if (TableOrJson.isJson(parsed)) {
      LinkJson.write(result.links(), result.problems(), console.out());
      return;
    }
    LinkTable table = new LinkTable(ColorChoice.table(parsed, console, true));
    String text = word.equals(LIST) ? table.list(result.links()) : table.audit(result.links());
    console.print(text);
  }

  private static void write(Repair repair, Console console) throws IOException {
    if (!repair.unknown().isEmpty()) {
      throw new UsageException("not every named link exists; 'links list' shows them");
    }
    StringBuilder text = new StringBuilder();
    for (AuditedLink link : repair.removed()) {
      text.append(LinkTable.removal(link));
    }
    for (String kernel : repair.depmodOnly()) {
      text.append("depmod ").append(Escape.text(kernel)).append('\n');
    }
    console.print(text.toString());
  }

  private static int repair(
      PlanRequest request,
      List<String> named,
      ParseResult parsed,
      Console console,
      Services services)
      throws IOException {
    try {
      Repair repair =
          new LinkChanges(services.transactions())
              .repair(
                  request,
                  named,
                  PlanOptions.title("links repair", parsed),
                  !Options.isSet(parsed, Options.NO_INITRAMFS),
                  new TransactionMessages(console));
      request.reading().cache().save();
      say(repair.audit(), console);
      TransactionMessages.write(repair.recovered(), console);
      write(repair, console);
      console.out().flush();
      TransactionMessages.report(repair.outcome(), true, Options.root(parsed), console);
      return repair.outcome().initramfsFailures().isEmpty()
          ? repair.exitCode().number()
          : ExitCode.BROKEN.number();
    } catch (TransactionException e) {
      return TransactionFailure.report(e, console).number();
    }
  }
}
