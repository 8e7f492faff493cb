package dev.weaklink.links;

import dev.weaklink.sys.LockFile;
import java.util.List;

/** Is told how a transaction gets on. Names are as found and not yet fit for a terminal. */
public interface TransactionListener {
  /** Tells nobody. */
  TransactionListener NONE = new TransactionListener() {};

  /** Another process has the lock; told once, and again when another one has got it. */
  default void waitingFor(LockFile.Holder holder) {}

  /** An earlier transaction was interrupted, and is now finished or taken back. */
  default void recovering(int number, String title) {}

  /**
   * The interrupted transaction is out of the way.
   *
   * @param initramfsPending kernels whose initramfs it did not come to renew
   */
  default void recovered(int number, TransactionState state, List<String> initramfsPending) {}

  /** depmod starts for this kernel. */
  default void depmod(String kernel) {}

  /** The command that renews this kernel's initramfs starts. */
  default void initramfs(String kernel) {}

  /** Something is worth knowing, but does not stop the transaction. */
  default void warning(String message) {}
}
