package dev.weaklink.rebuild.run;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Has something done before this process ends by a signal (SIGINT, SIGTERM, SIGHUP), and gives the
 * rest of the program time to clean up.
 */
final class ShutdownGuard implements AutoCloseable {
  private static final long CLEANING_SECONDS = 30;

  private final CountDownLatch cleaned = new CountDownLatch(1);
  private final Thread hook;

  ShutdownGuard(Runnable first) {
    hook =
        new Thread(
            () -> {
              first.run();
              await();
            },
            "end of a build");
    Runtime.getRuntime().addShutdownHook(hook);
  }

  private void await() {
    try {
      if (!cleaned.await(CLEANING_SECONDS, TimeUnit.SECONDS)) {
        return;
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** All is clean: the process may end. */
  @Override
  public void close() {
    cleaned.countDown();
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      // It is ending already.
    }
  }
}
