package dev.weaklink.module;

import dev.weaklink.format.elf.ElfImage;
import dev.weaklink.module.Program.Function;
import dev.weaklink.module.Program.Op;
import java.util.HashMap;
import java.util.Map;

/**
 * Steps of A64's instructions, which have four bytes each.
 *
 * <p>Format: Arm Architecture Reference Manual (DDI 0487), chapter C4. Of an instruction that is not known all
 * registers are forgotten that stand where others have them.
 */
final class Arm64Steps extends CodeSteps {
    /** The stack pointer, in some places; in others a register that is always zero. */
    private static final int SP = 31;

    /** Where calls return to. */
    private static final int LR = 30;

    private static final int WORD = 8;

    /** So many bytes what belongs to a table may stand apart. */
    private static final int NEAR = 256;

    private final ElfImage image;
    private int place;
    private int in;

    /** Where registers are in bounds, and where they were compared. */
    private final Map<Integer, Integer> bounds = new HashMap<>();

    /** How many branches tables of the function may have yet. */
    private int mostBranches;

    /** Of an access: the register that has the address, and whether vector registers take part. */
    private int base;

    private boolean vector;

    Arm64Steps(ElfImage image, References references) {
        super(references);
        this.image = image;
    }

    @Override
    int read(int at) {
        if (end - at < 4) {
            return 0;
        }
        if (at == start) {
            mostBranches = end - start;
            bounds.clear();
        }
        place = at;
        next = at + 4;
        in = image.i32(at);
        switch (bits(25, 4)) {
            case 8, 9 -> immediate();
            case 10, 11 -> branch();
            case 5, 13 -> registers();
            case 4, 6, 12, 14 -> memory();
            // Floating point and vectors: memory is not written.
            case 7, 15 -> forget(general(rd()));
            default -> unknown();
        }
        return 4;
    }

    private int bits(int at, int count) {
        return in >>> at & (1 << count) - 1;
    }

    private boolean bit(int at) {
        return (in >>> at & 1) != 0;
    }

    /** A number with a sign. */
    private int signed(int at, int count) {
        return in << 32 - at - count >> 32 - count;
    }

    private boolean is(int mask, int value) {
        return (in & mask) == value;
    }

    private int rd() {
        return bits(0, 5);
    }

    private int rn() {
        return bits(5, 5);
    }

    private int rm() {
        return bits(16, 5);
    }

    /** A register where 31 is the one that is zero. */
    private static int general(int register) {
        return register == SP ? Function.NONE : register;
    }

    private void unknown() {
        for (int at : new int[] {0, 10, 16}) {
            forget(general(bits(at, 5)));
        }
        forget(rn());
    }

    private void immediate() {
        switch (bits(23, 3)) {
            // adr, adrp: what follows the latter has a relocation of its own.
            case 0, 1 -> refer(general(rd()), references.find(place, place));
            case 2 -> sum();
            case 4 -> {
                if (rn() == SP && bits(29, 2) == 1) {
                    add(Op.CONSTANT, rd(), Function.NONE, 0);
                } else {
                    forget(bits(29, 2) == 3 ? general(rd()) : rd());
                }
            }
            case 5 -> number();
            case 3 -> forget(rd());
            default -> forget(general(rd()));
        }
    }

    /** {@code movn}, {@code movz}; {@code movk} has the upper half of what precedes it. */
    private void number() {
        int part = bits(5, 16) << (bits(21, 2) == 1 ? 16 : 0);
        boolean known = bits(21, 2) < 2 && bits(29, 2) != 3;
        if (bits(29, 2) == 3 && place > start) {
            int before = image.i32(place - 4);
            known = bits(21, 2) == 1 && (before & 0x7fe0001f) == (0x52800000 | rd());
            part |= before >> 5 & 0xffff;
        }
        long step = Function.step(Op.CONSTANT, general(rd()), Function.NONE, bits(29, 2) == 0 ? ~part : part);
        add(known ? step : step | Function.INDEXED);
    }

