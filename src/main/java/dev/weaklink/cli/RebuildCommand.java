package dev.weaklink.cli;

import dev.weaklink.build.Preparation;
import dev.weaklink.build.PreparedRebuild;
import dev.weaklink.rebuild.UnusableJobException;
import dev.weaklink.report.ExitCode;
import dev.weaklink.report.RebuildText;
import dev.weaklink.report.TableOptions;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/** {@code weaklink rebuild}: builds modules for a kernel that no build there is serves. */
final class RebuildCommand implements Command {
  private static final String DRY_RUN = "--dry-run";

  @Override
  public CommandSpec spec() {
    CommandSpec spec = CommandSpec.create();
    spec.usageMessage()
        .header("Build modules for another kernel, with what they were built with before.")
        .description(
            "Finds out what the installed out-of-tree modules were built from (Mellanox's"
                + " installation image, DOCA, DKMS, akmods, a source package) and has it build them"
                + " for a kernel, after looking for all that would make that fail.")
        .exitCodeList(exitCodes());
    RebuildOptions.addTo(spec);
    spec.addOption(
        Options.flag(
            "Print what would be run and what stands in the way; change nothing.", DRY_RUN));
    Options.addColor(spec);
    Options.addJobs(spec);
    Options.addCommon(spec);
    return spec;
  }

  private static Map<String, String> exitCodes() {
    Map<String, String> codes = new LinkedHashMap<>();
    codes.put("0", "built, and the kernel would load every module; or nothing stands in the way");
    codes.put("1", "with --dry-run: something stands in the way");
    codes.put("2", "wrong usage, or it is not known what builds");
    codes.put("3", "built, but it could not be determined whether every module would load");
    codes.put("4", "it was refused or failed, and nothing was installed");
    codes.put("5", "it failed while it was being installed, and a person has to look");
    return codes;
  }

  @Override
  public Manual manual() {
    return new Manual(
        List.of(
            new Entry(
                "weaklink rebuild --kernel 5.14.0-570.el9.x86_64 --bundle /mnt/ofed --dry-run",
                "What would be run with that installation image, and what stands in the way."),
            new Entry(
                "weaklink rebuild --kernel 6.1.0-55-amd64 --product zfs", "A package of DKMS.")),
        List.of(
            new Entry("/var/lib/dkms", "What DKMS has."),
            new Entry("/lib/modules/RELEASE/build", "The kernel's build tree.")),
        List.of(
            new Entry(
                "MODULE_SIGN_PRIV_KEY, MODULE_SIGN_PUB_KEY",
                "Files of a key that Mellanox's builds sign modules with.")));
  }

  @Override
  public int run(ParseResult parsed, Console console, Services services) throws IOException {
    try {
      PreparedRebuild prepared = Preparation.prepare(RebuildOptions.request(parsed, console));
      write(prepared, parsed, console);
      return (prepared.isBlocked() ? ExitCode.INCOMPATIBLE : ExitCode.COMPATIBLE).number();
    } catch (UnusableJobException e) {
      console.message(String.valueOf(e.getMessage()));
      return ExitCode.UNUSABLE.number();
    }
  }

  private static void write(PreparedRebuild prepared, ParseResult parsed, Console console)
      throws IOException {
    TableOptions options =
        new TableOptions(Terminal.DEFAULT_COLUMNS, ColorChoice.isOn(parsed, console), false);
    String text =
        new RebuildText(options)
            .heading(prepared.job().place().kernel(), prepared.backend().id(), prepared.reason())
            .obstacles(prepared.obstacles())
            .steps(prepared.job().place().work(), prepared.steps())
            .text();
    console.out().write(text.getBytes(StandardCharsets.UTF_8));
  }
}
