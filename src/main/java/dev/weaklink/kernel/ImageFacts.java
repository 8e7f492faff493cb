package dev.weaklink.kernel;

import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The facts from a kernel's image: the names of built-in code, and whether the loader refuses symbols in sections that
 * do not exist. If the image does not show all names, modules.builtin.modinfo may add possible names. Immutable.
 */
public final class ImageFacts {
    public static final ImageFacts NONE = of(BuiltInModules.UNKNOWN, null);

    /**
     * The names that built-in code has in most kernels, for kernels whose names are not all known.
     * modules.builtin.modinfo lacks kernel, rcupdate and rcutree, because these prefixes of parameters are not names of
     * source files (kernel/params.c:core_param, kernel/rcu/update.c, kernel/rcu/tree.c: MODULE_PARAM_PREFIX).
     */
    private static final Set<String> COMMON = Set.of("kernel", "printk", "rcupdate", "rcutree", "workqueue");

    private final Set<String> free;
    private final SeenInImage seen;

    /**
     * Creates the facts; the other parameters are those of {@link SeenInImage}.
     *
     * @param free names that no built-in code has, because they are the names of the kernel's own modules
     */
    public ImageFacts(Set<String> free, BuiltInModules builtIn, @Nullable Boolean symbolSections) {
        this.free = free;
        this.seen = new SeenInImage(builtIn, symbolSections);
    }

    public static ImageFacts of(BuiltInModules builtIn, @Nullable Boolean symbolSections) {
        return new ImageFacts(Set.of(), builtIn, symbolSections);
    }

    /**
     * The facts from an image.
     *
     * @param builtIn the names of built-in code in /sys/module; may include names from modules.builtin.modinfo
     * @param symbolSections whether the loader refuses symbols in sections that do not exist; null if unknown
     */
    public record SeenInImage(
            BuiltInModules builtIn, @Nullable Boolean symbolSections) {}

    public BuiltInModules builtIn() {
        return seen.builtIn();
    }

    public boolean isTaken(String name) {
        return !free.contains(name) && seen.builtIn().taken().contains(name);
    }

    public boolean mayBeTaken(String name) {
        BuiltInModules builtIn = seen.builtIn();
        boolean isPossible = builtIn.possible().contains(name) || !builtIn.complete() && COMMON.contains(name);
        return isPossible && !free.contains(name);
    }

    public @Nullable Boolean symbolSections() {
        return seen.symbolSections();
    }

    /**
     * The names of built-in code in /sys/module. The kernel loads no module with a name that already exists there
     * (kernel/module/sysfs.c:mod_sysfs_init).
     *
     * @param taken names that certainly exist in /sys/module
     * @param possible names that may exist in /sys/module, such as names of drivers that only some machines register
     * @param complete whether the two sets contain every name
     */
    public record BuiltInModules(Set<String> taken, Set<String> possible, boolean complete) {
        public static final BuiltInModules UNKNOWN = new BuiltInModules(Set.of(), Set.of(), false);

        public BuiltInModules {
            taken = Set.copyOf(taken);
            possible = Set.copyOf(possible);
        }

        /**
         * Returns the names in modules.builtin.modinfo, a list of NUL-separated {@code name.key=value}. These names of
         * object files are only possible names in /sys/module, where parameters may have another prefix.
         */
        public static BuiltInModules listed(byte[] data, int length) {
            Set<String> names = new HashSet<>();
            for (int at = 0; at < length; ) {
                int end = at;
                int dot = -1;
                int equals = -1;
                for (; end < length && data[end] != 0; end++) {
                    if (data[end] == '.' && dot < 0 && equals < 0) {
                        dot = end;
                    } else if (data[end] == '=' && equals < 0) {
                        equals = end;
                    }
                }
                if (dot > at && equals > dot) {
                    names.add(new String(data, at, dot - at, StandardCharsets.ISO_8859_1));
                }
                at = end + 1;
            }
            return new BuiltInModules(Set.of(), names, false);
        }

        /** Returns these names if they are complete, else these names and the possible names of {@code others}. */
        public BuiltInModules or(BuiltInModules others) {
            if (complete) {
                return this;
            }
            Set<String> all = new HashSet<>(possible);
            all.addAll(others.possible);
            return new BuiltInModules(taken, all, false);
        }
    }
}
