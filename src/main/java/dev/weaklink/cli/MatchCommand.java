package dev.weaklink.cli;

import dev.weaklink.check.CheckRequest;
import dev.weaklink.check.Matcher;
import dev.weaklink.check.result.MatchReport;
import dev.weaklink.report.MatchText;
import java.io.IOException;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/** {@code weaklink match}: which of these builds is for that kernel? */
final class MatchCommand implements Command {

  @Override
  public void declare(CommandSpec spec) {
    StoreCommand.addNames(spec, "DIR", "1..*");
    KernelOption.addTo(spec);
    spec.addOption(CheckCommand.explain());
    spec.addOption(TableOrJson.option());
  }

  @Override
  public int run(ParseResult parsed, Console console) throws IOException {
    boolean json = TableOrJson.isJson(parsed);
    CheckRequest request = KernelOption.request(parsed, console);
    MatchReport report = Matcher.match(request);
    console.report(report.problems());
    if (json) {
      MatchText.write(report, console.out());
    } else {
      console.print(MatchText.lines(report));
    }
    console.out().flush();
    request.reading().cache().save();
    return report.exitCode().number();
  }
}
