package dev.weaklink.check;

import dev.weaklink.btf.Btf;
import dev.weaklink.btf.DistilledBtf;
import dev.weaklink.btf.MalformedBtfException;
import dev.weaklink.btf.TypeGraph;
import dev.weaklink.codec.FileContents;
import dev.weaklink.codec.UnreadableFileException;
import dev.weaklink.explain.CauseFinder;
import dev.weaklink.module.ModuleReader;
import dev.weaklink.module.ModuleTypes;
import dev.weaklink.tree.ModuleFile;
import dev.weaklink.tree.ModuleTree;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Reads the types of modules of two kernels, of those only that are asked for. */
final class ModuleCauses {
  private final @Nullable ModuleTree before;
  private final @Nullable ModuleTree after;
  private final TypeGraph kernelBefore;
  private final TypeGraph kernelAfter;
  private final FileContents contents = new FileContents();
  private final Map<String, Optional<CauseFinder>> finders = new HashMap<>();

  /** The trees are null where modules are not known. */
  ModuleCauses(
      @Nullable ModuleTree before,
      @Nullable ModuleTree after,
      TypeGraph kernelBefore,
      TypeGraph kernelAfter) {
    this.before = before;
    this.after = after;
    this.kernelBefore = kernelBefore;
    this.kernelAfter = kernelAfter;
  }

  /**
   * Finds causes by the types of a module.
   *
   * @param owner the module as symvers name it, a path without suffix
   * @return null if either kernel's has no types that can be read
   */
  @Nullable CauseFinder finder(String owner, CauseFinder kernel) {
    return finders.computeIfAbsent(owner, path -> read(path, kernel)).orElse(null);
  }

  private Optional<CauseFinder> read(String owner, CauseFinder kernel) {
    TypeGraph old = types(before, owner, kernelBefore);
    TypeGraph now = old == null ? null : types(after, owner, kernelAfter);
    return old == null || now == null ? Optional.empty() : Optional.of(kernel.ofModule(old, now));
  }

  private static Btf read(ModuleTypes types, Btf kernel) throws MalformedBtfException {
    return types.base() == null
        ? Btf.readSplit(types.section(), kernel)
        : DistilledBtf.read(types.section(), types.base(), kernel);
  }

  private @Nullable TypeGraph types(@Nullable ModuleTree tree, String owner, TypeGraph kernel) {
    String name = owner.substring(owner.lastIndexOf('/') + 1);
    ModuleFile file = tree == null ? null : tree.chosen(name);
    if (file == null) {
      return null;
    }
    try {
      contents.load(file.host());
      ModuleTypes types = ModuleReader.types(contents.bytes(), contents.length());
      return types == null ? null : TypeGraph.split(read(types, kernel.btf()), kernel);
    } catch (UnreadableFileException | MalformedBtfException e) {
      // A module that check would complain about; its symbols stay without a cause.
      return null;
    }
  }
}
