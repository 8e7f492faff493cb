package dev.weaklink.cli;

import dev.weaklink.build.ReloadProbe;
import dev.weaklink.check.result.ExitCode;
import dev.weaklink.rebuild.ReloadForecast;
import dev.weaklink.rebuild.UnusableJobException;
import dev.weaklink.report.RebuildText;
import dev.weaklink.report.TableOptions;
import dev.weaklink.report.UserspaceText;
import dev.weaklink.sys.IoReason;
import dev.weaklink.sys.Root;
import dev.weaklink.userspace.UserspaceCheck;
import dev.weaklink.userspace.UserspaceReport;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Objects;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/** {@code weaklink verify}: whether what is installed can replace what runs without a reboot. */
final class VerifyCommand implements Command {
  private static final String PRODUCT = "--product";
  private static final String USERSPACE = "--userspace";

  @Override
  public void declare(CommandSpec spec) {
    spec.addOption(Options.value("P", PRODUCT));
    spec.addOption(Options.flag(USERSPACE));
    spec.addOption(TableOrJson.option());
    Options.addRoot(spec);
    Options.addColor(spec);
    Options.addJobs(spec);
  }

  @Override
  public int run(ParseResult parsed, Console console) throws IOException {
    Path top = Options.root(parsed);
    if (Options.isSet(parsed, USERSPACE)) {
      return userspace(Root.of(top), parsed, console);
    }
    if (TableOrJson.isJson(parsed)) {
      throw new UsageException("--format json goes with --userspace");
    }
    ReloadProbe.Seen seen;
    try {
      seen = ReloadProbe.look(Root.of(top), Options.text(parsed, PRODUCT), Options.jobs(parsed));
    } catch (UnusableJobException e) {
      console.message(String.valueOf(e.getMessage()));
      return ExitCode.UNUSABLE.number();
    } catch (IOException e) {
      console.message(IoReason.of(e));
      return ExitCode.UNUSABLE.number();
    }
    TableOptions options = ColorChoice.table(parsed, console, false);
    String product = Objects.requireNonNullElse(Options.text(parsed, PRODUCT), "");
    ReloadForecast forecast = seen.forecast();
    String text = new RebuildText(options).forecast(seen.kernel(), product, forecast).text();
    console.print(text);
    boolean nothing = forecast.installed() == 0 && !product.isEmpty();
    return exitCode(forecast, nothing).number();
  }

  private static int userspace(Root root, ParseResult parsed, Console console) throws IOException {
    UserspaceReport report = UserspaceCheck.of(root);
    if (TableOrJson.isJson(parsed)) {
      UserspaceText.write(report, console.out());
    } else {
      TableOptions options = ColorChoice.table(parsed, console, false);
      String where = root.isHost() ? "" : root.toString();
      String text = UserspaceText.table(report, where, options);
      console.print(text);
    }
    ExitCode code = report.hasFailures() ? ExitCode.INCOMPATIBLE : ExitCode.COMPATIBLE;
    return (report.isEmpty() ? ExitCode.UNDETERMINED : code).number();
  }

  private static ExitCode exitCode(ReloadForecast forecast, boolean nothingFound) {
    if (!forecast.foreign().isEmpty() || forecast.isOutdated() && !forecast.canReload()) {
      return ExitCode.INCOMPATIBLE;
    }
    boolean unproven = !forecast.isOutdated() && !forecast.unproven().isEmpty();
    return nothingFound || unproven ? ExitCode.UNDETERMINED : ExitCode.COMPATIBLE;
  }
}
