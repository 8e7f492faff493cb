package dev.weaklink.links.transaction;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * What a transaction is about, written once before it begins.
 *
 * @param time when, in seconds since 1970
 * @param undoes the transaction it undoes, or 0
 * @param group a number that it has in common with all that are one entry of the history; 0 if it
 *     is one by itself
 * @param kernels for which depmod is to run
 * @param restored those among them whose index files are taken from the undone transaction instead
 * @param initramfs kernels whose initramfs is to be renewed
 * @param open whether its group is not complete with it
 * @param installed runs of rebuilds whose modules are installed with it, or, if it undoes another,
 *     were; as {@code KERNEL/N}
 * @param external what other programs were told to install after it, or, if it undoes another, have
 *     to remove
 * @param saved the index files that were kept, marked by size and date of the copies
 */
record TransactionRecord(
    int number,
    long time,
    String title,
    int undoes,
    int group,
    boolean open,
    List<String> kernels,
    List<String> restored,
    List<String> initramfs,
    List<PathChange> changes,
    List<String> installed,
    List<ExternalInstallation> external,
    List<IndexSet> saved) {
  TransactionRecord {
    kernels = List.copyOf(kernels);
    restored = List.copyOf(restored);
    initramfs = List.copyOf(initramfs);
    changes = List.copyOf(changes);
    installed = List.copyOf(installed);
    external = List.copyOf(external);
    saved = List.copyOf(saved);
  }

  /**
   * This one and an earlier one of its group as one: from what was before the earlier one to what
   * is after this one. Of index files nobody kept those from before both for all kernels.
   */
  TransactionRecord after(TransactionRecord earlier) {
    Map<String, PathChange> joined = new TreeMap<>();
    earlier.changes.forEach(change -> joined.put(change.path(), change));
    changes.forEach(change -> joined.merge(change.path(), change, PathChange::then));
    return new TransactionRecord(
        number,
        time,
        title,
        undoes,
        group,
        open,
        union(earlier.kernels, kernels),
        List.of(),
        union(earlier.initramfs, initramfs),
        new ArrayList<>(joined.values()),
        union(earlier.installed, installed),
        union(earlier.external, external),
        List.of());
  }

  private static <T> List<T> union(List<T> first, List<T> more) {
    Set<T> all = new LinkedHashSet<>(first);
    all.addAll(more);
    return List.copyOf(all);
  }
}
