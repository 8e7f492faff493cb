package dev.weaklink.check;

import dev.weaklink.check.result.TargetKind;
import dev.weaklink.source.FoundFile;
import dev.weaklink.source.PackagedModule;
import dev.weaklink.store.StoredKernel;
import dev.weaklink.tree.ModuleTree;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The files a target is read from.
 *
 * @param label what to call it
 * @param kind what it was given as
 * @param release its release, null if not known
 * @param symvers its Module.symvers, wherever there is one; the first that can be used counts
 * @param ofedSymvers Module.symvers of an OFED built for it, the first that can be used counts
 * @param images the kernel itself; the first that can be used counts, if there is no symvers
 * @param config its build configuration, null if there is none
 * @param builtInInfo its modules.builtin.modinfo, null if there is none
 * @param tree its modules, null if only files were given
 * @param modules what has been read of its modules already, by their paths in the tree
 * @param notes what was found and left out
 * @param stored what was kept of it, if nothing else is there; else null
 */
record TargetFiles(
    String label,
    TargetKind kind,
    @Nullable String release,
    SymversReading symvers,
    List<FoundFile> ofedSymvers,
    List<FoundFile> images,
    @Nullable FoundFile config,
    @Nullable FoundFile builtInInfo,
    @Nullable ModuleTree tree,
    Map<String, PackagedModule> modules,
    List<String> notes,
    @Nullable StoredKernel stored) {
  /** Of a target that is here itself. */
  TargetFiles(
      String label,
      TargetKind kind,
      @Nullable String release,
      SymversReading symvers,
      List<FoundFile> ofedSymvers,
      List<FoundFile> images,
      @Nullable FoundFile config,
      @Nullable FoundFile builtInInfo,
      @Nullable ModuleTree tree,
      Map<String, PackagedModule> modules,
      List<String> notes) {
    this(
        label,
        kind,
        release,
        symvers,
        ofedSymvers,
        images,
        config,
        builtInInfo,
        tree,
        modules,
        notes,
        null);
  }

  /** Of a target that was seen before. */
  static TargetFiles kept(String label, StoredKernel kernel) {
    List<FoundFile> none = List.of();
    return new TargetFiles(
        label,
        TargetKind.STORED_KERNEL,
        kernel.release(),
        SymversReading.later(none),
        none,
        none,
        null,
        null,
        null,
        Map.of(),
        List.of(),
        kernel);
  }
}
