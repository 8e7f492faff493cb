package dev.weaklink.cli;

import dev.weaklink.check.Checker;
import dev.weaklink.check.ReadOptions;
import dev.weaklink.check.result.CheckReport;
import dev.weaklink.check.result.ExitCode;
import dev.weaklink.links.LinkManager;
import dev.weaklink.links.PlanRequest;
import dev.weaklink.links.plan.RebuildGroup;
import dev.weaklink.links.transaction.TransactionSettings;
import dev.weaklink.rebuild.Completeness;
import dev.weaklink.rebuild.Diagnosis;
import dev.weaklink.rebuild.Job;
import dev.weaklink.rebuild.Obstacle;
import dev.weaklink.rebuild.OpenWrtPackages;
import dev.weaklink.rebuild.UnusableJobException;
import dev.weaklink.rebuild.report.RebuildText;
import dev.weaklink.rebuild.run.KeptRun;
import dev.weaklink.rebuild.run.OpenWrtReader;
import dev.weaklink.rebuild.run.Preparation;
import dev.weaklink.rebuild.run.PreparedRebuild;
import dev.weaklink.rebuild.run.RebuildOutcome;
import dev.weaklink.rebuild.run.RebuildPlanner;
import dev.weaklink.rebuild.run.RebuildRun;
import dev.weaklink.rebuild.run.Repository;
import dev.weaklink.report.TableOptions;
import dev.weaklink.sys.IoReason;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;

/** {@code weaklink rebuild}: builds modules for a kernel that no build there is serves. */
final class RebuildCommand implements Command {
  private final TransactionSettings transactions;

  RebuildCommand(TransactionSettings transactions) {
    this.transactions = transactions;
  }

  private static final String DRY_RUN = "--dry-run";
  private static final String INSTALL = "--install";

  @Override
  public void declare(CommandSpec spec) {
    RebuildOptions.addTo(spec);
    spec.addOption(Options.flag(DRY_RUN));
    spec.addOption(
        OptionSpec.builder(INSTALL)
            .type(String.class)
            .arity("0..1")
            .fallbackValue("")
            .paramLabel("RUN")
            .build());
    spec.addOption(CheckCommand.explain());
    spec.addOption(Options.flag("-v", Options.VERBOSE));
    Options.addColor(spec);
    Options.addJobs(spec);
  }

  @Override
  public int run(ParseResult parsed, Console console) throws IOException {
    try {
      OpenWrtPackages openWrt = OpenWrtReader.read(Options.root(parsed));
      if (openWrt != null) {
        return openWrt(openWrt, parsed, console);
      }
      String kept = Options.text(parsed, INSTALL);
      if (kept != null && !kept.isEmpty()) {
        return installKept(kept, parsed, console);
      }
      PreparedRebuild prepared = Preparation.prepare(RebuildOptions.request(parsed, console));
      RebuildText text = new RebuildText(table(parsed, console));
      if (Options.isSet(parsed, DRY_RUN) || prepared.isBlocked()) {
        text.prepared(prepared, Options.isSet(parsed, DRY_RUN));
        explain(prepared, text, parsed, console);
        print(text, console);
        boolean refused = !Options.isSet(parsed, DRY_RUN);
        return (refused
                ? ExitCode.ROLLED_BACK
                : prepared.isBlocked() ? ExitCode.INCOMPATIBLE : ExitCode.COMPATIBLE)
            .number();
      }
      explain(prepared, text, parsed, console);
      print(text, console);
      return build(prepared, parsed, console);
    } catch (UnusableJobException e) {
      console.message(String.valueOf(e.getMessage()));
      return ExitCode.UNUSABLE.number();
    }
  }

  private int installKept(String run, ParseResult parsed, Console console)
      throws IOException, UnusableJobException {
    if (Options.isSet(parsed, DRY_RUN)) {
      throw new UsageException("--install RUN builds nothing, so --dry-run shows nothing of it");
    }
    KeptRun kept = KeptRun.find(RebuildOptions.request(parsed, console), run);
    RebuildOutcome outcome = kept.judge(new Checker());
    if (outcome == null) {
      return busy(kept.prepared(), console);
    }
    return finish(kept.prepared(), outcome, parsed, console);
  }

  /** What a plan for the kernel has this build system build, and what changed in the kernel. */
  private static void explain(
      PreparedRebuild prepared, RebuildText text, ParseResult parsed, Console console)
      throws IOException {
    if (!Options.isSet(parsed, CheckCommand.EXPLAIN)) {
      return;
    }
    Job.Place place = prepared.job().place();
    ReadOptions reading = Options.reading(parsed, console);
    PlanRequest request =
        new PlanRequest(
            Options.root(parsed), List.of(place.kernel()), null, List.of(), reading, false, true);
    List<RebuildGroup> groups =
        RebuildPlanner.groups(new LinkManager().plan(request)).stream()
            .filter(group -> group.backend().equals(prepared.backend().id()))
            .toList();
    text.why(groups);
  }

