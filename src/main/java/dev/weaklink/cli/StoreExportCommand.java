package dev.weaklink.cli;

import dev.weaklink.kernel.store.CorruptEntryException;
import dev.weaklink.kernel.store.KernelStore;
import dev.weaklink.kernel.store.StoreEntry;
import dev.weaklink.sys.IoReason;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/** {@code weaklink store export}: copies kept kernels to a directory, which is a store itself. */
final class StoreExportCommand implements Command {
  @Override
  public void declare(CommandSpec spec) {
    spec.addPositional(Options.operand("0", "1", "DIR", List.of()));
    spec.addPositional(Options.operands("1..*", "0..*", "KERNEL", List.of()));
    Options.addStore(spec);
  }

  @Override
  public int run(ParseResult parsed, Console console) throws IOException {
    KernelStore store = StoreCommand.open(parsed);
    String directory = parsed.matchedPositionalValue(0, "");
    KernelStore target = new KernelStore(Path.of(directory).toAbsolutePath());
    List<String> names = parsed.matchedPositionalValue(1, List.<String>of());
    boolean done = true;
    for (StoreEntry entry : StoreCommand.entries(store, names, console)) {
      try {
        target.add(entry.file());
      } catch (CorruptEntryException e) {
        console.message(entry.file() + ": " + e.getMessage() + "; not copied");
        done = false;
      } catch (IOException e) {
        console.message(directory + ": " + IoReason.of(e));
        return StoreCommand.status(false);
      }
    }
    return StoreCommand.status(done && StoreCommand.areAllThere(store, names));
  }
}
