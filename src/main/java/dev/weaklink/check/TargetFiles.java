package dev.weaklink.check;

import dev.weaklink.report.TargetKind;
import dev.weaklink.source.FoundFile;
import dev.weaklink.source.PackagedModule;
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
 */
record TargetFiles(
    String label,
    TargetKind kind,
    @Nullable String release,
    List<FoundFile> symvers,
    List<FoundFile> ofedSymvers,
    List<FoundFile> images,
    @Nullable FoundFile config,
    @Nullable FoundFile builtInInfo,
    @Nullable ModuleTree tree,
    Map<String, PackagedModule> modules,
    List<String> notes) {}
