package dev.weaklink.kernel;

import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The facts about a kernel that only its image has. Immutable. */
public final class ImageFacts {
    /** Facts about a kernel whose image is unknown. */
    public static final ImageFacts NONE = of(BuiltInModules.UNKNOWN, null);

    private final Set<String> free;
    private final Seen seen;

    /**
     * Facts as for {@link Seen}.
     *
     * @param free names that modules certainly can take: those of modules that came with the kernel
     */
    public ImageFacts(Set<String> free, BuiltInModules builtIn, @Nullable Boolean symbolSections) {
        this.free = free;
        this.seen = new Seen(builtIn, symbolSections);
    }

    /** Facts of a kernel without modules of its own; parameters as for {@link Seen}. */
    public static ImageFacts of(BuiltInModules builtIn, @Nullable Boolean symbolSections) {
        return new ImageFacts(Set.of(), builtIn, symbolSections);
    }

    /**
     * Facts in an image.
     *
     * @param builtIn names in /sys/module
     * @param symbolSections whether the loader checks the sections of symbols; null if that is unknown
     */
    public record Seen(BuiltInModules builtIn, @Nullable Boolean symbolSections) {}

    /** Names in /sys/module. */
    public BuiltInModules builtIn() {
        return seen.builtIn();
    }

    /** Whether a module of this name finds its place in /sys/module taken. */
    public boolean isTaken(String name) {
        return !free.contains(name) && seen.builtIn().taken().contains(name);
    }

    /** Whether it may find it taken. */
    public boolean mayBeTaken(String name) {
        return !free.contains(name) && seen.builtIn().possible().contains(name);
    }

    /** Whether it looks at sections of symbols; null if that is not known. */
    public @Nullable Boolean symbolSections() {
        return seen.symbolSections();
    }

    /**
     * Names that what is built into a kernel has in /sys/module, where no module can take them
     * (kernel/module/sysfs.c:mod_sysfs_init).
     *
     * @param taken names that certainly are there
     * @param possible names that may be there, as those of drivers that not every machine registers
     * @param complete whether no others are there
     */
    public record BuiltInModules(Set<String> taken, Set<String> possible, boolean complete) {
        public static final BuiltInModules UNKNOWN = new BuiltInModules(Set.of(), Set.of(), false);

        public BuiltInModules {
            taken = Set.copyOf(taken);
            possible = Set.copyOf(possible);
        }

        /**
         * Names that may be there by modules.builtin.modinfo, which has NUL-separated {@code name.key=value}: that of a
         * file, while parameters may go by another.
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

        /** The same, with names that may be there by others unless these are all. */
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
