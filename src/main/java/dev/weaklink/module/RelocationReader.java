package dev.weaklink.module;

import dev.weaklink.format.elf.ElfIdentity;
import dev.weaklink.format.elf.ElfImage;
import dev.weaklink.format.elf.SectionTable;
import dev.weaklink.module.Relocations.RelocatedField;
import dev.weaklink.module.Relocations.Use;
import dev.weaklink.module.Relocations.Value;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Checks the relocations that the loader would apply (kernel/module/main.c:apply_relocations): their types and values.
 * On x86-64 the reader also checks that the target bytes are zero, as the loader requires
 * (arch/x86/kernel/module.c:apply_relocate_add).
 */
final class RelocationReader {
    static final int RELA_SIZE = 24;
    private static final int R_X86_64_64 = 1;
    private static final int R_X86_64_PC64 = 24;
    private static final int R_AARCH64_JUMP26 = 282;
    private static final int R_AARCH64_CALL26 = 283;

    /**
     * The maximum number of kinds of relocations to record; compiled modules have far fewer. One more kind, with an
     * uncertain value, stands for all remaining kinds.
     */
    private static final int MOST_USES = 512;

    private static final int[] FILE_ORDER = {};

    /** The array for a section whose written bytes the reader does not track. */
    private static final long[] NOWHERE = {};

    private final ElfImage image;
    private final SectionTable sections;
    private final LoadedSections loaded;
    private final RelocationValues values;
    private final boolean x86;
    private final boolean arm64;
    private final int thisModule;
    private final SymbolTable symbols;
    private final List<Use> uses = new ArrayList<>();
    private final Set<Use> seen = new HashSet<>();
    private final boolean[] inOrder = new boolean[1025];
    private final Map<Integer, long[]> written = new HashMap<>();

    private RelocationReader(ElfImage image) {
        this.image = image;
        sections = image.sections();
        loaded = new LoadedSections(image);
        thisModule = new NamedSections(image).find(NamedSections.wanted(".gnu.linkonce.this_module"));
        symbols = SymbolTable.bare(image);
        values = new RelocationValues(image, loaded);
        x86 = image.identity().machine() == ElfIdentity.EM_X86_64;
        arm64 = image.identity().machine() == ElfIdentity.EM_AARCH64;
    }

    static Relocations read(ElfImage image) {
        return isKnown(image.identity()) ? new RelocationReader(image).readAll() : Relocations.NOT_EXAMINED;
    }

    private static boolean isKnown(ElfIdentity identity) {
        return switch (identity.machine()) {
            case ElfIdentity.EM_X86_64,
                    ElfIdentity.EM_AARCH64,
                    ElfIdentity.EM_S390,
                    ElfIdentity.EM_PPC64,
                    ElfIdentity.EM_RISCV -> identity.is64();
            default -> false;
        };
    }

    private Relocations readAll() {
        long unread = image.length();
        long unwritten = image.length();
        for (int i = 1; i < sections.count(); i++) {
            int target = sections.info(i);
            if (target < 0 || target >= sections.count() || !loaded.isLoaded(target)) {
                continue;
            }
            if (LoadedSections.isOfLivePatches(sections, i)) {
                continue;
            }
            if (sections.type(i) == SectionTable.SHT_REL) {
                add(new Use(i, -1, 0, RelocatedField.FREE, Value.FITS));
            } else if (sections.type(i) == SectionTable.SHT_RELA && image.hasContents(i)) {
                unread -= sections.size(i);
                boolean tracked = x86 && image.hasContents(target) && !written.containsKey(target);
                unwritten -= tracked ? sections.size(target) : 0;
                if (unread < 0 || unwritten < 0) {
                    // the sections overlap, which no linker produces, and reading them could take forever
                    return Relocations.NOT_EXAMINED;
                }
                readSection(i, target);
            }
        }
        return new Relocations(true, uses);
    }

    private void readSection(int section, int target) {
        int first = (int) sections.offset(section);
        int count = (int) (sections.size(section) / RELA_SIZE);
        values.enter(first, count);
        int[] order = order(first, count, target);
        long[] used = x86 && image.hasContents(target) ? written(target) : NOWHERE;
        long size = sections.size(target);
        long start = sections.offset(target);
        for (int done = 0; done < count; done++) {
            int i = order.length == 0 ? done : order[done];
            int at = first + i * RELA_SIZE;
            long offset = image.u64(at);
            long info = image.u64(at + 8);
            int type = (int) info;
            RelocatedField place = place(type, (int) (info >>> 32), target, offset, size, start, used);
            Value value = values.of(at, target);
            boolean sound = place == RelocatedField.FREE && value == Value.FITS;
            if (value == Value.WEAK) {
                String symbol = values.symbolName((int) (info >>> 32));
                add(new Use(section, i, type, place, value, symbol, image.u64(at + 16)));
            } else if (!sound || !met(type)) {
                add(new Use(section, i, type, place, value));
            }
        }
    }

