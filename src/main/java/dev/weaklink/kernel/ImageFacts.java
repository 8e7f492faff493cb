package dev.weaklink.kernel;

import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What only a kernel's image says, which is looked at when something depends on it for the first
 * time: it takes a second to unpack. For any number of threads.
 */
public final class ImageFacts {
  /** Of a kernel of which no image is known. */
  public static final ImageFacts NONE = of(BuiltInModules.UNKNOWN, null);

  private final Set<String> free;
  private final Supplier<Seen> source;
  private @Nullable Seen seen;

  /**
   * Not looked at yet.
   *
   * @param free names that are not asked for: of modules that came with the kernel
   */
  public ImageFacts(Set<String> free, Supplier<Seen> source) {
    this.free = free;
    this.source = source;
  }

  /** Known without looking; parameters as for {@link Seen}. */
  public static ImageFacts of(BuiltInModules builtIn, @Nullable Boolean symbolSections) {
    return new ImageFacts(Set.of(), () -> new Seen(builtIn, symbolSections));
  }

  /**
   * What was seen.
   *
   * @param builtIn names in /sys/module
   * @param symbolSections whether it looks at sections of symbols; null if that is not known
   */
  public record Seen(BuiltInModules builtIn, @Nullable Boolean symbolSections) {}

  private synchronized Seen seen() {
    if (seen == null) {
      seen = source.get();
    }
    return seen;
  }

  /** Names in /sys/module. */
  public BuiltInModules builtIn() {
    return seen().builtIn();
  }

  /** Whether a module of this name finds its place in /sys/module taken. */
  public boolean isTaken(String name) {
    return !free.contains(name) && seen().builtIn().taken().contains(name);
  }

  /** Whether it may find it taken. */
  public boolean mayBeTaken(String name) {
    return !free.contains(name) && seen().builtIn().possible().contains(name);
  }

  /** Whether it looks at sections of symbols; null if that is not known. */
  public @Nullable Boolean symbolSections() {
    return seen().symbolSections();
  }
}
