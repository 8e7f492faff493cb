package dev.weaklink.kernel;

import dev.weaklink.elf.ElfIdentity;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What is known of a kernel that modules are to be loaded on. Immutable.
 *
 * @param label what to call it: its release, or the file it was given as
 * @param release its release (uname -r), null if not known
 * @param machine machine, class and byte order of its modules, null if not known
 * @param vermagic what it compares a module's vermagic with, null if not known
 * @param structModuleSize size of its struct module in bytes, -1 if not known
 * @param exports what vmlinux exports, and what is said of the exports of modules
 * @param exportsComplete whether a symbol that neither {@code exports} nor the kernel's own modules
 *     have is exported by nobody; false if of vmlinux only what its modules use is known, or of its
 *     modules nothing
 * @param ownModulesKnown whether its own modules can be read; if so they, and not the rows of
 *     {@code exports} that name modules, say what its modules export
 * @param builtIn names of built-in modules that occupy a place in /sys/module
 * @param rules how its loader decides
 */
public record TargetKernel(
    String label,
    @Nullable String release,
    @Nullable ElfIdentity machine,
    @Nullable String vermagic,
    long structModuleSize,
    ExportTable exports,
    boolean exportsComplete,
    boolean ownModulesKnown,
    Set<String> builtIn,
    LoaderRules rules) {}
