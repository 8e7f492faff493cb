package dev.weaklink.system.cache;

import java.util.function.LongSupplier;

/** The system's time, nanoseconds since 1970. */
final class SystemClock implements LongSupplier {
  @Override
  public long getAsLong() {
    return System.currentTimeMillis() * 1_000_000;
  }
}
