package dev.weaklink.check;

import dev.weaklink.module.KernelModule;
import dev.weaklink.source.ModuleSource;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The facts of many module files, relocations included, read at once. */
public final class ModuleBatch {
  private final ModuleFacts facts;

  private ModuleBatch(ModuleFacts facts) {
    this.facts = facts;
  }

  /** Reads files on several threads; results keep their order. */
  public static ModuleBatch read(List<ModuleSource> files, int threads) {
    ModuleFacts.Source[] sources = new ModuleFacts.Source[files.size()];
    for (int i = 0; i < sources.length; i++) {
      sources[i] =
          new ModuleFacts.Source(
              files.get(i).host(), files.get(i).origin(), files.get(i).packaged());
    }
    ModuleFacts facts = ModuleFacts.start(sources, threads, count -> {}).finish();
    BitSet all = new BitSet();
    all.set(0, sources.length);
    facts.examineRelocations(all);
    return new ModuleBatch(facts);
  }

  /** The facts of a file; of one that cannot be read, nothing but where it is. */
  public KernelModule module(int index) {
    KernelModule module = facts.module(index);
    return module == null ? KernelModule.unread(facts.source(index).origin()) : module;
  }

  /** Why a file could not be read, null if it could. */
  public @Nullable String failure(int index) {
    return facts.failure(index);
  }
}