    /** A register and a number. */
    private void sum() {
        int to = bit(29) ? general(rd()) : rd();
        int by = bits(10, 12) << (bit(22) ? 12 : 0);
        if (references.has(place)) {
            refer(to, references.find(place, place));
        } else if (bit(31)) {
            add(Op.MOVE, to, rn(), bit(30) ? -by : by);
        } else {
            forget(to);
        }
    }

    private void branch() {
        if (is(0x7c000000, 0x14000000)) {
            jump(place + signed(0, 26) * 4);
        } else if (is(0x7e000000, 0x34000000) || is(0xfe000000, 0x54000000)) {
            branch(signed(5, 19));
        } else if (is(0x7e000000, 0x36000000)) {
            branch(signed(5, 14));
        } else if (is(0xfe000000, 0xd6000000)) {
            byRegister();
        } else if (is(0xff000000, 0xd5000000)) {
            system();
        } else if (is(0xffe00000, 0xd4000000)) {
            // Calls of what is below the kernel.
            for (int register = 0; register < 18; register++) {
                forget(register);
            }
        } else if (!is(0xff000000, 0xd4000000)) {
            unknown();
        }
    }

    private void branch(int by) {
        int target = references.has(place) ? -1 : place + by * 4;
        // cmp, and b.hi or b.ls
        boolean bounded = is(0xff00001e, 0x54000008) && place > start;
        if (bounded && (image.i32(place - 4) & 0x7fc0001f) == 0x7100001f) {
            bounds.put(bit(0) ? target : next, place - 4);
        }
        add(Op.BRANCH, Function.NONE, Function.NONE, target);
    }

    /** {@code b} and {@code bl}. */
    private void jump(int target) {
        int number = called(place, target);
        boolean function = number >= 0 && references.get(number).offset() == 0;
        if (!bit(31) && !function) {
            add(Op.JUMP, Function.NONE, Function.NONE, references.has(place) ? -1 : target);
            return;
        }
        if (number < 0) {
            add(Op.CALL_POINTER, Function.NONE, Function.NONE, 0);
        } else {
            add(Op.CALL, Function.NONE, Function.NONE, number);
        }
        if (!bit(31)) {
            add(Op.RETURN, Function.NONE, Function.NONE, 0);
        }
    }

    private void byRegister() {
        switch (bits(21, 4)) {
            case 1, 9 -> add(Op.CALL_POINTER, Function.NONE, general(rn()), 0);
            case 2 -> add(Op.RETURN, Function.NONE, Function.NONE, 0);
            default -> {
                byTable();
                add(Op.JUMP, Function.NONE, Function.NONE, -1);
            }
        }
    }

    /**
     * Branches to all places that a table has, as gcc makes them for {@code switch}: {@code adrp t; add t; ldrb e, [t,
     * i]; adr b; add b, b, e, sxtb #2; br b}, others in between.
     */
    private void byTable() {
        int add = before(place, 0xffe09c1f, 0x8b208800 | rn());
        int base = before(add, 0x9f00001f, 0x10000000 | field(add, 5));
        int load = before(add, 0x3f200c1f, 0x38200800 | field(add, 16));
        int address = before(load, 0xffc0001f, 0x91000000 | field(load, 5));
        int last = last(load);
        if (base < 0 || address < 0 || last < 0 || last >= mostBranches) {
            return;
        }
        int count = last + 1;
        int width = 1 << (image.i32(add) >> 13 & 3);
        int table = references.data(address, count * width);
        if (table < 0) {
            return;
        }
        mostBranches -= count;
        int word = image.i32(base);
        int from = base + ((word << 8 >> 13) << 2 | word >> 29 & 3);
        for (int at = table; at < table + count * width; at += width) {
            int entry = width == 1 ? (byte) image.u8(at) : width == 2 ? (short) image.u16(at) : image.i32(at);
            add(Op.BRANCH, Function.NONE, Function.NONE, from + entry * 4);
        }
    }

    /** The last index that a table is read with there; -1 if that is not known. */
    private int last(int load) {
        for (int i = load; i >= Math.max(start, load - NEAR); i -= 4) {
            int compared = bounds.getOrDefault(i, -1);
            if (compared >= 0 && field(compared, 5) == field(load, 16)) {
                return image.i32(compared) >> 10 & 0xfff;
            }
        }
        return -1;
    }

