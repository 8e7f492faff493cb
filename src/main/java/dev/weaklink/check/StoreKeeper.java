package dev.weaklink.check;

import dev.weaklink.kernel.store.KernelStore;
import dev.weaklink.kernel.store.StoreEntry;
import dev.weaklink.sys.InputProblem;
import dev.weaklink.sys.Progress;
import dev.weaklink.sys.Root;
import dev.weaklink.system.GivenPackages;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Opens stores, and keeps kernels in them that are named as for a check. */
public final class StoreKeeper {
  private StoreKeeper() {}

  /**
   * The store in a directory, or the one of a root.
   *
   * @param root the image of a system, null for {@code /}
   * @param directory the store as typed, null for the root's own
   * @throws IOException if the root cannot be opened
   */
  public static KernelStore open(@Nullable Path root, @Nullable Path directory) throws IOException {
    return new KernelStore(StoredTargets.directory(opened(root), directory));
  }

  private static Root opened(@Nullable Path root) throws IOException {
    return root == null ? Root.HOST : Root.of(root);
  }

  /**
   * Keeps kernels.
   *
   * @param kernels releases and paths as typed; none for the newest kernel in the root
   * @param problems takes what is wrong with them, and why one was not kept
   * @return those that were kept
   * @throws IOException if the root cannot be opened
   */
  public static List<StoreEntry> keep(
      KernelStore store,
      @Nullable Path root,
      List<String> kernels,
      ReadOptions reading,
      List<InputProblem> problems)
      throws IOException {
    Root opened = opened(root);
    StoredTargets stored = StoredTargets.in(opened, store.directory(), problems);
    KernelKeeper keeper = new KernelKeeper(store, reading.cache());
    List<StoreEntry> kept = new ArrayList<>();
    GivenPackages packages = reading.packages();
    packages.readAll(kernels, Progress.NONE);
    for (KernelReading files : new TargetFinder(opened, stored, packages, problems).find(kernels)) {
      OpenTarget target = TargetReader.read(files, Map.of(), reading, problems);
      StoreEntry entry = target == null ? null : keeper.keep(target, problems);
      if (entry != null) {
        kept.add(entry);
      }
    }
    return kept;
  }
}
