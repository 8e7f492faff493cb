package dev.weaklink.check;

import dev.weaklink.check.ModuleFacts.Source;
import dev.weaklink.format.codec.FileContents;
import dev.weaklink.module.PackagedModule;
import dev.weaklink.sys.UnreadableException;
import dev.weaklink.sys.Workers;
import dev.weaklink.system.PackagedContents;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntConsumer;
import java.util.function.Supplier;

/**
 * Reads some modules once more. On the way of every check: a class of its own for what others would
 * write as a lambda, since the JVM makes the first of those at run time.
 */
final class SecondReading {
  /** Takes a file's unpacked contents, which are gone when it returns. Called on any thread. */
  @FunctionalInterface
  interface Visitor {
    void visit(int index, byte[] data, int length);
  }

  private final Source[] sources;
  private final int threads;
  private final Visitor visitor;

  SecondReading(Source[] sources, int threads, Visitor visitor) {
    this.sources = sources;
    this.threads = threads;
    this.visitor = visitor;
  }

  /** Reads them; one that cannot be read any more is left out. */
  void read(BitSet wanted) {
    int[] plain = new int[wanted.cardinality()];
    int count = 0;
    Map<Path, Map<String, Integer>> packages = new LinkedHashMap<>();
    for (int i = wanted.nextSetBit(0); i >= 0; i = wanted.nextSetBit(i + 1)) {
      PackagedModule packaged = sources[i].packaged();
      if (packaged == null) {
        plain[count++] = i;
      } else {
        packages
            .computeIfAbsent(sources[i].file(), file -> new HashMap<>())
            .put(packaged.member(), i);
      }
    }
    readFiles(plain, count);
    if (!packages.isEmpty()) {
      readPackages(new ArrayList<>(packages.entrySet()));
    }
  }

  private void readFiles(int[] indexes, int count) {
    Supplier<IntConsumer> readers =
        new Supplier<>() {
          @Override
          public IntConsumer get() {
            return reader(indexes);
          }
        };
    Workers.start(count, threads, readers).finish();
  }

  private IntConsumer reader(int[] indexes) {
    FileContents contents = FileContents.ofWorker();
    return new IntConsumer() {
      @Override
      public void accept(int task) {
        int index = indexes[task];
        try {
          contents.load(sources[index].file());
          visitor.visit(index, contents.bytes(), contents.length());
        } catch (UnreadableException e) {
          // it was readable a moment ago: the verdict will say that this was not checked
          return;
        } finally {
          contents.release();
        }
      }
    };
  }

  private void readPackages(List<Map.Entry<Path, Map<String, Integer>>> packages) {
    IntConsumer reader =
        task ->
            PackagedContents.read(
                packages.get(task).getKey(), packages.get(task).getValue(), visitor::visit);
    Workers.start(packages.size(), threads, Workers.all(reader)).finish();
  }
}
