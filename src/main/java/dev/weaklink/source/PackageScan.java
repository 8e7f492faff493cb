package dev.weaklink.source;

import dev.weaklink.archive.EntryType;
import dev.weaklink.archive.EntryVisitor;
import dev.weaklink.archive.HeldBytes;
import dev.weaklink.archive.PackageEntry;
import dev.weaklink.archive.PackageFile;
import dev.weaklink.archive.PackageInfo;
import dev.weaklink.archive.PackageLimits;
import dev.weaklink.archive.PackageReader;
import dev.weaklink.archive.UnreadablePackageException;
import dev.weaklink.cache.PackageFacts;
import dev.weaklink.codec.FileContents;
import dev.weaklink.codec.UnreadableFileException;
import dev.weaklink.module.KernelModule;
import dev.weaklink.module.ModuleReader;
import dev.weaklink.module.Origin;
import dev.weaklink.module.PackagedModule;
import dev.weaklink.module.RuntimeNames;
import dev.weaklink.tree.ModuleNames;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Goes through a package once: most of the time goes into unpacking it, so everything is read that
 * may be wanted of it. Links are skipped.
 */
final class PackageScan implements EntryVisitor {
  /** Of all files that are no modules, as stored: images have up to 50 MiB, symvers files a few. */
  static final long MAX_HELD = 256L << 20;

  private final FileContents contents = FileContents.ofWorker();
  private final String given;
  private final AtomicLong room;
  private final Map<String, PackagedModule> modules = new LinkedHashMap<>();
  private final Map<String, PackageFacts.KernelFile> files = new LinkedHashMap<>();
  private final List<PackageFacts.Problem> problems = new ArrayList<>();
  private @Nullable PackageInfo lastInfo;
  private Origin.@Nullable Owner lastOwner;

  private PackageScan(String given, AtomicLong room) {
    this.given = given;
    this.room = room;
  }

  /**
   * Reads a package.
   *
   * @param given what it is called in reports
   * @param room how many bytes of files that are no modules may still be held
   * @param progress takes how many bytes more of the package have been read
   */
  static PackageFacts read(Path file, String given, AtomicLong room, LongConsumer progress) {
    PackageScan scan = new PackageScan(given, room);
    String failure = null;
    try (PackageFile open = PackageReader.open(file, PackageLimits.DEFAULT, progress)) {
      open.forEach(scan);
    } catch (UnreadablePackageException e) {
      failure = e.reason();
    }
    return new PackageFacts(
        List.copyOf(scan.modules.values()),
        List.copyOf(scan.files.values()),
        scan.problems,
        failure);
  }

  /** Whether an entry of this path is a module file. */
  static boolean isModule(String path) {
    return ModuleNames.isModuleFile(path.substring(path.lastIndexOf('/') + 1));
  }

  @Override
  public boolean wants(String path) {
    return isModule(path) || KernelPath.of(path) != null;
  }

  @Override
  public void visit(PackageEntry entry) throws IOException {
    if (entry.type() != EntryType.FILE) {
      return;
    }
    if (isModule(entry.path())) {
      modules.put(entry.member(), module(entry));
    } else if (room.addAndGet(-entry.size()) < 0) {
      room.addAndGet(entry.size());
      problem(entry.member(), "more than " + MAX_HELD + " bytes of such files; left out");
    } else {
      HeldBytes bytes = new HeldBytes(entry.contents().readNBytes((int) entry.size()));
      files.put(
          entry.member(),
          new PackageFacts.KernelFile(entry.owner(), entry.member(), entry.path(), bytes));
    }
  }

  private PackagedModule module(PackageEntry entry) throws IOException {
    Origin.Owner owner = owner(entry.owner());
    Origin origin = new Origin(given, entry.member(), owner);
    try {
      contents.load(origin.toString(), entry.contents(), entry.size());
      KernelModule module = ModuleReader.read(origin, contents.bytes(), contents.length());
      return module(entry, owner, module, null, runtime(module));
    } catch (UnreadableFileException e) {
      return module(entry, owner, null, e.reason(), RuntimeNames.NONE);
    } finally {
      contents.release();
    }
  }

  private static PackagedModule module(
      PackageEntry entry,
      Origin.@Nullable Owner owner,
      @Nullable KernelModule facts,
      @Nullable String failure,
      RuntimeNames runtime) {
    return new PackagedModule(
        entry.owner(), owner, entry.container(), entry.path(), facts, failure, runtime);
  }

  private RuntimeNames runtime(KernelModule module) {
    return RuntimeNames.isAskedFor(module)
        ? ModuleReader.readRuntimeNames(contents.bytes(), contents.length())
        : RuntimeNames.NONE;
  }

  /** The same for all modules of a package: there may be thousands. */
  private Origin.@Nullable Owner owner(PackageInfo info) {
    if (info != lastInfo) {
      lastInfo = info;
      lastOwner = PackageFacts.owner(info);
    }
    return lastOwner;
  }

  @Override
  public void problem(String subject, String message) {
    problems.add(new PackageFacts.Problem(subject, message));
  }
}