    /**
     * Returns the numbers of a section's relocations in the order in which the loader applies them; empty if that is
     * the order of the file. In code sections, arm64's loader moves calls to other sections to the front
     * (arch/arm64/kernel/module-plts.c:partition_branch_plt_relas, 5.9 and later).
     */
    private int[] order(int first, int count, int target) {
        if (!arm64 || (sections.flags(target) & SectionTable.SHF_EXECINSTR) == 0) {
            return FILE_ORDER;
        }
        int[] order = new int[count];
        for (int i = 0; i < count; i++) {
            order[i] = i;
        }
        int low = 0;
        int high = count - 1;
        while (low < high) {
            if (isCall(first + order[low] * RELA_SIZE, target)) {
                low++;
            } else if (isCall(first + order[high] * RELA_SIZE, target)) {
                int moved = order[low];
                order[low] = order[high];
                order[high] = moved;
            } else {
                high--;
            }
        }
        return order;
    }

    private boolean isCall(int at, int target) {
        long info = image.u64(at + 8);
        int type = (int) info;
        int symbol = (int) (info >>> 32);
        boolean isBranch = type == R_AARCH64_JUMP26 || type == R_AARCH64_CALL26;
        boolean isInside = symbol >= 0 && symbol < symbols.count() && symbols.section(symbol) == target;
        return isBranch && !isInside;
    }

    /** Returns the marks of the written bytes of a section: one bit for each byte, and at least one spare word. */
    private long[] written(int target) {
        return written.computeIfAbsent(target, any -> new long[(int) (sections.size(target) / Long.SIZE) + 2]);
    }

    /**
     * Records the type of a valid relocation, and returns whether an earlier relocation had the same type. Does not
     * record types above 1,024.
     */
    private boolean met(int type) {
        if (type < 0 || type >= inOrder.length) {
            return false;
        }
        boolean before = inOrder[type];
        inOrder[type] = true;
        return before;
    }

    private void add(Use use) {
        boolean whole = use.index() < 0;
        Use kind = new Use(0, whole ? -1 : 0, use.type(), use.place(), use.value(), use.symbol(), 0);
        if (uses.size() <= MOST_USES && seen.add(kind)) {
            boolean isLast = uses.size() == MOST_USES;
            uses.add(isLast ? new Use(use.section(), use.index(), use.type(), use.place(), Value.UNCERTAIN) : use);
        }
    }

    /**
     * Checks the bytes that a relocation overwrites.
     *
     * @param symbol the symbol whose address is written
     * @param size the size of the section {@code target}, which begins at offset {@code start} of the file
     * @param used the bytes of the section that earlier relocations wrote; {@link #NOWHERE} if these are not tracked
     */
    private RelocatedField place(int type, int symbol, int target, long offset, long size, long start, long[] used) {
        if (type == 0) {
            return RelocatedField.FREE;
        }
        int width = x86 && (type == R_X86_64_64 || type == R_X86_64_PC64) ? Long.BYTES : Integer.BYTES;
        if (offset < 0 || offset > size - width) {
            return RelocatedField.OUTSIDE;
        }
        if (used == NOWHERE) {
            return RelocatedField.FREE;
        }
        if (target == thisModule && !(width == Long.BYTES && isEntryPoint(symbol))) {
            // before it applies relocations, the kernel may write to any field of struct module except init and exit
            return RelocatedField.USED_BEFORE;
        }
        if (!take(used, (int) offset, width)) {
            return RelocatedField.USED_BEFORE;
        }
        int file = (int) (start + offset);
        long there = width == Long.BYTES ? image.u64(file) : image.i32(file);
        return there == 0 ? RelocatedField.FREE : RelocatedField.NOT_ZERO;
    }

    /**
     * Returns whether the symbol is an entry point whose address the loader writes to struct module by a relocation
     * (modpost.c: add_header).
     */
    private boolean isEntryPoint(int symbol) {
        return symbol > 0
                && symbol < symbols.count()
                && (symbols.hasName(symbol, "init_module") || symbols.hasName(symbol, "cleanup_module"));
    }

