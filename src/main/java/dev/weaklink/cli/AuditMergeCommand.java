package dev.weaklink.cli;

import dev.weaklink.audit.AuditReport;
import dev.weaklink.audit.MergedParts;
import dev.weaklink.audit.UnfitPartsException;
import dev.weaklink.check.result.ExitCode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/** {@code weaklink audit merge}: the parts of an audit as one. */
final class AuditMergeCommand implements Command {
  @Override
  public CommandSpec spec() {
    CommandSpec spec = CommandSpec.create();
    spec.usageMessage()
        .header("Merge the parts of an audit.")
        .description(
            "Reads what 'weaklink audit --shard' wrote on several machines, all parts of one"
                + " audit in any order, packed or not, and shows what one run would have shown.")
        .exitCodeList(AuditOptions.exitCodes());
    StoreCommand.addNames(spec, "FILE", "1..*", "A part, as JSON.");
    AuditOptions.addOutput(spec);
    AuditOptions.addDatabase(spec);
    Options.addCommon(spec);
    return spec;
  }

  @Override
  public Manual manual() {
    return new Manual(
        List.of(
            new Entry(
                "weaklink audit merge part-*.json --format json",
                "The whole audit, byte for byte as one run would have written it."),
            new Entry(
                "weaklink audit merge part-*.json --db audits.db",
                "The whole audit, kept for 'weaklink audit log'.")),
        List.of(),
        List.of());
  }

  @Override
  public int run(ParseResult parsed, Console console, Services services) throws IOException {
    AuditOutput output = AuditOutput.of(parsed, console);
    boolean isKept = AuditDatabase.isAsked(parsed);
    List<AuditReport> parts = new ArrayList<>();
    for (String file : StoreCommand.names(parsed)) {
      parts.add(AuditOutput.read(file));
    }
    try {
      AuditReport report = MergedParts.of(parts);
      int status = output.write(report, console, AuditOutput.exitCode(report));
      boolean lost = isKept && !AuditDatabase.keep(parsed, report, console);
      return lost ? ExitCode.UNUSABLE.number() : status;
    } catch (UnfitPartsException e) {
      throw new UsageException(String.valueOf(e.getMessage()));
    }
  }
}
