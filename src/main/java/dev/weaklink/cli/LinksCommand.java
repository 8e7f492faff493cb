package dev.weaklink.cli;

import dev.weaklink.check.result.ExitCode;
import dev.weaklink.links.AuditResult;
import dev.weaklink.links.LinkChanges;
import dev.weaklink.links.LinkManager;
import dev.weaklink.links.PlanRequest;
import dev.weaklink.links.Repair;
import dev.weaklink.links.plan.AuditedLink;
import dev.weaklink.links.plan.LinkDefect;
import dev.weaklink.links.report.LinkJson;
import dev.weaklink.links.report.LinkTable;
import dev.weaklink.links.transaction.TransactionException;
import dev.weaklink.links.transaction.TransactionSettings;
import dev.weaklink.sys.Escape;
import java.io.IOException;
import java.util.List;
import java.util.stream.Stream;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/** {@code weaklink links}: the links there are, what is wrong with them, and mending that. */
final class LinksCommand implements Command {
  private final TransactionSettings transactions;

  LinksCommand(TransactionSettings transactions) {
    this.transactions = transactions;
  }

  private static final String LIST = "list";
  private static final String AUDIT = "audit";
  private static final String REPAIR = "repair";
  private static final List<String> WORDS = List.of(LIST, AUDIT, REPAIR);
  private static final String DRY_RUN = "--dry-run";

  @Override
  public void declare(CommandSpec spec) {
    spec.usageMessage().description(defects());
    spec.addPositional(Options.action(WORDS));
    spec.addPositional(Options.operands("1..*", "0..*", "LINK", List.of()));
    spec.addOption(Options.flag(DRY_RUN));
    Options.addNoInitramfs(spec);
    PlanOptions.addKernel(spec);
    Options.addRoot(spec);
    TrustOptions.addTo(spec);
    spec.addOption(TableOrJson.option());
    Options.addColor(spec);
    Options.addJobs(spec);
    Options.addNoCache(spec);
  }

  /** What can be wrong with a link, at the end of the description. */
  private static String[] defects() {
    return Stream.of(LinkDefect.values())
        .map(
            defect ->
                "  "
                    + defect.id()
                    + ": "
                    + defect.sentence()
                    + (defect.mayBeRemoved() ? " (repair removes it)" : ""))
        .toArray(String[]::new);
  }

  @Override
  public int run(ParseResult parsed, Console console) throws IOException {
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
      return repair(request, named, parsed, console);
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

  private int repair(PlanRequest request, List<String> named, ParseResult parsed, Console console)
      throws IOException {
    try {
      Repair repair =
          new LinkChanges(transactions)
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
      return TransactionMessages.failed(e, console).number();
    }
  }
}
