package dev.weaklink.cli;

import dev.weaklink.check.ReadOptions;
import dev.weaklink.check.StoreKeeper;
import dev.weaklink.kernel.store.StoreEntry;
import dev.weaklink.sys.InputProblem;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/** {@code weaklink store add}: keeps kernels. */
final class StoreAddCommand implements Command {
  @Override
  public void declare(CommandSpec spec) {
    Options.addNames(spec, "K", "0..*");
    Options.addStore(spec);
    Options.addJobs(spec);
  }

  @Override
  public int run(ParseResult parsed, Console console) throws IOException {
    List<InputProblem> problems = new ArrayList<>();
    List<StoreEntry> kept =
        StoreKeeper.keep(
            StoreCommand.open(parsed),
            Options.root(parsed),
            Options.names(parsed),
            ReadOptions.uncached(Options.jobs(parsed)),
            problems);
    for (StoreEntry entry : kept) {
      console.print(entry.name() + "\n");
    }
    console.report(problems);
    return StoreCommand.status(problems.isEmpty());
  }
}
