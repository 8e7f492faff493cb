package dev.weaklink.rebuild;

import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * A module file, as far as it matters for a rebuild.
 *
 * @param name the module's name
 * @param unit the directory below extra or updates it is installed in; empty if it is not installed
 * @param file its path
 * @param vermagic what kernel it was built for, first word the release; empty if it does not say
 * @param srcversion digest of its source; empty if it does not say
 * @param buildId build-id in hex; empty if it does not say
 * @param depends modules it needs
 * @param signed whether it carries a signature
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
    /** Without a build-id. */
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

    /** Names of modules, sorted. */
    public static Set<String> names(Collection<BuiltModule> modules) {
        Set<String> names = new TreeSet<>();
        modules.forEach(module -> names.add(module.name()));
        return names;
    }
}
