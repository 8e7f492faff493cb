package dev.weaklink.check;

import dev.weaklink.codec.FileContents;
import dev.weaklink.codec.UnreadableFileException;
import dev.weaklink.module.KernelModule;
import dev.weaklink.module.ModuleReader;
import dev.weaklink.module.Origin;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Reads the facts of many module files on several threads. The caller's thread may do other work
 * meanwhile and lends a hand when it asks for the results. Results keep the order of the files.
 */
final class ModuleFacts {
  /** A file to read and the name it goes by in reports. */
  record Source(Path file, String display) {}

  private final Source[] sources;
  private final @Nullable KernelModule[] modules;
  private final @Nullable String[] failures;
  private final AtomicInteger next = new AtomicInteger();
  private final IntConsumer progress;
  private final Thread[] helpers;
  private volatile @Nullable Throwable bug;

  private ModuleFacts(Source[] sources, int threads, IntConsumer progress) {
    this.sources = sources;
    this.modules = new KernelModule[sources.length];
    this.failures = new String[sources.length];
    this.progress = progress;
    this.helpers = new Thread[Math.min(Math.max(threads - 1, 0), sources.length)];
  }

  /**
   * Starts reading.
   *
   * @param threads how many threads read in the end, the caller's included
   * @param progress told how many files more have been read, from any thread
   */
  static ModuleFacts start(Source[] sources, int threads, IntConsumer progress) {
    ModuleFacts facts = new ModuleFacts(sources, threads, progress);
    for (int i = 0; i < facts.helpers.length; i++) {
      Thread helper = new Thread(facts::help, "module-reader-" + i);
      helper.setDaemon(true);
      helper.start();
      facts.helpers[i] = helper;
    }
    return facts;
  }

  private void help() {
    try {
      work();
    } catch (RuntimeException | Error e) {
      bug = e;
    }
  }

  private void work() {
    FileContents contents = new FileContents();
    for (int i = next.getAndIncrement(); i < sources.length; i = next.getAndIncrement()) {
      read(i, contents);
      progress.accept(1);
    }
  }

  private void read(int index, FileContents contents) {
    Source source = sources[index];
    try {
      contents.load(source.file());
      modules[index] =
          ModuleReader.read(Origin.file(source.display()), contents.bytes(), contents.length());
    } catch (UnreadableFileException e) {
      failures[index] = e.reason();
    }
  }

  /** Reads what is left and waits until everything is read. */
  ModuleFacts finish() {
    work();
    for (Thread helper : helpers) {
      join(helper);
    }
    Throwable failed = bug;
    if (failed != null) {
      throw new IllegalStateException("a reader failed: " + failed, failed);
    }
    return this;
  }

  private static void join(Thread helper) {
    boolean interrupted = false;
    while (true) {
      try {
        helper.join();
        break;
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
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
