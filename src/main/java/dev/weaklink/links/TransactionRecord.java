package dev.weaklink.links;

import java.util.List;

/**
 * What a transaction is about, written once before it begins.
 *
 * @param time when, in seconds since 1970
 * @param undoes the transaction it undoes, or 0
 * @param kernels for which depmod is to run
 * @param restored those among them whose index files are taken from the undone transaction instead
 * @param initramfs kernels whose initramfs is to be renewed
 * @param installed runs of rebuilds that were installed before it, or, if it undoes another, taken
 *     back before it; as {@code KERNEL/N}
 * @param saved the index files that were kept, marked by size and date of the copies
 */
record TransactionRecord(
    int number,
    long time,
    String title,
    int undoes,
    List<String> kernels,
    List<String> restored,
    List<String> initramfs,
    List<PathChange> changes,
    List<String> installed,
    List<IndexSet> saved) {
  TransactionRecord {
    kernels = List.copyOf(kernels);
    restored = List.copyOf(restored);
    initramfs = List.copyOf(initramfs);
    changes = List.copyOf(changes);
    installed = List.copyOf(installed);
    saved = List.copyOf(saved);
  }
}
