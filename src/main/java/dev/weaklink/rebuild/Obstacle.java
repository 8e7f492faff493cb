package dev.weaklink.rebuild;

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
  public enum Weight {
    /** It would fail. */
    BLOCKS("blocks"),
    /** It may end well, but the administrator should know. */
    WARNS("warns");

    private final String id;

    Weight(String id) {
      this.id = id;
    }

    /** Stable name. */
    public String id() {
      return id;
    }
  }

  static Obstacle blocks(String id, String message, @Nullable String remedy) {
    return new Obstacle(Weight.BLOCKS, id, message, remedy);
  }

  static Obstacle warns(String id, String message, @Nullable String remedy) {
    return new Obstacle(Weight.WARNS, id, message, remedy);
  }
}
