package dev.weaklink.check;

import dev.weaklink.codec.Compression;
import dev.weaklink.codec.FileContents;
import dev.weaklink.codec.UnreadableFileException;
import dev.weaklink.module.KernelModule;
import dev.weaklink.module.ModuleReader;
import dev.weaklink.module.Origin;
import dev.weaklink.source.PackagedModule;
import dev.weaklink.sys.Workers;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Reads the facts of many module files on several threads. Results keep the order of the files.
 *
 * <p>Relocations are most of a module's bytes and the last thing the loader looks at, so they are
 * left for {@link #examineRelocations}, but for compressed files, which have to be unpacked whole.
 */
final class ModuleFacts {
  /**
   * A file to read, the name it goes by in reports, and what has been read of it already if it lies
   * in a package.
   */
  record Source(Path file, Origin origin, @Nullable PackagedModule packaged) {
    Source(Path file, String display) {
      this(file, Origin.file(display), null);
    }
  }

  private final Source[] sources;
  private final int threads;
  private final @Nullable KernelModule[] modules;
  private final @Nullable String[] failures;
  private final Workers workers;

  private ModuleFacts(Source[] sources, int threads, IntConsumer progress) {
    this.sources = sources;
    this.threads = threads;
    this.modules = new KernelModule[sources.length];
    this.failures = new String[sources.length];
    this.workers = Workers.start(sources.length, threads, () -> reader(progress));
  }

  /**
   * Starts reading; the caller's thread may do other work until {@link #finish}.
   *
   * @param threads how many threads read in the end, the caller's included
   * @param progress told how many files more have been read, from any thread
   */
  static ModuleFacts start(Source[] sources, int threads, IntConsumer progress) {
    return new ModuleFacts(sources, threads, progress);
  }

  private IntConsumer reader(IntConsumer progress) {
    FileContents contents = new FileContents();
    return index -> {
      read(index, contents);
      progress.accept(1);
    };
  }

  private void read(int index, FileContents contents) {
    Source source = sources[index];
    PackagedModule packaged = source.packaged();
    if (packaged != null) {
      modules[index] = packaged.facts();
      failures[index] = packaged.failure();
      return;
    }
    try {
      contents.load(source.file());
      Origin origin = source.origin();
      modules[index] =
          contents.compression() == Compression.NONE
              ? ModuleReader.readWithoutRelocations(origin, contents.bytes(), contents.length())
              : ModuleReader.read(origin, contents.bytes(), contents.length());
    } catch (UnreadableFileException e) {
      failures[index] = e.reason();
    }
  }

  /** Reads what is left and waits until everything is read. */
  ModuleFacts finish() {
    workers.finish();
    return this;
  }

  /**
   * Reads these files once more for their relocations. A file that has changed so that it cannot be
   * read any more keeps them unexamined.
   */
  void examineRelocations(BitSet wanted) {
    again(
        wanted,
        (index, data, length) -> {
          KernelModule module = modules[index];
          if (module != null) {
            modules[index] = module.with(ModuleReader.readRelocations(data, length));
          }
        });
  }

  /** Takes a file's unpacked contents, which are gone when it returns. Called on any thread. */
  @FunctionalInterface
  interface Visitor {
    void visit(int index, byte[] data, int length);
  }

  /** Reads these files once more; one that cannot be read any more is left out. */
  void again(BitSet wanted, Visitor visitor) {
    int[] indexes = wanted.stream().toArray();
    Workers.start(indexes.length, threads, () -> reader(indexes, visitor)).finish();
  }

  private IntConsumer reader(int[] indexes, Visitor visitor) {
    FileContents contents = new FileContents();
    return task -> {
      try {
        contents.load(sources[indexes[task]].file());
        visitor.visit(indexes[task], contents.bytes(), contents.length());
      } catch (UnreadableFileException e) {
        // it was readable a moment ago: the verdict will say that this was not looked at
        return;
      }
    };
  }

  int size() {
    return sources.length;
  }

  Source source(int index) {
    return sources[index];
  }

  /** Facts of file {@code index}, null if it could not be read. After {@link #finish}. */
  @Nullable KernelModule module(int index) {
    return modules[index];
  }

  /** Why file {@code index} could not be read, null if it could. After {@link #finish}. */
  @Nullable String failure(int index) {
    return failures[index];
  }
}
