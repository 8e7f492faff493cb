package dev.weaklink.check;

import dev.weaklink.explain.CauseFinder;
import dev.weaklink.format.btf.Btf;
import dev.weaklink.format.btf.DistilledBtf;
import dev.weaklink.format.btf.MalformedBtfException;
import dev.weaklink.format.btf.TypeGraph;
import dev.weaklink.format.codec.FileContents;
import dev.weaklink.format.codec.UnreadableFileException;
import dev.weaklink.module.ModuleReader;
import dev.weaklink.module.ModuleTypes;
import dev.weaklink.sys.BackgroundTask;
import dev.weaklink.system.ModuleFile;
import dev.weaklink.system.ModuleNames;
import dev.weaklink.system.ModuleTree;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads the types of modules of two kernels, of those only that are asked for. */
final class ModuleCauses {
  private final @Nullable ModuleTree before;
  private final @Nullable ModuleTree after;
  private final TypeGraph kernelBefore;
  private final TypeGraph kernelAfter;
  private final FileContents contents = new FileContents();
  private final Map<String, Optional<CauseFinder>> finders = new HashMap<>();
  private final Set<String> exporters;
  private final Map<Path, BackgroundTask<Map<String, ModuleTypes>>> packages = new HashMap<>();

  /**
   * The trees are null where modules are not known.
   *
   * @param exporters names of the modules that may be asked about
   */
  ModuleCauses(
      @Nullable ModuleTree before,
      @Nullable ModuleTree after,
      TypeGraph kernelBefore,
      TypeGraph kernelAfter,
      Set<String> exporters) {
    this.exporters = exporters;
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
    ModuleFile older = file(before, owner);
    ModuleFile newer = file(after, owner);
    if (older == null || newer == null) {
      return Optional.empty();
    }
    // Two packages are unpacked side by side.
    inPackage(older);
    inPackage(newer);
    TypeGraph old = types(older, kernelBefore);
    TypeGraph now = old == null ? null : types(newer, kernelAfter);
    return old == null || now == null ? Optional.empty() : Optional.of(kernel.ofModule(old, now));
  }

  private static @Nullable ModuleFile file(@Nullable ModuleTree tree, String owner) {
    return tree == null ? null : tree.chosen(ModuleNames.ofPath(owner));
  }

  /** The types in the package that a module lies in, null if it lies in none. */
  private @Nullable BackgroundTask<Map<String, ModuleTypes>> inPackage(ModuleFile file) {
    // Then the package is its file.
    return ModuleNames.isModuleFile(String.valueOf(file.host().getFileName()))
        ? null
        : packages.computeIfAbsent(
            file.host(), path -> BackgroundTask.start(() -> PackagedTypes.read(path, exporters)));
  }

  private @Nullable ModuleTypes types(ModuleFile file) throws UnreadableFileException {
    BackgroundTask<Map<String, ModuleTypes>> packaged = inPackage(file);
    if (packaged != null) {
      return packaged.get().get(file.name());
    }
    contents.load(file.host());
    return ModuleReader.types(contents.bytes(), contents.length());
  }

  private static Btf read(ModuleTypes types, Btf kernel) throws MalformedBtfException {
    return types.base() == null
        ? Btf.readSplit(types.section(), kernel)
        : DistilledBtf.read(types.section(), types.base(), kernel);
  }

  private @Nullable TypeGraph types(ModuleFile file, TypeGraph kernel) {
    try {
      ModuleTypes types = types(file);
      return types == null ? null : TypeGraph.split(read(types, kernel.btf()), kernel);
    } catch (UnreadableFileException | MalformedBtfException e) {
      // A module that check would complain about; its symbols stay without a cause.
      return null;
    }
  }
}
