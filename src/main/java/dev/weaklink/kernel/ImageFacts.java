package dev.weaklink.kernel;

import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What only a kernel's image says, which is looked at when something depends on it for the first time: it takes a
 * second to unpack. For any number of threads.
 */
public final class ImageFacts {
    /** Of a kernel of which no image is known. */
    public static final ImageFacts NONE = of(BuiltInModules.UNKNOWN, null);

    private final Set<String> free;
    private final Supplier<Seen> source;
    private @Nullable Seen seen;

    /**
     * Not looked at yet.
     *
     * @param free names that are not asked for: of modules that came with the kernel
     */
    public ImageFacts(Set<String> free, Supplier<Seen> source) {
        this.free = free;
        this.source = source;
    }

    /** Known without looking; parameters as for {@link Seen}. */
    public static ImageFacts of(BuiltInModules builtIn, @Nullable Boolean symbolSections) {
        return new ImageFacts(Set.of(), () -> new Seen(builtIn, symbolSections));
    }

    /**
     * What was seen.
     *
     * @param builtIn names in /sys/module
     * @param symbolSections whether it looks at sections of symbols; null if that is not known
     */
    public record Seen(BuiltInModules builtIn, @Nullable Boolean symbolSections) {}

    private synchronized Seen seen() {
        if (seen == null) {
            seen = source.get();
        }
        return seen;
    }

    /** Names in /sys/module. */
    public BuiltInModules builtIn() {
        return seen().builtIn();
    }

    /** Whether a module of this name finds its place in /sys/module taken. */
    public boolean isTaken(String name) {
        return !free.contains(name) && seen().builtIn().taken().contains(name);
    }

    /** Whether it may find it taken. */
    public boolean mayBeTaken(String name) {
        return !free.contains(name) && seen().builtIn().possible().contains(name);
    }

    /** Whether it looks at sections of symbols; null if that is not known. */
    public @Nullable Boolean symbolSections() {
        return seen().symbolSections();
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