    /** Where the nearest of some instructions stands that precede another one; -1 for none. */
    private int before(int at, int mask, int value) {
        for (int i = at - 4; i >= Math.max(start, at - NEAR); i -= 4) {
            if ((image.i32(i) & mask) == value) {
                return i;
            }
        }
        return -1;
    }

    /** A register of the instruction there. */
    private int field(int at, int bit) {
        return at < 0 ? 0 : image.i32(at) >> bit & 0x1f;
    }

    private void system() {
        if (bit(21)) {
            forget(general(rd()));
        } else if (is(0xfffff01f, 0xd503201f)) {
            // Hints; some sign addresses.
            int hint = bits(5, 7);
            if (hint == 7 || hint >> 3 == 3) {
                forget(LR);
            } else if (hint >> 3 == 1) {
                forget(17);
            }
        }
    }

    /** What is made of registers only. */
    private void registers() {
        boolean wide = bit(31);
        int to = general(rd());
        if (!bit(28) && !bit(24)) {
            boolean copies = rn() == SP && bits(29, 2) == 1 && bits(21, 3) == 0 && bits(10, 6) == 0;
            if (copies && rm() == SP) {
                add(Op.CONSTANT, to, Function.NONE, 0);
            } else if (copies && wide) {
                add(Op.MOVE, to, rm(), 0);
            } else {
                forget(to);
            }
        } else if (!bit(28)) {
            sum(bit(21) && !bit(29) ? rd() : to);
        } else if (is(0x7fe00c00, 0x1a800000) && wide) {
            select();
        } else if (bits(21, 4) != 2) {
            // All but conditional comparisons.
            forget(to);
        }
    }

    /** {@code add} of two registers, one of which may be shifted or extended. */
    private void sum(int to) {
        boolean extended = bit(21);
        int kind = extended ? bits(13, 3) : 3;
        int shift = bits(10, extended ? 3 : 6);
        int from = extended ? rn() : general(rn());
        if (!is(0xff000000, 0x8b000000) || !extended && bits(22, 2) != 0 || shift > 31) {
            forget(to);
        } else {
            add(Function.sum(to, from, general(rm()), shift, kind != 3 || shift > 0));
        }
    }

    /** {@code csel}. */
    private void select() {
        boolean keeps = rm() == rd();
        int one = keeps ? rm() : rn();
        int other = keeps ? rn() : rm();
        if (rd() == SP) {
            return;
        }
        if (one == SP) {
            add(Op.CONSTANT, rd(), Function.NONE, 0);
        } else if (one != rd()) {
            add(Op.MOVE, rd(), one, 0);
        }
        if (other != SP) {
            add(Op.SELECT, rd(), other, 0);
        }
    }

    private void memory() {
        vector = bit(26);
        base = rn();
        switch (bits(28, 2)) {
            case 0 -> {
                if (vector) {
                    structures();
                } else {
                    exclusive();
                }
            }
            case 1 -> {
                if (!bit(24)) {
                    // From a place of the code, or a prefetch of it.
                    forget(vector || bits(30, 2) == 3 ? Function.NONE : general(rd()));
                } else if (vector || bit(21) || bits(10, 2) != 0) {
                    unknown();
                } else {
                    access(rd(), signed(12, 9), 1 << bits(30, 2), bits(22, 2) != 0);
                }
            }
            case 2 -> pair();
            default -> one();
        }
    }

    /** An access of one register; vectors are long. */
    private void access(int register, int offset, int width, boolean load) {
        int whole = vector || !load && width < WORD ? Function.NONE : general(register);
        Op op = vector ? Op.TOUCH : load ? Op.LOAD : Op.STORE;
        for (int done = 0; done < width; done += WORD) {
            int size = Math.min(width, WORD);
            add(Function.memory(op, whole, base, offset + done, size, false, !load));
        }
    }

