package dev.weaklink.fleet.judge;

import dev.weaklink.check.OpenTarget;
import dev.weaklink.fleet.SetResult;
import dev.weaklink.fleet.judge.AuditJudge.SetFacts;
import dev.weaklink.kernel.TargetKernel;
import dev.weaklink.loader.TargetReads;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * What kernels have said to sets of modules, for other kernels that are the same in all these
 * answers rest on: what was read of the target ({@link TargetReads}), and the rows of its exports
 * by the names that the set imports or exports. Of many kernels most are: an update changes few of
 * the symbols that a driver uses.
 */
final class VerdictCache {
  /** Numbers kept for comparing: 64 MiB. */
  private static final long MOST_KEPT = 8L << 20;

  private final SymbolProjection asked;
  private final int sets;
  private final Map<KernelFingerprint, KernelFingerprint> sights = new HashMap<>();
  private final Map<Part, Part> parts = new HashMap<>();
  private final Map<List<@Nullable Object>, List<@Nullable Object>> given = new HashMap<>();
  private final List<Set<Read>> reads = new ArrayList<>();
  private final Map<CacheKey, SetResult> answers = new ConcurrentHashMap<>();
  private long kept;

  VerdictCache(List<SetFacts> sets) {
    this.sets = sets.size();
    asked = new SymbolProjection(sets);
    for (int set = 0; set < sets.size(); set++) {
      reads.add(ConcurrentHashMap.newKeySet());
    }
  }

  /** One kernel, as sets see it. For one thread. */
  final class Kernel {
    private final TargetKernel kernel;
    private final @Nullable KernelFingerprint sight;
    private final boolean hasKeys;
    private final Map<Long, List<@Nullable Object>> answered = new HashMap<>();

    private Kernel(OpenTarget target) {
      kernel = target.kernel();
      // What modules of its own would add to an answer is not compared.
      sight = target.hasModules() ? null : sight(kernel);
      // Neither are the keys in its image.
      hasKeys = !target.images().isEmpty();
    }

    /** What this kernel says to a set if that is known from another one, else null. */
    @Nullable SetResult known(int set) {
      Part part = sight == null ? null : sight.parts[set];
      if (part != null) {
        for (Read read : reads.get(set)) {
          SetResult answer = hasKeys && read.keys() ? null : answers.get(question(part, read));
          if (answer != null) {
            return answer;
          }
        }
      }
      return null;
    }

    /** Takes what this kernel says to a set. */
    void keep(int set, PolicyJudge.Answer said) {
      Part part = sight == null ? null : sight.parts[set];
      Read read = new Read(said.reads().asked(), said.reads().releases(), said.readKeys());
      if (part != null && !(hasKeys && read.keys())) {
        answers.put(question(part, read), said.answer());
        reads.get(set).add(read);
      }
    }

    private CacheKey question(Part part, Read read) {
      List<@Nullable Object> all =
          answered.computeIfAbsent(
              read.asked(), bits -> interned(TargetReads.answers(bits, kernel)));
      return new CacheKey(part, read, all, TargetReads.matches(read.releases(), kernel));
    }
  }

  Kernel on(OpenTarget target) {
    return new Kernel(target);
  }

  private synchronized List<@Nullable Object> interned(List<@Nullable Object> all) {
    return given.computeIfAbsent(all, first -> first);
  }

  /**
   * What all sets see of a kernel's exports: the same object for kernels of which they see the
   * same. Null if it cannot be numbered.
   */
  private @Nullable KernelFingerprint sight(TargetKernel kernel) {
    long[] rows = asked.rows(kernel.exports());
    return rows == null ? null : sight(rows);
  }

  private synchronized KernelFingerprint sight(long[] rows) {
    KernelFingerprint seen = new KernelFingerprint(rows, new Part[sets]);
    KernelFingerprint same = sights.get(seen);
    if (same != null) {
      return same;
    }
    for (int set = 0; set < seen.parts.length; set++) {
      Part part = new Part(set, asked.ofSet(set, rows));
      seen.parts[set] = known(parts, part, part.rows.length);
    }
    known(sights, seen, rows.length);
    return seen;
  }

  /** The object that stands for all that are equal to this one; null if there is no room for it. */
  private <T> @Nullable T known(Map<T, T> all, T one, int size) {
    T same = all.get(one);
    if (same == null && kept + size <= MOST_KEPT) {
      kept += size;
      all.put(one, one);
      return one;
    }
    return same;
  }

  /**
   * What an answer rests on, as {@link TargetReads} has it.
   *
   * @param keys whether it rests on the keys in the kernel's image, too
   */
  private record Read(long asked, List<String> releases, boolean keys) {}

  /**
   * What all sets see of a kernel's exports.
   *
   * @param rows what it has by all the names that are asked for
   * @param parts what each set sees of them, null where that is not kept; not compared
   */
  private record KernelFingerprint(long[] rows, @Nullable Part[] parts) {
    @Override
    public boolean equals(Object other) {
      return other instanceof KernelFingerprint sight && Arrays.equals(rows, sight.rows);
    }

    @Override
    public int hashCode() {
      return Arrays.hashCode(rows);
    }
  }

  /** What one set sees of a kernel's rows: the same object if it is the same. */
  private record Part(int set, long[] rows) {
    @Override
    public boolean equals(Object other) {
      return other instanceof Part part && set == part.set && Arrays.equals(rows, part.rows);
    }

    @Override
    public int hashCode() {
      return set * 31 + Arrays.hashCode(rows);
    }
  }

  /**
   * All that an answer depends on.
   *
   * @param part compared by identity
   * @param given what the kernel answers to what was read; compared by identity
   * @param matches which releases it was compared with are its own
   */
  private record CacheKey(Part part, Read read, List<@Nullable Object> given, String matches) {
    @Override
    @SuppressWarnings("ReferenceEquality") // of equal parts and answers there is one object
    public boolean equals(Object other) {
      return other instanceof CacheKey asked
          && part == asked.part
          && given == asked.given
          && matches.equals(asked.matches)
          && read.equals(asked.read);
    }

    @Override
    public int hashCode() {
      return (System.identityHashCode(part) * 31 + System.identityHashCode(given)) * 31
          + matches.hashCode();
    }
  }
}
