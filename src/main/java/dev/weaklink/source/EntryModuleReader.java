package dev.weaklink.source;

import dev.weaklink.archive.PackageEntry;
import dev.weaklink.archive.PackageInfo;
import dev.weaklink.codec.FileContents;
import dev.weaklink.codec.UnreadableFileException;
import dev.weaklink.module.KernelModule;
import dev.weaklink.module.ModuleReader;
import dev.weaklink.module.Origin;
import dev.weaklink.tree.ModuleNames;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Reads modules from a package's entries, one at a time. */
final class EntryModuleReader {
  private final FileContents contents = FileContents.ofWorker();
  private final String display;
  private final boolean withRelocations;
  private @Nullable PackageInfo lastInfo;
  private Origin.@Nullable Owner lastOwner;

  private EntryModuleReader(String display, boolean withRelocations) {
    this.display = display;
    this.withRelocations = withRelocations;
  }

  /** For modules to be judged, in a package of this name in reports. */
  static EntryModuleReader ofModules(String display) {
    return new EntryModuleReader(display, true);
  }

  /** For a kernel's own modules, of which nobody asks whether they would load. */
  static EntryModuleReader ofKernel(String display) {
    return new EntryModuleReader(display, false);
  }

  /** Whether an entry of this path is a module file. */
  static boolean isModule(String path) {
    return ModuleNames.isModuleFile(path.substring(path.lastIndexOf('/') + 1));
  }

  /**
   * Reads a file.
   *
   * @throws IOException if the package cannot be read any further
   */
  PackagedModule read(PackageEntry entry) throws IOException {
    Origin.Owner owner = owner(entry.owner());
    Origin origin = new Origin(display, entry.member(), owner);
    try {
      contents.load(origin.toString(), entry.contents(), entry.size());
      return new PackagedModule(entry.member(), owner, module(origin), null);
    } catch (UnreadableFileException e) {
      return new PackagedModule(entry.member(), owner, null, e.reason());
    } finally {
      contents.release();
    }
  }

  private KernelModule module(Origin origin) {
    byte[] bytes = contents.bytes();
    int length = contents.length();
    return withRelocations
        ? ModuleReader.read(origin, bytes, length)
        : ModuleReader.readWithoutRelocations(origin, bytes, length);
  }

  /** The same for all modules of a package: there may be thousands. */
  private Origin.@Nullable Owner owner(PackageInfo info) {
    if (info != lastInfo) {
      lastInfo = info;
      lastOwner =
          info.name().isEmpty()
              ? null
              : new Origin.Owner(info.kind().id(), info.name(), info.version(), info.product());
    }
    return lastOwner;
  }
}