    /** Marks some bytes. Returns false and marks no byte if one of the bytes is already marked. */
    private static boolean take(long[] used, int start, int width) {
        int word = start / Long.SIZE;
        long bits = (1L << width) - 1;
        long low = bits << start;
        // the bits beyond the word; a shift by 64 would be a shift by 0
        long high = bits >>> 1 >>> (Long.SIZE - 1 - start % Long.SIZE);
        if ((used[word] & low | used[word + 1] & high) != 0) {
            return false;
        }
        used[word] |= low;
        used[word + 1] |= high;
        return true;
    }

    /**
     * Checks whether the values of relocations fit into their fields (arch/.../kernel/module.c: apply_relocate_add,
     * apply_rela, reloc_data, reloc_insn_imm). A value counts as too large only if it is too large for every address at
     * which the module can be loaded.
     */
    private static final class RelocationValues {
        private static final int SHN_LIVEPATCH = 0xff20;
        private static final int R_RISCV_GOT_HI20 = 20;
        private static final int R_RISCV_PCREL_HI20 = 23;

        /**
         * The limit in bytes below which an offset counts as inside the symbol or section from which it is measured.
         */
        private static final long NEAR = 1 << 24;

        private final ElfImage image;
        private final LoadedSections loaded;
        private final int machine;
        private final SymbolTable symbols;
        private final int symbolCount;
        private final boolean hasGot;

        /** The offsets of riscv's relocations of upper halves in the section for which {@link #enter} was called. */
        private final Set<Long> upperHalves = new HashSet<>();

        RelocationValues(ElfImage image, LoadedSections loaded) {
            this.image = image;
            this.loaded = loaded;
            machine = image.identity().machine();
            symbols = SymbolTable.bare(image);
            symbolCount = symbols.count();
            hasGot = new NamedSections(image).find(NamedSections.wanted(".got")) > 0;
        }

        void enter(int start, int count) {
            upperHalves.clear();
            if (machine == ElfIdentity.EM_RISCV) {
                for (int at = start; at < start + count * RelocationReader.RELA_SIZE; ) {
                    int type = (int) image.u64(at + 8);
                    if (type == R_RISCV_GOT_HI20 || type == R_RISCV_PCREL_HI20) {
                        upperHalves.add(image.u64(at));
                    }
                    at += RelocationReader.RELA_SIZE;
                }
            }
        }

        Value of(int at, int target) {
            long info = image.u64(at + 8);
            int type = (int) info;
            int symbol = (int) (info >>> 32);
            if (type == 0) {
                return Value.FITS;
            }
            if (symbol < 0 || symbol >= symbolCount) {
                return Value.NO_SYMBOL;
            }
            return switch (machine) {
                case ElfIdentity.EM_X86_64 -> x86(type, symbol, at);
                case ElfIdentity.EM_S390 -> s390(type, symbol, addend(at), target, image.u64(at));
                case ElfIdentity.EM_AARCH64 -> arm64(type, symbol, addend(at), target, image.u64(at));
                case ElfIdentity.EM_RISCV -> riscv(type, symbol, addend(at), target, image.u64(at));
                default -> Value.FITS;
            };
        }

        private long addend(int at) {
            return image.u64(at + 16);
        }

        private Value x86(int type, int symbol, int at) {
            return switch (type) {
                case 10 -> absolute(symbol, addend(at), 0, 0xffffffffL); // R_X86_64_32
                case 11 -> // R_X86_64_32S
                    absolute(symbol, addend(at), Integer.MIN_VALUE, Integer.MAX_VALUE);
                default -> Value.FITS;
            };
        }

        private Value absolute(int symbol, long addend, long least, long most) {
            int section = symbols.section(symbol);
            long distance = symbols.value(symbol) + addend;
            if (symbol == 0 || section == SymbolTable.SHN_ABS) {
                return distance >= least && distance <= most ? Value.FITS : Value.OVERFLOWS;
            }
            if (section == SymbolTable.SHN_UNDEF
                    || section == SHN_LIVEPATCH
                    || section >= loaded.count()
                    || loaded.isPerCpu(section)) {
                // addresses in the kernel are negative; a weak symbol that nothing exports, such as a symbol whose
                // value is a CRC, has the address 0
                boolean fits = least < 0 || symbols.isWeak(symbol);
                return Math.abs(addend) < NEAR && fits ? Value.FITS : Value.UNCERTAIN;
            }
            if (Math.abs(distance) >= 1L << 40) {
                return Value.OVERFLOWS;
            }
            // a loaded section is in the memory for modules (MODULES_VADDR); any other section is in the kernel's copy
            // of the file in vmalloc memory
            boolean stays = loaded.isLoaded(section);
            long lowest = (stays ? -0x60000000L : -0x800000000000L) + distance;
            long highest = (stays ? -0x1000000L : -0x8000000000L) + distance;
            if (lowest >= least && highest <= most) {
                return Value.FITS;
            }
            return highest < least || lowest > most ? Value.OVERFLOWS : Value.UNCERTAIN;
        }

