package dev.weaklink.cli;

import dev.weaklink.store.KernelStore;
import dev.weaklink.store.StoreEntry;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** The kept kernels that a command line names. */
final class StoreNames {
  private StoreNames() {}

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
