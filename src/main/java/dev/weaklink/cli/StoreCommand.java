package dev.weaklink.cli;

import dev.weaklink.check.StoreKeeper;
import dev.weaklink.check.result.ExitCode;
import dev.weaklink.kernel.store.KernelStore;
import dev.weaklink.kernel.store.StoreEntry;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.ParseResult;

/** {@code weaklink store}: kernels seen once, kept for later checks. */
final class StoreCommand implements Command {
  @Override
  public Map<String, Command> commands() {
    Map<String, Command> commands = new LinkedHashMap<>();
    commands.put("list", new StoreListCommand());
    commands.put("add", new StoreAddCommand());
    commands.put("prune", new StorePruneCommand());
    commands.put("push", new StoreTransferCommand(true));
    commands.put("pull", new StoreTransferCommand(false));
    return commands;
  }

  static KernelStore open(ParseResult parsed) throws IOException {
    return StoreKeeper.open(Options.root(parsed), Options.store(parsed));
  }

  static int status(boolean done) {
    return (done ? ExitCode.COMPATIBLE : ExitCode.UNUSABLE).number();
  }

  /** All of them for no name; a name that means none is reported. */
  static List<StoreEntry> entries(KernelStore store, List<String> names, Console console)
      throws IOException {
    if (names.isEmpty()) {
      return store.entries();
    }
    List<StoreEntry> entries = new ArrayList<>();
    for (String name : names) {
      List<StoreEntry> named = store.named(name);
      if (named.isEmpty()) {
        console.message(name + ": no such kernel in " + store.directory());
      }
      entries.addAll(named);
    }
    return entries;
  }

  /** Whether every name means one at least. */
  static boolean areAllThere(KernelStore store, List<String> names) throws IOException {
    for (String name : names) {
      if (store.named(name).isEmpty()) {
        return false;
      }
    }
    return true;
  }
}