    private void two(int offset, int width, boolean load) {
        int second = bits(10, 5);
        // One that is the address is overwritten last.
        boolean last = load && !vector && rd() == base;
        if (last) {
            access(second, offset + width, width, true);
        }
        access(rd(), offset, width, load);
        if (!last) {
            access(second, offset + width, width, load);
        }
    }

    /** An access that both reads and writes; {@code register} gets what was there. */
    private void exchange(int register, int width) {
        add(Function.memory(Op.TOUCH, Function.NONE, base, 0, width, false, true));
        forget(general(register));
    }

    private void exclusive() {
        int width = 1 << bits(30, 2);
        boolean load = bit(22);
        boolean pairs = bit(21);
        if (pairs && bit(23)) {
            exchange(rm(), width);
        } else if (pairs && width < 4) {
            exchange(rm(), 8 * width);
            forget(general(rm() + 1));
        } else {
            if (pairs) {
                two(0, width, load);
            } else {
                access(rd(), 0, width, load);
            }
            forget(load || bit(23) ? Function.NONE : general(rm()));
        }
    }

    /** Several vectors, of which the first byte is reached in any case. */
    private void structures() {
        access(rd(), 0, 1, bit(22));
        forget(bit(23) ? base : Function.NONE);
    }

    private void pair() {
        int kind = bits(30, 2);
        boolean load = bit(22);
        if (kind == 3 || kind == 1 && !vector && !load) {
            unknown();
            return;
        }
        int width = vector ? 4 << kind : kind == 2 ? 8 : 4;
        int offset = signed(15, 7) * width;
        int mode = bits(23, 2);
        moveBase(mode == 3, offset);
        two(mode == 2 || mode == 0 ? offset : 0, width, load);
        moveBase(mode == 1, offset);
    }

    private void moveBase(boolean moves, int by) {
        if (moves) {
            add(Op.MOVE, base, base, by);
        }
    }

    private void one() {
        int size = bits(30, 2);
        int kind = bits(22, 2);
        int width = 1 << (vector ? size | (kind & 2) << 1 : size);
        boolean load = vector ? (kind & 1) != 0 : kind != 0;
        int mode = bit(21) ? 4 + bits(10, 2) : bits(10, 2);
        boolean prefetch = !vector && size == 3 && kind == 2;
        if (width > 16) {
            unknown();
        } else if (bit(24)) {
            scaled(width, load, prefetch);
        } else if (mode == 4) {
            atomic(width);
        } else if (mode == 5 || mode == 7) {
            signedAddress(mode == 7);
        } else if (!prefetch) {
            moveBase(mode == 3, signed(12, 9));
            boolean offset = mode == 0 || mode == 2;
            if (mode == 6) {
                boolean index = bit(12) || bits(13, 3) != 3;
                int shift = bit(12) ? Integer.numberOfTrailingZeros(width) : 0;
                add(Function.sum(Function.SCRATCH, base, general(rm()), shift, index));
                base = Function.SCRATCH;
            }
            access(rd(), offset ? signed(12, 9) : 0, width, load);
            moveBase(mode == 1, signed(12, 9));
        }
    }

    private void scaled(int width, boolean load, boolean prefetch) {
        if (prefetch) {
            return;
        }
        int offset = bits(10, 12) * width;
        if (references.has(place)) {
            int reference = references.find(place, place);
            if (reference < 0) {
                forget(load && !vector ? general(rd()) : Function.NONE);
                return;
            }
            refer(Function.SCRATCH, reference);
            base = Function.SCRATCH;
            offset = 0;
        }
        access(rd(), offset, width, load);
    }

    private void atomic(int width) {
        int kind = bits(12, 4);
        if (vector || kind > 8 && kind != 12) {
            unknown();
        } else if (kind == 12) {
            access(rd(), 0, width, true);
        } else {
            exchange(rd(), width);
        }
    }

    /** {@code ldraa}, {@code ldrab}. */
    private void signedAddress(boolean moves) {
        if (vector) {
            unknown();
            return;
        }
        int offset = (bit(22) ? bits(12, 9) - 512 : bits(12, 9)) * WORD;
        moveBase(moves, offset);
        access(rd(), moves ? 0 : offset, WORD, true);
    }
}
