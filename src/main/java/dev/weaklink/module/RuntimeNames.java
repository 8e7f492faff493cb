package dev.weaklink.module;

import dev.weaklink.format.elf.ElfIdentity;
import dev.weaklink.format.elf.ElfImage;
import dev.weaklink.format.elf.SectionTable;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The symbols that a module requests by name at run time. Such symbols are not among the imports, and no CRC covers
 * them. The names are the string constants that the module passes to {@code symbol_get}
 * (kernel/module/main.c:__symbol_get). Names that are not constants, such as names from a table, are not included.
 *
 * @param symbols the names, sorted
 */
public record RuntimeNames(List<String> symbols) {
    private static final String SYMBOL_GET = "__symbol_get";

    public static final RuntimeNames NONE = new RuntimeNames(List.of());

    public RuntimeNames {
        symbols = List.copyOf(symbols);
    }

    public static boolean isAskedFor(KernelModule module) {
        return module.imports().names().indexOf(SYMBOL_GET) >= 0;
    }

    /**
     * Returns the names that a 64-bit module requests; {@link #NONE} for a 32-bit module or MIPS. The argument of
     * {@code symbol_get} is assumed to be the last string to which the code before the call refers.
     */
    static RuntimeNames read(ElfImage image) {
        ElfIdentity identity = image.identity();
        return identity.is64() && identity.machine() != ElfIdentity.EM_MIPS ? new Search(image).all() : NONE;
    }

    private static final class Search {
        private static final int RELA_SIZE = 24;
        private static final int LONGEST = 256;
        private static final int R_X86_64_PC32 = 2;
        private static final int R_390_PC32DBL = 19;

        /** The maximum distance in bytes between the instruction that takes the address and the call. */
        private static final int NEAR = 64;

        private static final int MOST_BETWEEN = 32;

        private final ElfImage image;
        private final SectionTable sections;
        private final SymbolTable table;
        private final TreeSet<String> symbols = new TreeSet<>();
        private long unread;
        private int symbolGet;

        Search(ElfImage image) {
            this.image = image;
            this.sections = image.sections();
            this.table = SymbolTable.bare(image);
            this.unread = image.length();
        }

        RuntimeNames all() {
            symbolGet = undefined(SYMBOL_GET);
            for (int i = 1; i < sections.count() && unread >= 0; i++) {
                int target = sections.info(i);
                if (sections.type(i) == SectionTable.SHT_RELA
                        && image.hasContents(i)
                        && target > 0
                        && target < sections.count()
                        && (sections.flags(target) & SectionTable.SHF_EXECINSTR) != 0) {
                    // overlapping sections could be read forever, so the limit is the size of the file
                    unread -= sections.size(i);
                    calls(i);
                }
            }
            return new RuntimeNames(List.copyOf(symbols));
        }

        private void calls(int section) {
            int start = (int) sections.offset(section);
            int end = start + (int) (sections.size(section) / RELA_SIZE) * RELA_SIZE;
            for (int at = start; at < end; at += RELA_SIZE) {
                long symbol = image.u64(at + 8) >>> 32;
                if (symbol == symbolGet) {
                    call(start, at);
                }
            }
        }

        /**
         * Searches backwards from a call for its argument: at most 32 relocations, and not beyond the previous call.
         */
        private void call(int start, int call) {
            int farthest = Math.max(start, call - MOST_BETWEEN * RELA_SIZE);
            for (int at = call - RELA_SIZE; at >= farthest; at -= RELA_SIZE) {
                long info = image.u64(at + 8);
                long symbol = info >>> 32;
                if (symbol > 0 && symbol < table.count()) {
                    String found = string((int) symbol, (int) info, image.u64(at + 16));
                    if (found != null && isNear(at, call) && found.matches("[A-Za-z_][A-Za-z0-9_]*")) {
                        symbols.add(found);
                    }
                    if (found != null || isCode(table.section((int) symbol))) {
                        return;
                    }
                }
            }
        }

        private boolean isNear(int relocation, int call) {
            long between = image.u64(call) - image.u64(relocation);
            return between >= 0 && between <= NEAR;
        }

        private boolean isCode(int section) {
            return section == 0
                    || section < sections.count() && (sections.flags(section) & SectionTable.SHF_EXECINSTR) != 0;
        }

        private int undefined(String name) {
            for (int i = 1; i < table.count(); i++) {
                if (table.section(i) == 0 && table.hasName(i, name)) {
                    return i;
                }
            }
            return -1;
        }

        private @Nullable String string(int symbol, int type, long addend) {
            int section = table.section(symbol);
            if (section <= 0
                    || section >= sections.count()
                    || (sections.flags(section) & SectionTable.SHF_STRINGS) == 0
                    || !image.hasContents(section)) {
                return null;
            }
            long inside = table.value(symbol) + addend + afterField(type);
            long size = sections.size(section);
            if (inside < 0 || inside >= size) {
                return null;
            }
            int start = (int) (sections.offset(section) + inside);
            int end = (int) (sections.offset(section) + Math.min(size, inside + LONGEST));
            int length = image.stringLength(start, end);
            return length <= 0 ? null : new String(image.data(), start, length, StandardCharsets.ISO_8859_1);
        }

        /**
         * Returns the number of bytes to add to a relocation's addend to get the target: x86-64 counts from the end of
         * the field, s390x from two bytes before the field.
         */
        private int afterField(int type) {
            return switch (image.identity().machine()) {
                case ElfIdentity.EM_X86_64 -> type == R_X86_64_PC32 ? 4 : 0;
                case ElfIdentity.EM_S390 -> type == R_390_PC32DBL ? -2 : 0;
                default -> 0;
            };
        }
    }
}