  private static int busy(PreparedRebuild prepared, Console console) {
    console.message("another rebuild has just started for " + prepared.job().place().kernel());
    return ExitCode.ROLLED_BACK.number();
  }

  private static List<String> offer(
      PreparedRebuild prepared, RebuildOutcome outcome, Path output, Console console) {
    try {
      return new Repository(output, prepared.request().environment())
          .fill(prepared.job().place().kernel(), prepared.evidence().bundle(), outcome.results());
    } catch (IOException e) {
      console.message(output + ": no repository could be made: " + IoReason.of(e));
      return List.of();
    }
  }

  /** Nothing is built there: its modules are built by its SDK, somewhere else. */
  private static int openWrt(OpenWrtPackages packages, ParseResult parsed, Console console)
      throws IOException {
    String kernel = RebuildOptions.kernel(parsed);
    String installed = packages.release();
    if (!installed.isEmpty() && !installed.equals(kernel)) {
      console.message(
          kernel
              + ": OpenWrt has kernel "
              + installed
              + " installed; packages of modules belong to one firmware, so install that of "
              + kernel
              + " with its own packages (sysupgrade), or ask for --kernel "
              + installed);
      return ExitCode.UNUSABLE.number();
    }
    print(new RebuildText(table(parsed, console)).openWrt(kernel, packages), console);
    return (packages.foreign().isEmpty() ? ExitCode.UNDETERMINED : ExitCode.INCOMPATIBLE).number();
  }

  private static TableOptions table(ParseResult parsed, Console console) {
    return ColorChoice.table(parsed, console, false);
  }

  private static void print(RebuildText text, Console console) throws IOException {
    console.print(text.text());
  }

  private int build(PreparedRebuild prepared, ParseResult parsed, Console console)
      throws IOException {
    RebuildMessages messages = new RebuildMessages(console, Options.isSet(parsed, Options.VERBOSE));
    messages.obstacles(prepared.obstacles());
    RebuildOutcome outcome =
        new RebuildRun(prepared, new Checker(), messages, VersionCommand.NUMBER)
            .run(RebuildOptions.limit(parsed));
    return outcome == null ? busy(prepared, console) : finish(prepared, outcome, parsed, console);
  }

  /** Reports what was built, offers it to others, and installs it, as far as that was asked. */
  private int finish(
      PreparedRebuild prepared, RebuildOutcome outcome, ParseResult parsed, Console console)
      throws IOException {
    RebuildText text = new RebuildText(table(parsed, console));
    say(outcome, prepared, text);
    Path output = RebuildOptions.output(parsed);
    if (output != null && outcome.isUsable()) {
      text.facts("repository", offer(prepared, outcome, output, console));
    }
    boolean installs = Options.isSet(parsed, INSTALL);
    if (!installs && outcome.isUsable()) {
      text.facts("to install", List.of(prepared.installing()));
    }
    print(text, console);
    if (!installs || !outcome.isUsable()) {
      return outcome.exitCode().number();
    }
    console.out().flush();
    ExitCode installed =
        new RebuildInstallation(prepared, outcome, console, transactions)
            .run(table(parsed, console));
    return (installed == ExitCode.COMPATIBLE ? outcome.exitCode() : installed).number();
  }

  /** Shows the outcome of a build. */
  private static void say(RebuildOutcome outcome, PreparedRebuild prepared, RebuildText text) {
    String kernel = prepared.job().place().kernel();
    CheckReport check = outcome.results().check();
    if (check != null) {
      text.built(kernel, check, wantsSignatures(prepared) ? outcome.unsigned() : List.of());
    }
    Completeness completeness = outcome.results().completeness();
    if (completeness != null && !completeness.dependants().isEmpty()) {
      text.facts("not rebuilt, but depends on rebuilt modules", completeness.dependants());
    }
    if (completeness != null && !completeness.allowed().isEmpty()) {
      text.facts("missing from the result (allowed)", completeness.allowed());
    }
    Diagnosis failure = outcome.failure();
    if (failure != null) {
      text.failure(kernel, prepared.backend().id(), failure);
    } else {
      text.facts("result", strings(outcome.results().files()));
    }
    text.packages(outcome.manifest().packages());
    text.facts("kept", List.of(outcome.directory().toString()));
  }

  /** Where signatures are neither asked for nor made, nobody misses them. */
  private static boolean wantsSignatures(PreparedRebuild prepared) {
    for (Obstacle obstacle : prepared.obstacles()) {
      if (obstacle.id().equals("signing")) {
        return true;
      }
    }
    return prepared.request().environment().containsKey("MODULE_SIGN_PRIV_KEY");
  }

  private static List<String> strings(List<Path> paths) {
    return paths.stream().map(Path::toString).toList();
  }
}
