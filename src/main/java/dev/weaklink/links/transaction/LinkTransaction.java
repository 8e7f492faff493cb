package dev.weaklink.links.transaction;

import dev.weaklink.system.initramfs.InitramfsStep;
import java.util.List;

/**
 * What is to be done as one: all of it or nothing.
 *
 * @param title the words of the command line, for the history and for others who wait
 * @param changes at most one for a path; the order does not matter
 * @param kernels releases for which depmod runs afterwards, whether or not a link changes
 * @param initramfs what runs after depmod; at most one for a kernel
 * @param installed runs of rebuilds whose modules were installed just before, as {@code KERNEL/N};
 *     undoing the transaction takes them back, too
 * @param group a number that it has in common with all that are one entry of the history; 0 if it
 *     is one by itself
 */
public record LinkTransaction(
    String title,
    List<Change> changes,
    List<String> kernels,
    List<InitramfsStep> initramfs,
    List<String> installed,
    int group) {
  public LinkTransaction {
    changes = List.copyOf(changes);
    kernels = List.copyOf(kernels);
    initramfs = List.copyOf(initramfs);
    installed = List.copyOf(installed);
  }

  /** Of links alone. */
  public LinkTransaction(
      String title, List<Change> changes, List<String> kernels, List<InitramfsStep> initramfs) {
    this(title, changes, kernels, initramfs, List.of(), 0);
  }
}
