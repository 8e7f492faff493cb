package dev.weaklink.cli;

import dev.weaklink.kernel.store.KernelStore;
import dev.weaklink.kernel.store.StoreEntry;
import dev.weaklink.kernel.store.StoreListing;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/** {@code weaklink store prune}: removes what is corrupt, and kernels nobody asks for any more. */
final class StorePruneCommand implements Command {
  private static final String KEEP = "--keep";

  @Override
  public void declare(CommandSpec spec) {
    Options.addNames(spec, "KERNEL", "0..*");
    spec.addOption(Options.value("N", KEEP));
    Options.addStore(spec);
  }

  @Override
  public int run(ParseResult parsed, Console console) throws IOException {
    String given = Options.text(parsed, KEEP);
    String wrong = KEEP + " takes a number, not '" + given + "'";
    int keep = given == null ? Integer.MAX_VALUE : Options.number(given, 0, wrong);
    KernelStore store = StoreCommand.open(parsed);
    List<String> names = Options.names(parsed);
    boolean allThere = StoreCommand.areAllThere(store, names);
    List<StoreEntry> unwanted = new ArrayList<>();
    if (!names.isEmpty()) {
      unwanted.addAll(StoreCommand.entries(store, names, console));
    }
    StoreListing listing = store.list();
    for (StoreListing.Corrupt corrupt : listing.corrupt()) {
      unwanted.add(corrupt.entry());
    }
    for (int i = 0; i < listing.kernels().size() - keep; i++) {
      unwanted.add(listing.kernels().get(i).entry());
    }
    for (StoreEntry entry : unwanted.stream().distinct().toList()) {
      store.remove(entry);
      console.print(entry.name() + "\n");
    }
    store.tidy();
    return StoreCommand.status(allThere);
  }
}
