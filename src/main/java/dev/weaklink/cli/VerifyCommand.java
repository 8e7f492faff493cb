package dev.weaklink.cli;

import dev.weaklink.check.result.ExitCode;
import dev.weaklink.rebuild.ReloadForecast;
import dev.weaklink.rebuild.UnusableJobException;
import dev.weaklink.rebuild.report.RebuildText;
import dev.weaklink.rebuild.run.ReloadProbe;
import dev.weaklink.report.TableOptions;
import dev.weaklink.sys.IoReason;
import dev.weaklink.sys.Root;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Objects;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/** {@code weaklink verify}: whether what is installed can replace what runs without a reboot. */
final class VerifyCommand implements Command {
  private static final String PRODUCT = "--product";

  @Override
  public void declare(CommandSpec spec) {
    spec.addOption(Options.value("P", PRODUCT));
    Options.addRoot(spec);
    Options.addColor(spec);
    Options.addJobs(spec);
  }

  @Override
  public int run(ParseResult parsed, Console console) throws IOException {
    Path top = Options.root(parsed);
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

  private static ExitCode exitCode(ReloadForecast forecast, boolean nothingFound) {
    if (!forecast.foreign().isEmpty() || forecast.isOutdated() && !forecast.canReload()) {
      return ExitCode.INCOMPATIBLE;
    }
    boolean unproven = !forecast.isOutdated() && !forecast.unproven().isEmpty();
    return nothingFound || unproven ? ExitCode.UNDETERMINED : ExitCode.COMPATIBLE;
  }
}
