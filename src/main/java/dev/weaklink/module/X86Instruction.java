package dev.weaklink.module;

import dev.weaklink.format.elf.ElfImage;

/**
 * One instruction of x86-64: how long it is, and its operands. What it does is for {@link X86Steps}.
 *
 * <p>Format: Intel SDM volume 2, chapter 2 and the opcode maps of appendix A. One object is used for one instruction
 * after another.
 */
final class X86Instruction {
    static final int NONE = -1;

    /** What {@link #base} is of a place that is given from the next instruction on. */
    static final int RIP = 16;

    /** Opcodes of two and three bytes count from here on. */
    static final int MAP_0F = 0x100;

    static final int MAP_0F38 = 0x200;
    static final int MAP_0F3A = 0x300;

    /** Those of EVEX beyond, which have no immediate. */
    private static final int MAP_OTHER = 0x400;

    private static final int LONGEST = 15;

    /**
     * What follows each opcode: {@code .} nothing, {@code M} operands (ModRM), {@code B}, {@code W}, {@code D} and
     * {@code E} 1, 2, 4 and 3 bytes, {@code Z} 4 bytes or 2 with a prefix, {@code V} also 8, {@code A} an address,
     * {@code b} and {@code z} operands and B or Z, {@code T} and {@code t} the same of some operands only; {@code X} is
     * no instruction, {@code P} a prefix.
     */
    private static final String ONE_BYTE = "MMMMBZXXMMMMBZXP"
            + "MMMMBZXXMMMMBZXX"
            + "MMMMBZPXMMMMBZPX"
            + "MMMMBZPXMMMMBZPX"
            + "PPPPPPPPPPPPPPPP"
            + "................"
            + "XXPMPPPPZzBb...."
            + "BBBBBBBBBBBBBBBB"
            + "bzXbMMMMMMMMMMMM"
            + "..........X....."
            + "AAAA....BZ......"
            + "BBBBBBBBVVVVVVVV"
            + "bbW.PPbzE.W..BX."
            + "MMMMXXX.MMMMMMMM"
            + "BBBBBBBBDDXB...."
            + "P.PP..Tt......MM";

    private static final String TWO_BYTES = "MMMMX.....X.XM.b"
            + "MMMMMMMMMMMMMMMM"
            + "MMMMXXXXMMMMMMMM"
            + "......X.PXPXXXXX"
            + "MMMMMMMMMMMMMMMM"
            + "MMMMMMMMMMMMMMMM"
            + "MMMMMMMMMMMMMMMM"
            + "bbbbMMM.MMMMMMMM"
            + "DDDDDDDDDDDDDDDD"
            + "MMMMMMMMMMMMMMMM"
            + "...MbMMM...MbMMM"
            + "MMMMMMMMMMbMMMMM"
            + "MMbMbbbM........"
            + "MMMMMMMMMMMMMMMM"
            + "MMMMMMMMMMMMMMMM"
            + "MMMMMMMMMMMMMMMM";

    private final ElfImage image;
    private int at;
    private int end;

    /** In bytes. */
    int length;

    int opcode;

    /** Whether operands have 64, 16 bits; whether there is a prefix REX, VEX or EVEX. */
    boolean wide;

    boolean narrow;
    boolean rex;
    boolean vector;

    /** Whether memory is that of a processor or thread: a segment register is added. */
    boolean segment;

    boolean repeated;

    /** The fields of ModRM; {@link #rm} is -1 where that operand is in memory. */
    int reg;

    int rm;

    /** Where an operand in memory is; -1 for registers that have no part in it. */
    boolean memory;

    int base;
    int index;
    int scale;
    int displacement;

    /** The register that VEX and EVEX have besides. */
    int other;

    /** Where displacement and immediate stand in the file; -1 without. */
    int displacementAt;

    int immediateAt;
    long immediate;

    X86Instruction(ElfImage image) {
        this.image = image;
    }

    /**
     * Reads what stands there.
     *
     * @param start a place in the file
     * @param limit the place behind the code
     * @return whether that is an instruction
     */
    boolean read(int start, int limit) {
        at = start;
        end = Math.min(limit, start + LONGEST);
        wide = narrow = rex = vector = segment = repeated = memory = false;
        reg = rm = base = index = other = displacementAt = immediateAt = NONE;
        displacement = 0;
        immediate = 0;
        int bits = prefixes();
        if (at >= end) {
            return false;
        }
        int first = image.u8(at++);
        char form;
        if (first == 0xc4 || first == 0xc5 || first == 0x62) {
            form = vector(first);
        } else {
            opcode = first;
            form = first == 0x0f ? escaped() : ONE_BYTE.charAt(first);
            wide = (bits & 8) != 0;
        }
        boolean read = form != 'X' && form != 'P' && operands(form, vector ? bitsOfVector : bits);
        length = at - start;
        return read && at <= end;
    }

    private int bitsOfVector;

