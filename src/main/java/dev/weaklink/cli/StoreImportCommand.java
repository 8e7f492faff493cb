package dev.weaklink.cli;

import dev.weaklink.kernel.store.KernelStore;
import dev.weaklink.kernel.store.StoreEntry;
import dev.weaklink.sys.IoReason;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/** {@code weaklink store import}: takes over kernels that were exported. */
final class StoreImportCommand implements Command {
  @Override
  public void declare(CommandSpec spec) {
    Options.addNames(spec, "FILE", "1..*");
    Options.addStore(spec);
  }

  @Override
  public int run(ParseResult parsed, Console console) throws IOException {
    KernelStore store = StoreCommand.open(parsed);
    boolean done = true;
    for (String given : Options.names(parsed)) {
      try {
        done &= take(Path.of(given), store, console);
      } catch (InvalidPathException e) {
        console.message(given + ": no such file");
        done = false;
      }
    }
    return StoreCommand.status(done);
  }

  private static boolean take(Path given, KernelStore store, Console console) throws IOException {
    List<Path> files = new ArrayList<>();
    if (Files.isDirectory(given)) {
      new KernelStore(given).entries().forEach(entry -> files.add(entry.file()));
    } else {
      files.add(given);
    }
    if (files.isEmpty()) {
      console.message(given + ": no kernels in it");
      return false;
    }
    boolean done = true;
    for (Path file : files) {
      try {
        StoreEntry entry = store.add(file);
        console.print(entry.name() + "\n");
      } catch (IOException e) {
        console.message(file + ": " + IoReason.of(e) + "; not taken");
        done = false;
      }
    }
    return done;
  }
}
