package dev.weaklink.module;

import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the relocations of loaded sections demand of the loader (apply_relocate_add). Known for x86-64, arm64, s390x,
 * powerpc64 and riscv64.
 *
 * @param examined whether they were looked at
 * @param uses what they use, in the order the loader applies them; each combination once, at the place where it is
 *     first met
 */
public record Relocations(boolean examined, List<Use> uses) {
    /** Not looked at. */
    public static final Relocations NOT_EXAMINED = new Relocations(false, List.of());

    /** Defensive copy. */
    public Relocations {
        uses = List.copyOf(uses);
    }

    /**
     * A kind of relocation in a file.
     *
     * @param section section header index of the relocation section
     * @param index number of the relocation in it; -1 for a whole section of the kind that the machine does not use
     *     (SHT_REL)
     * @param type relocation type of the machine, unsigned 32 bits
     * @param symbol the weak undefined symbol of a value that is {@link Value#WEAK}, else null
     * @param addend what is added to that symbol, else 0
     */
    public record Use(
            int section,
            int index,
            int type,
            Place place,
            Value value,
            @Nullable String symbol,
            long addend) {
        /** A relocation that does not depend on a weak symbol. */
        public Use(int section, int index, int type, Place place, Value value) {
            this(section, index, type, place, value, null, 0);
        }
    }

    /** The bytes that a relocation overwrites. */
    public enum Place {
        /** Zero, or of no interest to this machine's loader. */
        FREE,
        /** Not zero. */
        NOT_ZERO,
        /** Written to by an earlier relocation, or by the loader. */
        USED_BEFORE,
        /** Not in the section. */
        OUTSIDE
    }

    /** The value that is written. */
    public enum Value {
        /** Has room. */
        FITS,
        /** Has no room, wherever the module is loaded. */
        OVERFLOWS,
        /** Whether it has room depends on where module and kernel are loaded. */
        UNCERTAIN,
        /** Has room if something exports the weak symbol; else the symbol's address is 0, which is out of reach. */
        WEAK,
        /** Of a symbol that is not in the symbol table. */
        NO_SYMBOL,
        /** Left to the code for live patches. */
        LIVEPATCH,
        /** Lower half of an address whose upper half no relocation of the section writes (riscv). */
        NO_UPPER_HALF
    }

    /** The relocation types used, as unsigned numbers; of those from 1,024 on none. */
    public BitSet types() {
        BitSet types = new BitSet();
        for (Use use : uses) {
            if (use.index() >= 0 && use.type() >= 0 && use.type() < 1024) {
                types.set(use.type());
            }
        }
        return types;
    }

    /** Type of the first relocation whose place is not zero, -1 if none. */
    public int firstNonZeroTarget() {
        for (Use use : uses) {
            if (use.place() == Place.NOT_ZERO) {
                return use.type();
            }
        }
        return -1;
    }
}
