package dev.weaklink.check.userspace;

import dev.weaklink.check.userspace.Libraries.Library;
import dev.weaklink.check.userspace.SharedLibrary.Demand;
import dev.weaklink.check.userspace.SharedLibrary.Import;
import dev.weaklink.format.elf.ElfIdentity;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What dlopen(3) with RTLD_NOW would say to a library in a root: whether all libraries it needs are
 * found, then whether these have the versions asked for, then whether every symbol is found (glibc
 * elf/dl-open.c, elf/dl-version.c, elf/dl-lookup.c).
 */
final class DynamicLinker {
  private static final int MOST_LIBRARIES = 1000;

  private final Libraries libraries;

  /** In the order in which they would be searched: each after what needs it, the nearest first. */
  private final Map<String, Library> loaded = new LinkedHashMap<>();

  private DynamicLinker(Libraries libraries) {
    this.libraries = libraries;
  }

  /**
   * Why a library cannot be loaded.
   *
   * @param kind which of the three
   * @param message as dlerror(3) has it
   * @param files the libraries that do not fit
   */
  record Refusal(UserspaceFinding.Kind kind, String message, List<String> files) {}

  /** Why this library would be refused; null if it would be loaded. */
  static @Nullable Refusal load(Library library, Libraries libraries) {
    DynamicLinker linker = new DynamicLinker(libraries);
    Refusal refusal = linker.map(library);
    if (refusal == null) {
      refusal = linker.checkVersions();
    }
    return refusal == null ? linker.resolveSymbols() : refusal;
  }

  private @Nullable Refusal map(Library first) {
    loaded.put(name(first), first);
    List<Library> queue = new ArrayList<>(List.of(first));
    for (int next = 0; next < queue.size() && queue.size() < MOST_LIBRARIES; next++) {
      Library library = queue.get(next);
      SharedLibrary contents = library.contents();
      if (contents == null) {
        return new Refusal(
            UserspaceFinding.Kind.LIBRARY_UNREADABLE,
            library.inside() + ": " + library.reason(),
            List.of(library.inside()));
      }
      for (String needed : contents.needed()) {
        if (loaded.containsKey(needed)) {
          continue;
        }
        Library found = find(needed, library, contents.identity());
        if (found == null) {
          return new Refusal(
              UserspaceFinding.Kind.LIBRARY_MISSING,
              needed + ": cannot open shared object file: No such file or directory",
              List.of(library.inside()));
        }
        loaded.put(needed, found);
        queue.add(found);
      }
    }
    return null;
  }

  private @Nullable Library find(String name, Library by, ElfIdentity identity) {
    List<String> first = new ArrayList<>();
    SharedLibrary contents = by.contents();
    String origin = Libraries.parent(by.inside());
    for (String directory : contents == null ? List.<String>of() : contents.searchPath()) {
      first.add(directory.replace("$ORIGIN", origin).replace("${ORIGIN}", origin));
    }
    return libraries.find(name, first, identity);
  }

  private static String name(Library library) {
    SharedLibrary contents = library.contents();
    String soname = contents == null ? null : contents.soname();
    return soname == null ? library.inside() : soname;
  }

  private @Nullable Refusal checkVersions() {
    for (Library library : loaded.values()) {
      SharedLibrary contents = library.contents();
      for (Demand demand : contents == null ? List.<Demand>of() : contents.demands()) {
        Library asked = loaded.get(demand.library());
        if (asked != null && lacks(asked, demand)) {
          return new Refusal(
              UserspaceFinding.Kind.VERSION_MISSING,
              "%s: version `%s' not found (required by %s)"
                  .formatted(asked.inside(), demand.version(), library.inside()),
              List.of(library.inside(), asked.inside()));
        }
      }
    }
    return null;
  }

  private static boolean lacks(Library library, Demand demand) {
    SharedLibrary contents = library.contents();
    return contents != null
        && !demand.isWeak()
        && !contents.versions().isEmpty()
        && !contents.versions().contains(demand.version());
  }

  /** From the last to the first, as relocations are done. */
  private @Nullable Refusal resolveSymbols() {
    List<Library> order = new ArrayList<>(loaded.values());
    for (int i = order.size() - 1; i >= 0; i--) {
      SharedLibrary contents = order.get(i).contents();
      for (Import symbol : contents == null ? List.<Import>of() : contents.imports()) {
        if (!isOffered(symbol)) {
          String version = symbol.version().isEmpty() ? "" : ", version " + symbol.version();
          String library = order.get(i).inside();
          return new Refusal(
              UserspaceFinding.Kind.SYMBOL_MISSING,
              library + ": undefined symbol: " + symbol.name() + version,
              List.of(library));
        }
      }
    }
    return null;
  }

  private boolean isOffered(Import symbol) {
    for (Library library : loaded.values()) {
      SharedLibrary contents = library.contents();
      if (contents != null && contents.offers(symbol)) {
        return true;
      }
    }
    return false;
  }
}
