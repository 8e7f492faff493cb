package dev.weaklink.check;

import dev.weaklink.format.archive.EntryType;
import dev.weaklink.format.archive.EntryVisitor;
import dev.weaklink.format.archive.PackageEntry;
import dev.weaklink.format.archive.PackageFile;
import dev.weaklink.format.archive.PackageLimits;
import dev.weaklink.format.archive.PackageReader;
import dev.weaklink.format.archive.UnreadablePackageException;
import dev.weaklink.format.codec.FileContents;
import dev.weaklink.format.codec.UnreadableFileException;
import dev.weaklink.module.ModuleReader;
import dev.weaklink.module.ModuleTypes;
import dev.weaklink.system.ModuleNames;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Types of the modules in a package, of those that others may import from: they cannot be read one
 * by one, and each pass unpacks the whole package.
 */
final class PackagedTypes implements EntryVisitor {
  /** A kernel's modules have 60 MB of them in all. */
  private static final int ROOM = 192 << 20;

  private final Set<String> wanted;
  private final FileContents contents = new FileContents();
  private final Map<String, ModuleTypes> types = new HashMap<>();
  private int room = ROOM;

  private PackagedTypes(Set<String> wanted) {
    this.wanted = wanted;
  }

  /**
   * Goes through a package once.
   *
   * @param wanted names of modules
   * @return by name; without what cannot be read
   */
  static Map<String, ModuleTypes> read(Path file, Set<String> wanted) {
    PackagedTypes found = new PackagedTypes(wanted);
    try (PackageFile open = PackageReader.open(file, PackageLimits.DEFAULT)) {
      open.forEach(found);
    } catch (UnreadablePackageException e) {
      // It has been said when the kernel was read; what came before that place counts.
    }
    return found.types;
  }

  private static @Nullable String name(String path) {
    String file = path.substring(path.lastIndexOf('/') + 1);
    return ModuleNames.isModuleFile(file) ? ModuleNames.ofFile(file) : null;
  }

  @Override
  public boolean wants(String path) {
    String name = name(path);
    return name != null && wanted.contains(name);
  }

  @Override
  public void visit(PackageEntry entry) throws IOException {
    String name = name(entry.path());
    if (entry.type() != EntryType.FILE || name == null) {
      return;
    }
    try {
      contents.load(entry.member(), entry.contents(), entry.size());
    } catch (UnreadableFileException e) {
      return;
    }
    ModuleTypes read = ModuleReader.types(contents.bytes(), contents.length());
    if (read != null) {
      ByteBuffer base = read.base();
      room -= read.section().remaining() + (base == null ? 0 : base.remaining());
      if (room >= 0) {
        types.put(name, read);
      }
    }
  }

  @Override
  public void problem(String subject, String message) {
    // As for the package itself.
  }
}
