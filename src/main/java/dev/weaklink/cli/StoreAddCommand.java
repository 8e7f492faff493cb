package dev.weaklink.cli;

import dev.weaklink.check.ReadOptions;
import dev.weaklink.check.StoreKeeper;
import dev.weaklink.kernel.store.KernelStore;
import dev.weaklink.kernel.store.StoreEntry;
import dev.weaklink.sys.InputProblem;
import dev.weaklink.system.offers.RepositoryKernel;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/** {@code weaklink store add}: keeps kernels. */
final class StoreAddCommand implements Command {
  private static final String REPOSITORY = "--from-repository";
  private static final String DRY_RUN = "--dry-run";
  private static final String URL = "file://";

  @Override
  public void declare(CommandSpec spec) {
    Options.addNames(spec, "K", "0..*");
    spec.addOption(Options.value("DIR", REPOSITORY));
    spec.addOption(Options.flag(DRY_RUN));
    Options.addStore(spec);
    Options.addJobs(spec);
  }

  @Override
  public int run(ParseResult parsed, Console console) throws IOException {
    String repository = Options.text(parsed, REPOSITORY);
    List<String> names = Options.names(parsed);
    boolean dryRun = Options.isSet(parsed, DRY_RUN);
    if (repository == null && dryRun || repository != null && !names.isEmpty()) {
      throw new UsageException(
          dryRun ? DRY_RUN + " goes with " + REPOSITORY : REPOSITORY + " takes no kernels");
    }
    KernelStore store = StoreCommand.open(parsed);
    List<InputProblem> problems = new ArrayList<>();
    if (repository == null) {
      keep(store, names, parsed, console, problems);
    } else {
      for (RepositoryKernel kernel : StoreKeeper.missing(store, directory(repository), problems)) {
        if (dryRun) {
          console.print(kernel.release() + ": " + String.join(" ", kernel.packages()) + "\n");
        } else {
          keep(store, kernel.packages(), parsed, console, problems);
        }
      }
    }
    console.report(problems);
    return StoreCommand.status(problems.isEmpty());
  }

  private static void keep(
      KernelStore store,
      List<String> kernels,
      ParseResult parsed,
      Console console,
      List<InputProblem> problems)
      throws IOException {
    ReadOptions reading = ReadOptions.uncached(Options.jobs(parsed));
    for (StoreEntry entry :
        StoreKeeper.keep(store, Options.root(parsed), kernels, reading, problems)) {
      console.print(entry.name() + "\n");
    }
  }

  private static String directory(String given) {
    if (given.startsWith(URL)) {
      return given.substring(URL.length());
    }
    if (given.contains("://")) {
      throw new UsageException(
          given + ": not a directory; mirror it first, as with 'dnf reposync' or debmirror");
    }
    return given;
  }
}
