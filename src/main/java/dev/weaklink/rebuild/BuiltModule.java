package dev.weaklink.rebuild;

import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * The facts of a module file, by which a rebuild compares built, installed and loaded modules. In a module from the
 * record of a run, unit, build-id and {@code depends} are empty.
 *
 * @param name the module's name
 * @param unit the subdirectory of extra or updates that contains the module, such as {@code a} for
 *     {@code extra/a/b/x.ko}; empty if there is none
 * @param file the file's path
 * @param vermagic the vermagic, whose first word is the kernel's release; empty if absent
 * @param srcversion the digest of the source; empty if absent
 * @param buildId the build-id in hex; empty if absent
 * @param depends the names of the modules on which the module depends
 * @param signed true if the module has a signature
 */
public record BuiltModule(
        String name,
        String unit,
        String file,
        String vermagic,
        String srcversion,
        String buildId,
        List<String> depends,
        boolean signed) {
    public BuiltModule(
            String name,
            String unit,
            String file,
            String vermagic,
            String srcversion,
            List<String> depends,
            boolean signed) {
        this(name, unit, file, vermagic, srcversion, "", depends, signed);
    }

    public BuiltModule {
        depends = List.copyOf(depends);
    }

    public static Set<String> names(Collection<BuiltModule> modules) {
        Set<String> names = new TreeSet<>();
        modules.forEach(module -> names.add(module.name()));
        return names;
    }
}
