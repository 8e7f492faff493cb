package dev.weaklink.check;

import dev.weaklink.cache.DirectoryCache;
import dev.weaklink.codec.Compression;
import dev.weaklink.codec.FileContents;
import dev.weaklink.codec.UnreadableFileException;
import dev.weaklink.module.KernelModule;
import dev.weaklink.module.ModuleReader;
import dev.weaklink.module.Origin;
import dev.weaklink.module.PackagedModule;
import dev.weaklink.sys.FileIdentity;
import dev.weaklink.sys.Workers;
import java.io.IOException;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.function.IntConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Reads the facts of many module files on several threads. Results keep the order of the files.
 *
 * <p>Relocations are most of a module's bytes and the last thing the loader looks at, so they are
 * left for {@link #examineRelocations}, but for compressed files, which have to be unpacked whole.
 */
final class ModuleFacts {
  /**
   * A file to read.
   *
   * @param origin the name it goes by in reports
   * @param identity what was there a moment ago, null if that is not known
   * @param packaged what has been read of it already if it lies in a package, else null
   */
  record Source(
      Path file,
      Origin origin,
      @Nullable FileIdentity identity,
      @Nullable PackagedModule packaged) {
    Source(Path file, String display) {
      this(file, Origin.file(display), null, null);
    }
  }

  private final Source[] sources;
  private final int threads;
  private final @Nullable DirectoryCache[] shelves;
  private final @Nullable FileIdentity[] identities;
  private final long started;
  private final @Nullable KernelModule[] modules;
  private final @Nullable String[] failures;
  private final Workers workers;

  private ModuleFacts(Source[] sources, ReadOptions options, IntConsumer progress) {
    this.sources = sources;
    this.threads = options.threads();
    this.started = options.cache().now();
    this.shelves = options.cache().shelves(files(sources));
    this.identities = new FileIdentity[sources.length];
    this.modules = new KernelModule[sources.length];
    this.failures = new String[sources.length];
    Supplier<IntConsumer> readers =
        new Supplier<>() {
          @Override
          public IntConsumer get() {
            return reader(progress);
          }
        };
    this.workers = Workers.start(sources.length, threads, readers);
  }

  /**
   * Starts reading; the caller's thread may do other work until {@link #finish}.
   *
   * @param options the threads include the caller's, in the end
   * @param progress told how many files more have been read, from any thread
   */
  static ModuleFacts start(Source[] sources, ReadOptions options, IntConsumer progress) {
    return new ModuleFacts(sources, options, progress);
  }

  private static Path[] files(Source[] sources) {
    Path[] files = new Path[sources.length];
    for (int i = 0; i < files.length; i++) {
      files[i] = sources[i].file();
    }
    return files;
  }

  private IntConsumer reader(IntConsumer progress) {
    FileContents contents = FileContents.ofWorker();
    return new IntConsumer() {
      @Override
      public void accept(int index) {
        read(index, contents);
        progress.accept(1);
      }
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
    Origin origin = source.origin();
    KernelModule kept = kept(index, origin);
    if (kept != null) {
      modules[index] = kept;
      return;
    }
    try {
      contents.load(source.file());
      KernelModule module =
          contents.compression() == Compression.NONE
              ? ModuleReader.readWithoutRelocations(origin, contents.bytes(), contents.length())
              : ModuleReader.read(origin, contents.bytes(), contents.length());
      modules[index] = module;
      keep(index, module);
    } catch (UnreadableFileException e) {
      failures[index] = e.reason();
    } finally {
      contents.release();
    }
  }

  /** What an earlier run has read from this very file, null if there is nothing. */
  private @Nullable KernelModule kept(int index, Origin origin) {
    DirectoryCache shelf = shelves[index];
    FileIdentity known = sources[index].identity();
    FileIdentity identity = shelf == null ? null : known != null ? known : identity(index);
    identities[index] = identity;
    return shelf == null || identity == null ? null : shelf.find(identity, origin);
  }

  /** Keeps facts if they were read from the file that was looked at before, and from all of it. */
  private void keep(int index, KernelModule module) {
    DirectoryCache shelf = shelves[index];
    FileIdentity before = identities[index];
    if (shelf != null && before != null && before.equals(identity(index))) {
      shelf.keep(before, started, sources[index].file(), module);
    }
  }

  private @Nullable FileIdentity identity(int index) {
    try {
      return FileIdentity.of(sources[index].file());
    } catch (IOException | UnsupportedOperationException e) {
      return null;
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
        new Visitor() {
          @Override
          public void visit(int index, byte[] data, int length) {
            KernelModule module = modules[index];
            if (module != null) {
              KernelModule whole = module.with(ModuleReader.readRelocations(data, length));
              modules[index] = whole;
              keep(index, whole);
            }
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
    new SecondReading(sources, threads, visitor).read(wanted);
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
