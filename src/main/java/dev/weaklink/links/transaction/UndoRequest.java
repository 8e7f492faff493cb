package dev.weaklink.links.transaction;

import dev.weaklink.system.initramfs.InitramfsStep;
import java.util.List;

/**
 * What is to be undone.
 *
 * @param title the words of the command line
 * @param number the transaction; see {@link History#last}
 * @param force whether links that others have changed since are put back, too; files and
 *     directories in their place never are
 * @param initramfs what runs after depmod; at most one for a kernel
 */
public record UndoRequest(String title, int number, boolean force, List<InitramfsStep> initramfs) {
  public UndoRequest {
    initramfs = List.copyOf(initramfs);
  }
}
