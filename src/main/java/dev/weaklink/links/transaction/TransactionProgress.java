package dev.weaklink.links.transaction;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How far a transaction has got.
 *
 * @param written the index files as depmod wrote them, marked by size and checksum
 * @param initramfsPending kernels whose initramfs is not renewed yet
 * @param problem why it is taken back, or null
 * @param closed whether its group is complete, though its record says that it is not
 */
record TransactionProgress(
    Phase phase,
    List<IndexSet> written,
    List<String> initramfsPending,
    @Nullable String problem,
    boolean closed) {
  /** The journal is written, and nothing else is known. */
  static final TransactionProgress BEGUN =
      new TransactionProgress(Phase.BEGUN, List.of(), List.of(), null, false);

  /** The points at which something is written down. */
  enum Phase {
    BEGUN,
    /** Links and indexes are as they should be, and there is no way back. */
    INDEXED,
    DONE,
    ROLLING_BACK,
    ROLLED_BACK;

    boolean isFinal() {
      return this == DONE || this == ROLLED_BACK;
    }
  }

  TransactionProgress {
    written = List.copyOf(written);
    initramfsPending = List.copyOf(initramfsPending);
  }

  static TransactionProgress indexed(List<IndexSet> written, List<String> initramfsPending) {
    return new TransactionProgress(Phase.INDEXED, written, initramfsPending, null, false);
  }

  static TransactionProgress done(List<IndexSet> written, List<String> initramfsPending) {
    return new TransactionProgress(Phase.DONE, written, initramfsPending, null, false);
  }

  static TransactionProgress rollingBack(String problem) {
    return new TransactionProgress(Phase.ROLLING_BACK, List.of(), List.of(), problem, false);
  }

  static TransactionProgress rolledBack(String problem) {
    return new TransactionProgress(Phase.ROLLED_BACK, List.of(), List.of(), problem, false);
  }

  TransactionProgress close() {
    return new TransactionProgress(phase, written, initramfsPending, problem, true);
  }
}
