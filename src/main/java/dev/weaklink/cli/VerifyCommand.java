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
import java.util.Map;
import java.util.Objects;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/** {@code weaklink verify}: whether what is installed can replace what runs without a reboot. */
final class VerifyCommand implements Command {
  private static final String PRODUCT = "--product";
  private static final String USERSPACE = "--userspace";

  @Override
  public void declare(CommandSpec spec) {
    Map<String, String> codes =
        Options.exitCodes(
            "the loaded modules are the installed ones, or a reload can work; with --userspace: no"
                + " failure was found",
            "a reload would fail or hurt: reboot; with --userspace: something fails",
            "wrong usage, or no running system",
            "it cannot be determined whether the loaded modules are the installed ones; with"
                + " --userspace: there are no libraries to look at");
    spec.usageMessage()
        .header("Say whether loaded modules can be reloaded, or a reboot is needed.")
        .description(
            "Compares the loaded modules with the installed ones by build-id, or srcversion where"
                + " there is none, and looks for what would make unloading them fail: other"
                + " modules, processes, virtual functions, file systems and storage over the"
                + " fabric. Nothing is unloaded or loaded.",
            "With --userspace it looks at RDMA's libraries instead, in any root: whether"
                + " libibverbs finds each provider that a file in /etc/libibverbs.d names, whether"
                + " the dynamic linker would load it, by the versions and symbols it needs of"
                + " other libraries, and whether all of that goes with the kernel. The"
                + " libraries are found as ld.so finds them, by /etc/ld.so.cache; where there is"
                + " none, in the directories of /etc/ld.so.conf. None of them is run.")
        .exitCodeList(codes);
    spec.addOption(
        Options.value(
            "P",
            "Only the modules of that product, as rules recognise it ('weaklink rules list')."
                + " Default: all out-of-tree modules.",
            PRODUCT));
    spec.addOption(
        Options.flag("Look at the libraries of RDMA instead of the loaded modules.", USERSPACE));
    spec.addOption(TableOrJson.option("with --userspace one JSON object"));
    Options.addRoot(spec);
    Options.addColor(spec);
    Options.addJobs(spec);
  }

  @Override
  public Manual manual() {
    return new Manual(
            new Entry("weaklink verify", "After new modules were installed."),
            new Entry(
                "weaklink verify --userspace --root /srv/image",
                "Whether the libraries in an image go together."))
        .files(
            new Entry("/proc/modules, /sys/module", "What is loaded, and who uses it."),
            new Entry("/proc/PID/fd", "Who has a device open; all processes are seen as root."),
            new Entry("/etc/libibverbs.d/*.driver", "The providers libibverbs is to load."));
  }

  @Override
  public int run(ParseResult parsed, Console console, Services services) throws IOException {
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