    /** The low bits of REX: wide, and the fourth bits of reg, index and rm. */
    private int prefixes() {
        while (at < end) {
            int prefix = image.u8(at);
            switch (prefix) {
                case 0x66 -> narrow = true;
                case 0x64, 0x65 -> segment = true;
                case 0xf2, 0xf3 -> repeated = true;
                case 0x26, 0x2e, 0x36, 0x3e, 0x67, 0xf0 -> {}
                default -> {
                    if (prefix >> 4 != 4) {
                        return 0;
                    }
                    at++;
                    // One that other prefixes follow does not count.
                    if (at < end && isPrefix(image.u8(at))) {
                        continue;
                    }
                    rex = true;
                    return prefix & 0xf;
                }
            }
            at++;
        }
        return 0;
    }

    private static boolean isPrefix(int value) {
        return value >> 4 == 4
                || ONE_BYTE.charAt(value) == 'P' && value != 0x0f && value != 0x62 && value != 0xc4 && value != 0xc5;
    }

    private char escaped() {
        if (at >= end) {
            return 'X';
        }
        int second = image.u8(at++);
        if (second != 0x38 && second != 0x3a) {
            opcode = MAP_0F + second;
            return TWO_BYTES.charAt(second);
        }
        if (at >= end) {
            return 'X';
        }
        opcode = (second == 0x38 ? MAP_0F38 : MAP_0F3A) + image.u8(at++);
        return second == 0x38 ? 'M' : 'b';
    }

    /** VEX of two or three bytes, EVEX of four; their bits are inverted. */
    private char vector(int first) {
        int size = first == 0xc5 ? 1 : first == 0xc4 ? 2 : 3;
        if (end - at <= size) {
            return 'X';
        }
        vector = true;
        int one = image.u8(at);
        int last = image.u8(at + size - (size == 3 ? 2 : 1));
        int map = size == 1 ? 1 : one & (size == 2 ? 0x1f : 7);
        bitsOfVector = size == 1 ? ~one >> 5 & 4 : ~one >> 5 & 7;
        wide = size > 1 && last >> 7 != 0;
        other = ~last >> 3 & 0xf;
        at += size;
        int code = image.u8(at++);
        return switch (map) {
            case 1 -> {
                opcode = MAP_0F + code;
                yield TWO_BYTES.charAt(code);
            }
            case 2 -> {
                opcode = MAP_0F38 + code;
                yield 'M';
            }
            case 3 -> {
                opcode = MAP_0F3A + code;
                yield 'b';
            }
            default -> {
                opcode = MAP_OTHER + code;
                yield map >= 4 && map <= 6 ? 'M' : 'X';
            }
        };
    }

    private boolean operands(char form, int bits) {
        boolean fields = "MbzTt".indexOf(form) >= 0;
        if (fields && !fields(bits)) {
            return false;
        }
        if (!fields) {
            // The register of those that have it in their last three bits.
            rm = (opcode & 7) | (bits & 1) << 3;
        }
        int z = narrow && !wide ? 2 : 4;
        return switch (form) {
            case 'B', 'b' -> immediate(1);
            case 'Z', 'z' -> immediate(z);
            case 'W' -> immediate(2);
            case 'D' -> immediate(4);
            case 'V' -> immediate(wide ? 8 : z);
            case 'T' -> (reg & 7) > 1 || immediate(1);
            case 't' -> (reg & 7) > 1 || immediate(z);
            case 'E' -> skip(3);
            case 'A' -> skip(8);
            default -> true;
        };
    }

    private boolean skip(int size) {
        at += size;
        return at <= end;
    }

    private boolean immediate(int size) {
        if (end - at < size) {
            return false;
        }
        immediateAt = at;
        immediate = switch (size) {
            case 1 -> (byte) image.u8(at);
            case 2 -> (short) image.u16(at);
            case 4 -> image.i32(at);
            default -> image.u64(at);
        };
        at += size;
        return true;
    }

    /** ModRM, what it has follow, and where the operand is that may be in memory. */
    private boolean fields(int bits) {
        if (at >= end) {
            return false;
        }
        int fields = image.u8(at++);
        int mode = fields >> 6;
        reg = (fields >> 3 & 7) | (bits & 4) << 1;
        int low = fields & 7;
        if (mode == 3) {
            rm = low | (bits & 1) << 3;
            return true;
        }
        memory = true;
        base = low | (bits & 1) << 3;
        if (low == 4) {
            if (at >= end) {
                return false;
            }
            int scaled = image.u8(at++);
            scale = scaled >> 6;
            int added = scaled >> 3 & 7 | (bits & 2) << 2;
            index = added == 4 ? NONE : added;
            base = (scaled & 7) == 5 && mode == 0 ? NONE : scaled & 7 | (bits & 1) << 3;
        } else if (low == 5 && mode == 0) {
            base = RIP;
        }
        return mode == 1 ? displacement(1) : mode == 0 && base >= 0 && base < RIP || displacement(4);
    }

    private boolean displacement(int size) {
        if (end - at < size) {
            return false;
        }
        displacementAt = at;
        displacement = size == 1 ? (byte) image.u8(at) : image.i32(at);
        at += size;
        return true;
    }
}
