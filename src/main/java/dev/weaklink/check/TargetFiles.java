package dev.weaklink.check;

import dev.weaklink.report.TargetKind;
import dev.weaklink.tree.ModuleTree;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The files a target is read from.
 *
 * @param label what to call it
 * @param kind what it was given as
 * @param release its release, null if not known
 * @param symvers its Module.symvers, null if there is none
 * @param symversName that file's name in reports, null if there is none
 * @param config its build configuration, null if there is none
 * @param builtInInfo its modules.builtin.modinfo, null if there is none
 * @param tree its modules, null if only files were given
 */
record TargetFiles(
    String label,
    TargetKind kind,
    @Nullable String release,
    @Nullable Path symvers,
    @Nullable String symversName,
    @Nullable Path config,
    @Nullable Path builtInInfo,
    @Nullable ModuleTree tree) {}
