package dev.weaklink.module;

import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The relocations of loaded sections, which the loader must apply (apply_relocate_add). Known for x86-64, arm64, s390x,
 * powerpc64 and riscv64.
 *
 * @param examined whether the relocations were read
 * @param uses the kinds of relocations in the order in which the loader applies them; each kind is listed once, at its
 *     first position
 */
public record Relocations(boolean examined, List<Use> uses) {
    public static final Relocations NOT_EXAMINED = new Relocations(false, List.of());

    public Relocations {
        uses = List.copyOf(uses);
    }

    /**
     * A kind of relocation, with the position of the first relocation of this kind that the loader applies.
     *
     * @param section section header index of the relocation section
     * @param index number of the relocation in that section; -1 for a whole SHT_REL section, which the machine's loader
     *     does not support
     * @param type relocation type of the machine, unsigned 32 bits
     * @param symbol the weak undefined symbol if the value is {@link Value#WEAK}, else null
     * @param addend the addend if the value is {@link Value#WEAK}, else 0
     */
    public record Use(
            int section,
            int index,
            int type,
            RelocatedField place,
            Value value,
            @Nullable String symbol,
            long addend) {
        public Use(int section, int index, int type, RelocatedField place, Value value) {
            this(section, index, type, place, value, null, 0);
        }
    }

    /** The state of the bytes that a relocation overwrites. */
    public enum RelocatedField {
        /** The bytes are zero, or this machine's loader ignores them. */
        FREE,
        NOT_ZERO,
        /** The loader or an earlier relocation may have written to the bytes. */
        USED_BEFORE,
        OUTSIDE
    }

    public enum Value {
        FITS,
        OVERFLOWS,
        /** The result depends on the load addresses of module and kernel. */
        UNCERTAIN,
        /**
         * The value fits if something exports the weak symbol. If nothing exports it, its address is 0, which may be
         * out of reach.
         */
        WEAK,
        NO_SYMBOL,
        /** The lower half of an address (riscv). No relocation in the same section writes the upper half. */
        NO_UPPER_HALF
    }

    /** Returns the relocation types used, as unsigned numbers below 1,024; larger types are left out. */
    public BitSet types() {
        BitSet types = new BitSet();
        for (Use use : uses) {
            if (use.index() >= 0 && use.type() >= 0 && use.type() < 1024) {
                types.set(use.type());
            }
        }
        return types;
    }

    /** Returns the type of the first relocation that overwrites bytes other than zero, or -1. */
    public int firstNonZeroTarget() {
        for (Use use : uses) {
            if (use.place() == RelocatedField.NOT_ZERO) {
                return use.type();
            }
        }
        return -1;
    }
}
