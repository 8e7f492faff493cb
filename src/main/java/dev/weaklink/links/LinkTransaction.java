package dev.weaklink.links;

import java.util.List;

/**
 * What is to be done as one: all of it or nothing.
 *
 * @param title the words of the command line, for the history and for others who wait
 * @param changes at most one for a path; the order does not matter
 * @param kernels releases for which depmod runs afterwards, whether or not a link changes
 * @param initramfs what runs after depmod; at most one for a kernel
 */
public record LinkTransaction(
    String title, List<Change> changes, List<String> kernels, List<InitramfsStep> initramfs) {
  public LinkTransaction {
    changes = List.copyOf(changes);
    kernels = List.copyOf(kernels);
    initramfs = List.copyOf(initramfs);
  }
}
