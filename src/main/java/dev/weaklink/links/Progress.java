package dev.weaklink.links;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How far a transaction has got.
 *
 * @param written the index files as depmod wrote them, marked by size and checksum
 * @param initramfsPending kernels whose initramfs is not renewed yet
 * @param problem why it is taken back, or null
 */
record Progress(
    Phase phase, List<IndexSet> written, List<String> initramfsPending, @Nullable String problem) {
  /** The journal is written, and nothing else is known. */
  static final Progress BEGUN = new Progress(Phase.BEGUN, List.of(), List.of(), null);

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

  Progress {
    written = List.copyOf(written);
    initramfsPending = List.copyOf(initramfsPending);
  }

  static Progress indexed(List<IndexSet> written, List<String> initramfsPending) {
    return new Progress(Phase.INDEXED, written, initramfsPending, null);
  }

  static Progress done(List<IndexSet> written, List<String> initramfsPending) {
    return new Progress(Phase.DONE, written, initramfsPending, null);
  }

  static Progress rollingBack(String problem) {
    return new Progress(Phase.ROLLING_BACK, List.of(), List.of(), problem);
  }

  static Progress rolledBack(String problem) {
    return new Progress(Phase.ROLLED_BACK, List.of(), List.of(), problem);
  }
}
