package dev.weaklink.testing;

import java.nio.ByteOrder;
import java.util.List;

/**
 * A machine of written modules, with the properties of its relocatable files by its psABI: class, byte order, e_flags
 * of Linux kernels, and relocation types.
 */
public enum Machine {
    X86_64(62, 64, ByteOrder.LITTLE_ENDIAN, 0, Addends.EXPLICIT, 1, 10, 2),
    I386(3, 32, ByteOrder.LITTLE_ENDIAN, 0, Addends.IN_PLACE, 1, 1, 2),
    ARM(40, 32, ByteOrder.LITTLE_ENDIAN, 0x5000000, Addends.IN_PLACE, 2, 2, 3),
    AARCH64(183, 64, ByteOrder.LITTLE_ENDIAN, 0, Addends.EXPLICIT, 257, 258, 261),
    S390X(22, 64, ByteOrder.BIG_ENDIAN, 0, Addends.EXPLICIT, 22, 4, 5),
    PPC64LE(21, 64, ByteOrder.LITTLE_ENDIAN, 2, Addends.EXPLICIT, 38, 1, 26),
    PPC64(21, 64, ByteOrder.BIG_ENDIAN, 1, Addends.EXPLICIT, 38, 1, 26),
    MIPSEL(8, 32, ByteOrder.LITTLE_ENDIAN, 0x70001001, Addends.IN_PLACE, 2, 2, 248),
    MIPS64EL(8, 64, ByteOrder.LITTLE_ENDIAN, 0x80000001, Addends.EXPLICIT, 18, 2, 248),
    RISCV64(243, 64, ByteOrder.LITTLE_ENDIAN, 1, Addends.EXPLICIT, 2, 1, 57),
    LOONGARCH64(258, 64, ByteOrder.LITTLE_ENDIAN, 0x43, Addends.EXPLICIT, 2, 1, 99);

    /** The location of a relocation's addend. */
    public enum Addends {
        /** The relocation entry: SHT_RELA. */
        EXPLICIT,
        /** The bytes that the relocation changes: SHT_REL. */
        IN_PLACE
    }

    private final int number;
    private final int bits;
    private final ByteOrder order;
    private final int flags;
    private final Addends addends;
    private final int wordType;
    private final int absolute32Type;
    private final int relative32Type;

    Machine(
            int number,
            int bits,
            ByteOrder order,
            int flags,
            Addends addends,
            int wordType,
            int absolute32Type,
            int relative32Type) {
        this.number = number;
        this.bits = bits;
        this.order = order;
        this.flags = flags;
        this.addends = addends;
        this.wordType = wordType;
        this.absolute32Type = absolute32Type;
        this.relative32Type = relative32Type;
    }

    /** Returns the sections that a kernel's build adds to every module of the machine. */
    public List<String> moduleSections() {
        return switch (this) {
            case AARCH64 -> List.of(".plt", ".init.plt", ".text.ftrace_trampoline", ".init.text.ftrace_trampoline");
            case RISCV64 -> List.of(".plt", ".got", ".got.plt");
            case PPC64, PPC64LE -> List.of(".stubs");
            case LOONGARCH64 -> List.of(".got", ".plt", ".plt.idx");
            default -> List.of();
        };
    }

    /** Returns e_machine. */
    public int number() {
        return number;
    }

    public boolean is64() {
        return bits == 64;
    }

    public ByteOrder order() {
        return order;
    }

    /** Returns e_flags. */
    public int flags() {
        return flags;
    }

    public Addends addends() {
        return addends;
    }

    /** Returns the size in bytes of a pointer and of an {@code unsigned long}. */
    public int wordSize() {
        return bits / 8;
    }

    public int relocationType(Relocation.Kind kind) {
        return switch (kind) {
            case WORD -> wordType;
            case ABSOLUTE_32 -> absolute32Type;
            case RELATIVE_32 -> relative32Type;
        };
    }

    /** Returns the number of bytes that this kind of relocation changes. */
    public int relocationWidth(Relocation.Kind kind) {
        return kind == Relocation.Kind.WORD ? wordSize() : 4;
    }

    /** Returns whether kernels from 4.19 on use place-relative export tables (only on x86 and arm64). */
    public boolean hasRelativeExports() {
        return this == X86_64 || this == I386 || this == AARCH64;
    }

    /** Returns whether the loader drops a leading dot of symbol names. */
    public boolean dropsLeadingDot() {
        return this == PPC64 || this == PPC64LE;
    }
}