        private Value s390(int type, int symbol, long addend, int target, long offset) {
            return switch (type) {
                case 1 -> direct(symbol, addend, 0, 0xff); // R_390_8
                case 2 -> direct(symbol, addend, 0, 0xfff); // R_390_12
                case 3 -> direct(symbol, addend, 0, 0xffff); // R_390_16
                case 4 -> direct(symbol, addend, 0, 0xffffffffL); // R_390_32
                case 57 -> direct(symbol, addend, -0x80000, 0x7ffff); // R_390_20
                case 16 -> relative(symbol, addend, target, offset, 16); // R_390_PC16
                case 5 -> relative(symbol, addend, target, offset, 32); // R_390_PC32
                case 17 -> // R_390_PC16DBL
                    even(symbol, addend, target, offset, relative(symbol, addend, target, offset, 17));
                case 19 -> // R_390_PC32DBL
                    even(symbol, addend, target, offset, relative(symbol, addend, target, offset, 33));
                case 20 -> // R_390_PLT32DBL
                    even(symbol, addend, target, offset, isNear(symbol, addend));
                case 18 -> // R_390_PLT16DBL
                    even(symbol, addend, target, offset, Value.UNCERTAIN);
                case 21, 26, 33 -> // R_390_GOTPCDBL, R_390_GOTENT, R_390_GOTPLTENT
                    toTable(addend, target, offset);
                case 6, 15, 27, 29, 30, 58, 59 -> Value.UNCERTAIN; // parts of the GOT's size and offsets
                default -> Value.FITS;
            };
        }

        private Value arm64(int type, int symbol, long addend, int target, long offset) {
            return switch (type) {
                case 258 -> direct(symbol, addend, 0, 0xffffffffL); // R_AARCH64_ABS32
                case 259 -> direct(symbol, addend, 0, 0xffff); // R_AARCH64_ABS16
                case 263 -> direct(symbol, addend, 0, 0xffff); // R_AARCH64_MOVW_UABS_G0
                case 265 -> direct(symbol, addend, 0, 0xffffffffL); // R_AARCH64_MOVW_UABS_G1
                case 267 -> direct(symbol, addend, 0, 0xffffffffffffL); // R_AARCH64_MOVW_UABS_G2
                case 270 -> direct(symbol, addend, -0x10000, 0xffff); // R_AARCH64_MOVW_SABS_G0
                case 271 -> direct(symbol, addend, -0x100000000L, 0xffffffffL); // R_AARCH64_MOVW_SABS_G1
                case 261 -> relative(symbol, addend, target, offset, 32); // R_AARCH64_PREL32
                case 262 -> relative(symbol, addend, target, offset, 16); // R_AARCH64_PREL16
                case 273, 280 -> // R_AARCH64_LD_PREL_LO19, R_AARCH64_CONDBR19
                    relative(symbol, addend, target, offset, 21);
                case 274 -> relative(symbol, addend, target, offset, 21); // R_AARCH64_ADR_PREL_LO21
                case 275 -> relative(symbol, addend, target, offset, 33); // R_AARCH64_ADR_PREL_PG_HI21
                case 279 -> relative(symbol, addend, target, offset, 16); // R_AARCH64_TSTBR14
                case 287 -> relative(symbol, addend, target, offset, 17); // R_AARCH64_MOVW_PREL_G0
                case 289 -> relative(symbol, addend, target, offset, 33); // R_AARCH64_MOVW_PREL_G1
                default -> Value.FITS;
            };
        }

