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
    spec.usageMessage()
        .header("Say which of several builds of modules fits a kernel.")
        .description(
            "Looks at every package below a directory, such as a repository, and at every directory"
                + " right below it that has module files in it, and judges the modules of each"
                + " together. Their names and versions decide nothing: the order is that of how"
                + " they fit, then whether they were built for this very kernel, then the newest"
                + " version. Marked with 'install' is the best build of each module.")
        .exitCodeList(
            Options.exitCodes(
                "at least one build fits",
                "none fits",
                "wrong usage, or nothing to match was found",
                "none is known to fit, or something could not be read"));
    StoreCommand.addNames(spec, "DIR", "1..*", "A directory or a package.");
    KernelOption.addTo(spec, "The kernel. Default: the newest kernel installed in the root");
    spec.addOption(CheckCommand.explain());
    spec.addOption(TableOrJson.option("one JSON object"));
  }

  @Override
  public Manual manual() {
    return new Manual(
            new Entry(
                "weaklink match /srv/repo --kernel kernel-core-5.14.0-570.el9.rpm",
                "Which packages of a repository are for a kernel."),
            new Entry("weaklink match /opt/lib/modules", "Of a directory for each kernel."))
        .files(StoreCommand.PLACE, Options.CACHE_PLACE)
        .environment(Options.CACHE_VARIABLE);
  }

  @Override
  public int run(ParseResult parsed, Console console, Services services) throws IOException {
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
