package dev.weaklink.cli;

import dev.weaklink.build.ReloadProbe;
import dev.weaklink.check.result.ExitCode;
import dev.weaklink.rebuild.ReloadForecast;
import dev.weaklink.rebuild.UnusableJobException;
import dev.weaklink.report.RebuildText;
import dev.weaklink.report.TableOptions;
import dev.weaklink.sys.IoReason;
import dev.weaklink.sys.Root;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/** {@code weaklink verify}: whether what is installed can replace what runs without a reboot. */
final class VerifyCommand implements Command {
  private static final String PRODUCT = "--product";

  @Override
  public CommandSpec spec() {
    Map<String, String> codes = new LinkedHashMap<>();
    codes.put("0", "the loaded modules are the installed ones, or a reload can work");
    codes.put("1", "a reload would fail or hurt: reboot");
    codes.put("2", "wrong usage, or no running system");
    codes.put("3", "it cannot be determined whether the loaded modules are the installed ones");
    CommandSpec spec = CommandSpec.create();
    spec.usageMessage()
        .header("Say whether loaded modules can be reloaded, or a reboot is needed.")
        .description(
            "Compares the loaded modules with the installed ones by build-id, or srcversion where"
                + " there is none, and looks for what would make unloading them fail: other"
                + " modules, processes, virtual functions, file systems and storage over the"
                + " fabric. Nothing is unloaded or loaded.")
        .exitCodeList(codes);
    spec.addOption(
        Options.value(
            "P",
            "Only the modules of that product, as rules recognise it ('weaklink rules list')."
                + " Default: all out-of-tree modules.",
            PRODUCT));
    Options.addRoot(spec);
    Options.addColor(spec);
    Options.addJobs(spec);
    Options.addCommon(spec);
    return spec;
  }

  @Override
  public Manual manual() {
    return new Manual(
        List.of(new Entry("weaklink verify", "After new modules were installed.")),
        List.of(
            new Entry("/proc/modules, /sys/module", "What is loaded, and who uses it."),
            new Entry("/proc/PID/fd", "Who has a device open; all processes are seen as root.")),
        List.of());
  }

  @Override
  public int run(ParseResult parsed, Console console, Services services) throws IOException {
    Path top = Options.root(parsed);
    ReloadProbe.Seen seen;
    try {
      seen =
          ReloadProbe.look(
              top == null ? Root.HOST : Root.of(top),
              Options.text(parsed, PRODUCT),
              Options.jobs(parsed));
    } catch (UnusableJobException e) {
      console.message(String.valueOf(e.getMessage()));
      return ExitCode.UNUSABLE.number();
    } catch (IOException e) {
      console.message(IoReason.of(e));
      return ExitCode.UNUSABLE.number();
    }
    TableOptions options =
        new TableOptions(Terminal.DEFAULT_COLUMNS, ColorChoice.isOn(parsed, console), false);
    String product = Objects.requireNonNullElse(Options.text(parsed, PRODUCT), "");
    ReloadForecast forecast = seen.forecast();
    String text = new RebuildText(options).forecast(seen.kernel(), product, forecast).text();
    console.out().write(text.getBytes(StandardCharsets.UTF_8));
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
