package dev.weaklink.check;

import dev.weaklink.kernel.BuiltInModules;
import dev.weaklink.kernel.ImageFacts;
import dev.weaklink.kernel.LoaderTrace;
import dev.weaklink.kernel.image.KernelImage;
import dev.weaklink.module.KernelModule;
import dev.weaklink.sys.FileIdentity;
import dev.weaklink.system.FoundFile;
import dev.weaklink.system.cache.FactsCache;
import dev.weaklink.system.cache.ImageEvidence;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Finds what only a kernel's image says: kept by an earlier run, or by unpacking it.
 *
 * @param images where it may be
 * @param release its release, null if not known
 * @param sample a module that came with it, null if there is none
 * @param listed what else is known of names in /sys/module
 */
record ImageFactsFinder(
    List<FoundFile> images,
    @Nullable String release,
    @Nullable KernelModule sample,
    BuiltInModules listed,
    FactsCache cache)
    implements Supplier<ImageFacts.Seen> {

  @Override
  public ImageFacts.Seen get() {
    for (FoundFile file : images) {
      ImageFacts.Seen seen = seen(file);
      if (seen != null) {
        return new ImageFacts.Seen(seen.builtIn().or(listed), seen.symbolSections());
      }
    }
    return new ImageFacts.Seen(listed, null);
  }

  /** What an image shows. */
  static ImageFacts.Seen of(KernelImage image) {
    boolean sections = image.traces().found().contains(LoaderTrace.SYMBOL_SECTIONS);
    return new ImageFacts.Seen(image.builtIn(), sections);
  }

  private ImageFacts.@Nullable Seen seen(FoundFile file) {
    FileIdentity before = file.held() == null ? FileIdentity.ofOrNull(file.host()) : null;
    ImageEvidence kept = before == null ? null : cache.evidence(file.host(), before);
    if (kept != null && (release == null || release.equals(kept.release()))) {
      return kept.facts();
    }
    long started = cache.now();
    UsableImage usable = UsableImage.first(List.of(file), release, sample, new ArrayList<>());
    if (usable == null) {
      return null;
    }
    ImageFacts.Seen seen = of(usable.image());
    if (before != null && before.equals(FileIdentity.ofOrNull(file.host()))) {
      ImageEvidence found = new ImageEvidence(usable.image().release(), seen);
      cache.keep(file.host(), before, started, found);
    }
    return seen;
  }
}
