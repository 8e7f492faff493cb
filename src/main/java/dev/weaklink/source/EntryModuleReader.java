package dev.weaklink.source;

import dev.weaklink.archive.PackageEntry;
import dev.weaklink.codec.FileContents;
import dev.weaklink.codec.UnreadableFileException;
import dev.weaklink.module.ModuleReader;
import dev.weaklink.module.Origin;
import dev.weaklink.tree.ModuleNames;
import java.io.IOException;

/** Reads modules from a package's entries, one at a time. */
final class EntryModuleReader {
  private final FileContents contents = new FileContents();
  private final String display;

  /** For a package of this name in reports. */
  EntryModuleReader(String display) {
    this.display = display;
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
    Origin origin = new Origin(display, entry.member());
    try {
      contents.load(origin.toString(), entry.contents());
    } catch (UnreadableFileException e) {
      return new PackagedModule(entry.member(), null, e.reason());
    }
    return new PackagedModule(
        entry.member(), ModuleReader.read(origin, contents.bytes(), contents.length()), null);
  }
}