        /**
         * Checks the value of a riscv relocation. The symbol of a lower half marks the place where another relocation
         * writes the upper half (apply_relocate_add).
         */
        private Value riscv(int type, int symbol, long addend, int target, long offset) {
            return switch (type) {
                case 1 -> direct(symbol, addend, 0, 0xffffffffL); // R_RISCV_32
                case 18, R_RISCV_PCREL_HI20 -> // R_RISCV_CALL
                    relative(symbol, addend, target, offset, 32);
                case 19 -> // R_RISCV_CALL_PLT, by way of .plt if there is one
                    relative(symbol, addend, target, offset, 32) == Value.FITS ? Value.FITS : Value.UNCERTAIN;
                case R_RISCV_GOT_HI20 -> hasGot ? Value.FITS : Value.UNCERTAIN;
                case 24, 25 -> // R_RISCV_PCREL_LO12_I, R_RISCV_PCREL_LO12_S
                    symbols.section(symbol) == target && upperHalves.contains(symbols.value(symbol))
                            ? Value.FITS
                            : Value.NO_UPPER_HALF;
                default -> Value.FITS;
            };
        }

        /**
         * Checks an absolute value. The address of a module is too large for every field that this method checks. The
         * value of an absolute symbol, or of a relocation without a symbol, may fit. The address of an import is
         * unknown.
         */
        private Value direct(int symbol, long addend, long least, long most) {
            long value = symbols.value(symbol) + addend;
            if (symbol == 0 || symbols.section(symbol) == SymbolTable.SHN_ABS) {
                return value >= least && value <= most ? Value.FITS : Value.OVERFLOWS;
            }
            return isOwn(symbol) && Math.abs(value) < NEAR ? Value.OVERFLOWS : Value.UNCERTAIN;
        }

        private Value relative(int symbol, long addend, int target, long offset, int bits) {
            if (symbol != 0 && symbols.section(symbol) == target) {
                return signed(symbols.value(symbol) + addend - offset, bits);
            }
            if (isWeakImport(symbol) && machine != ElfIdentity.EM_S390) {
                // An exported weak symbol is as near as any other.
                return bits >= 32 && Math.abs(addend) < NEAR ? Value.WEAK : Value.UNCERTAIN;
            }
            // the kernel loads modules where 32-bit distances reach all of its own code and data; s390x does so only
            // from 6.10 on (arch/s390/boot/startup.c), so its code goes through tables instead
            boolean own = isOwn(symbol) || loaded.isPerCpu(symbols.section(symbol));
            long distance = addend + (own ? symbols.value(symbol) : 0);
            boolean reached = machine != ElfIdentity.EM_S390;
            boolean near = own || reached && symbols.section(symbol) == SymbolTable.SHN_UNDEF;
            return bits >= 32 && symbol != 0 && near && Math.abs(distance) < NEAR ? Value.FITS : Value.UNCERTAIN;
        }

        private Value isNear(int symbol, long addend) {
            long distance = addend + (isOwn(symbol) ? symbols.value(symbol) : 0);
            return Math.abs(distance) < NEAR ? Value.FITS : Value.UNCERTAIN;
        }

        /**
         * Checks a distance counted in units of two bytes: the loader refuses odd distances. Returns {@code otherwise}
         * for an even distance.
         */
        private Value even(int symbol, long addend, int target, long offset, Value otherwise) {
            if (((symbols.value(symbol) + addend - offset) & 1) == 0) {
                return otherwise;
            }
            boolean aligned = isOwn(symbol) && loaded.isAligned(target) && loaded.isAligned(symbols.section(symbol));
            return aligned || symbols.section(symbol) == target ? Value.OVERFLOWS : Value.UNCERTAIN;
        }

        /** Checks the distance to an entry of the GOT, which starts at an even address behind the code. */
        private Value toTable(long addend, int target, long offset) {
            if (((addend - offset) & 1) != 0) {
                return loaded.isAligned(target) ? Value.OVERFLOWS : Value.UNCERTAIN;
            }
            return Math.abs(addend) < NEAR ? Value.FITS : Value.UNCERTAIN;
        }

        /**
         * Returns whether the symbol is a weak import. If nothing exports it, the kernel's simplify_symbols leaves its
         * address at 0.
         */
        private boolean isWeakImport(int symbol) {
            return symbol != 0 && symbols.section(symbol) == SymbolTable.SHN_UNDEF && symbols.isWeak(symbol);
        }

        @Nullable
        String symbolName(int symbol) {
            return symbols.name(symbol);
        }

        private boolean isOwn(int symbol) {
            int section = symbols.section(symbol);
            return section > 0 && section < loaded.count() && loaded.isLoaded(section);
        }

        private static Value signed(long value, int bits) {
            long limit = 1L << bits - 1;
            return value >= -limit && value < limit ? Value.FITS : Value.OVERFLOWS;
        }
    }
}
