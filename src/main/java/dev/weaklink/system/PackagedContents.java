package dev.weaklink.system;

import dev.weaklink.format.archive.PackageEntry;
import dev.weaklink.format.archive.PackageEntry.EntryType;
import dev.weaklink.format.archive.PackageFile;
import dev.weaklink.format.archive.PackageFile.EntryVisitor;
import dev.weaklink.format.archive.PackageReader;
import dev.weaklink.format.archive.PackageReader.PackageLimits;
import dev.weaklink.format.codec.FileContents;
import dev.weaklink.module.PackagedModule;
import dev.weaklink.sys.UnreadableException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;

/** The contents of modules in a package that has been gone through before. */
public final class PackagedContents implements EntryVisitor {
  private final FileContents contents = FileContents.ofWorker();
  private final Path file;
  private final Map<String, Integer> members;
  private final Visitor visitor;

  /** Takes a module's unpacked contents, which are gone when it returns. */
  @FunctionalInterface
  public interface Visitor {
    /** The module of this number is the first {@code length} bytes. */
    void visit(int number, byte[] data, int length);
  }

  private PackagedContents(Path file, Map<String, Integer> members, Visitor visitor) {
    this.file = file;
    this.members = members;
    this.visitor = visitor;
  }

  /**
   * Goes through the package once more. What cannot be read now is left out: what is wrong with it
   * was reported the first time.
   *
   * @param members numbers of modules by their names, as {@link PackagedModule#member} has them
   */
  public static void read(Path file, Map<String, Integer> members, Visitor visitor) {
    try (PackageFile open = PackageReader.open(file, PackageLimits.DEFAULT)) {
      open.forEach(new PackagedContents(file, members, visitor));
    } catch (UnreadableException e) {
      return;
    }
  }

  @Override
  public boolean wants(String path) {
    return PackageScan.isModule(path);
  }

  @Override
  public void visit(PackageEntry entry) throws IOException {
    Integer number = members.get(entry.member());
    if (number == null || entry.type() != EntryType.FILE) {
      return;
    }
    try {
      contents.load(file.toString(), entry.contents(), entry.size());
      visitor.visit(number, contents.bytes(), contents.length());
    } catch (UnreadableException e) {
      if (e.kind() != UnreadableException.Kind.CONTENTS) {
        throw e;
      }
    } finally {
      contents.release();
    }
  }

  @Override
  public void problem(String subject, String message) {
    // Told the first time.
  }
}
