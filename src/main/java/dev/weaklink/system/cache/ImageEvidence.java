package dev.weaklink.system.cache;

import dev.weaklink.kernel.BuiltInModules;
import dev.weaklink.kernel.ImageFacts;
import dev.weaklink.sys.UnreadableException;
import java.util.HashSet;
import java.util.Set;

/**
 * What was found in a kernel's image beyond its exports.
 *
 * @param release the kernel's release (uname -r)
 * @param facts what was found
 */
public record ImageEvidence(String release, ImageFacts.Seen facts) {
  static final int MAGIC = 0x31454c57;
  private static final int SMALLEST = 4;

  /** The release, u8 each for symbol sections and complete names, both sets of names. */
  SegmentBytes bytes() {
    SegmentBytes out = new SegmentBytes(1 << 12);
    out.text(release);
    out.bool(Boolean.TRUE.equals(facts.symbolSections()));
    out.bool(facts.builtIn().complete());
    write(facts.builtIn().taken(), out);
    write(facts.builtIn().possible(), out);
    return out;
  }

  private static void write(Set<String> names, SegmentBytes out) {
    out.i32(names.size());
    names.stream().sorted().forEach(out::text);
  }

  static ImageEvidence read(SegmentCursor in) throws UnreadableException {
    String release = in.textOrThrow();
    boolean symbolSections = in.bool();
    boolean complete = in.bool();
    BuiltInModules names = new BuiltInModules(names(in), names(in), complete);
    return new ImageEvidence(release, new ImageFacts.Seen(names, symbolSections));
  }

  private static Set<String> names(SegmentCursor in) throws UnreadableException {
    Set<String> names = new HashSet<>();
    for (int i = in.count(SMALLEST); i > 0; i--) {
      names.add(in.textOrThrow());
    }
    return names;
  }
}
