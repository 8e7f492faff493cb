package dev.weaklink.rebuild;

import dev.weaklink.sys.StableId;
import org.jspecify.annotations.Nullable;

/**
 * Something seen before a build that would make it fail, or its result useless.
 *
 * @param weight what it means for the build
 * @param id stable name
 * @param message what is the matter, one line
 * @param remedy what to do, often a command; null if there is nothing to do
 */
public record Obstacle(Weight weight, String id, String message, @Nullable String remedy) {
  /** What an obstacle means for the build. */
  public enum Weight implements StableId {
    /** It would fail. */
    BLOCKS,
    /** It may end well, but the administrator should know. */
    WARNS
  }

  static Obstacle blocks(String id, String message, @Nullable String remedy) {
    return new Obstacle(Weight.BLOCKS, id, message, remedy);
  }

  static Obstacle warns(String id, String message, @Nullable String remedy) {
    return new Obstacle(Weight.WARNS, id, message, remedy);
  }
}
