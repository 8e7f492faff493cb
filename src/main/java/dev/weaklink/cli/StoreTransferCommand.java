package dev.weaklink.cli;

import dev.weaklink.kernel.store.KernelLibrary;
import dev.weaklink.kernel.store.KernelStore;
import dev.weaklink.kernel.store.StoreEntry;
import dev.weaklink.sys.IoReason;
import java.io.IOException;
import java.util.List;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/** {@code weaklink store push} and {@code pull}: a store's kernels to a library, and from one. */
final class StoreTransferCommand implements Command {
  private final boolean push;

  /** Pushes, or else pulls. */
  StoreTransferCommand(boolean push) {
    this.push = push;
  }

  @Override
  public void declare(CommandSpec spec) {
    spec.addPositional(Options.operand("0", "1", "LIBRARY", List.of()));
    if (push) {
      spec.addPositional(Options.operands("1..*", "0..*", "KERNEL", List.of()));
    }
    Options.addStore(spec);
  }

  @Override
  public int run(ParseResult parsed, Console console) throws IOException {
    KernelStore store = StoreCommand.open(parsed);
    String library = parsed.matchedPositionalValue(0, "");
    KernelLibrary.Listener done = name -> console.print(name + "\n");
    try {
      if (!push) {
        KernelLibrary.at(library).pull(store, done);
        return StoreCommand.status(true);
      }
      List<String> names = parsed.matchedPositionalValue(1, List.<String>of());
      List<StoreEntry> entries = StoreCommand.entries(store, names, console);
      if (entries.isEmpty() || !StoreCommand.areAllThere(store, names)) {
        console.message(
            store.directory()
                + ": no such kernels to push; see 'weaklink store list', add kernels with 'weaklink"
                + " store add'");
        return StoreCommand.status(false);
      }
      KernelLibrary.at(library).push(store, entries, done);
      return StoreCommand.status(true);
    } catch (IOException e) {
      console.message(library + ": " + IoReason.of(e));
      return StoreCommand.status(false);
    }
  }
}
