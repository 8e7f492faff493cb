package dev.weaklink.cli;

import dev.weaklink.check.result.ExitCode;
import dev.weaklink.links.History;
import dev.weaklink.links.HistoryEntry;
import dev.weaklink.links.TransactionException;
import dev.weaklink.links.TransactionOutcome;
import dev.weaklink.manage.LinkChanges;
import dev.weaklink.report.HistoryText;
import dev.weaklink.sys.Root;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.ParseResult;

/** {@code weaklink undo}: puts links back as they were before a transaction. */
final class UndoCommand implements Command {
  private static final String DRY_RUN = "--dry-run";
  private static final String FORCE = "--force";

  @Override
  public CommandSpec spec() {
    CommandSpec spec = CommandSpec.create();
    Map<String, String> codes = new LinkedHashMap<>();
    codes.put("0", "done, or there was nothing to be put back");
    codes.put("2", "wrong usage, or there is no such transaction");
    TransactionFailure.addExitCodes(codes);
    spec.usageMessage()
        .header("Put links back as they were before a transaction.")
        .description(
            "Restores what a transaction changed: its links, the directories it made or removed,"
                + " and depmod's index files. It is refused if somebody has changed one of the links"
                + " since. An initramfs that holds a module that changed is renewed. Undoing is a"
                + " transaction, too, and can itself be undone.")
        .exitCodeList(codes);
    spec.addPositional(
        PositionalParamSpec.builder()
            .index("0")
            .arity("0..1")
            .type(String.class)
            .paramLabel("NUMBER")
            .description(
                "The transaction, as 'weaklink history' numbers it. Default: one that was"
                    + " interrupted, else the last one.")
            .build());
    Options.addRoot(spec);
    spec.addOption(Options.flag("Show what would be put back and write nothing.", DRY_RUN));
    Options.addNoInitramfs(spec);
    spec.addOption(Options.flag("Put back links, too, that others have changed since.", FORCE));
    Options.addCommon(spec);
    return spec;
  }

  @Override
  public Manual manual() {
    return new Manual(
        List.of(new Entry("weaklink undo", "Take back the last transaction.")),
        List.of(new Entry("/var/lib/weaklink", "The journal of transactions.")),
        List.of());
  }

  @Override
  public int run(ParseResult parsed, Console console, Services services) throws IOException {
    Path top = Options.root(parsed);
    Root root = top == null ? Root.HOST : Root.of(top);
    int number = number(parsed.matchedPositionalValue(0, (String) null));
    if (Options.isSet(parsed, DRY_RUN)) {
      return show(root, number, console);
    }
    try {
      TransactionOutcome outcome =
          new LinkChanges(services.transactions())
              .undo(
                  root,
                  number,
                  Options.isSet(parsed, FORCE),
                  !Options.isSet(parsed, Options.NO_INITRAMFS),
                  new TransactionMessages(console));
      if (outcome == null) {
        return unknown(console);
      }
      TransactionMessages.write(outcome, console);
      console.out().flush();
      TransactionMessages.tell(outcome, true, Options.root(parsed), console);
      return outcome.initramfsFailures().isEmpty()
          ? ExitCode.COMPATIBLE.number()
          : ExitCode.BROKEN.number();
    } catch (TransactionException e) {
      return TransactionFailure.tell(e, console).number();
    }
  }

  /** An interrupted transaction would be finished first, and is undone then. */
  private static int show(Root root, int number, Console console) throws IOException {
    HistoryEntry interrupted = number == 0 ? History.interrupted(root) : null;
    History history = History.read(root);
    HistoryEntry last = interrupted == null ? history.last() : interrupted;
    HistoryEntry entry = number == 0 ? last : history.entry(number);
    if (entry == null) {
      return unknown(console);
    }
    if (entry == interrupted) {
      console.message("transaction " + entry.number() + " was interrupted (" + entry.title() + ")");
    }
    String text =
        entry == interrupted && entry.undoes() > 0
            ? HistoryText.changes(entry)
            : HistoryText.changesToUndo(entry);
    console.out().write(text.getBytes(StandardCharsets.UTF_8));
    return ExitCode.COMPATIBLE.number();
  }

  private static int unknown(Console console) {
    console.message("no such transaction; 'weaklink history' lists them");
    return ExitCode.UNUSABLE.number();
  }

  /** 0 for the interrupted one, else the last one. */
  private static int number(@Nullable String word) {
    try {
      int number = word == null ? 0 : Integer.parseInt(word);
      if (number > 0 || word == null) {
        return number;
      }
    } catch (NumberFormatException e) {
      // said below
    }
    throw new UsageException("'" + word + "' is no transaction's number");
  }
}
