package dev.weaklink.module;

import dev.weaklink.format.elf.ElfImage;
import dev.weaklink.module.Program.Function;
import dev.weaklink.module.Program.Op;
import dev.weaklink.module.Program.Reference;
import java.util.Arrays;

/** Steps of x86-64's instructions. */
final class X86Steps extends CodeSteps {
    private static final int RAX = 0;
    private static final int RCX = 1;
    private static final int RDX = 2;
    private static final int RBX = 3;
    private static final int RSP = 4;
    private static final int RBP = 5;
    private static final int RSI = 6;
    private static final int RDI = 7;

    /** Functions that leave all registers alone: what traces calls, and jumps by a register. */
    private static final String THUNK = "__x86_indirect_thunk_";

    private static final String RETURN_THUNK = "__x86_return_thunk";
    private static final String TRACER = "__fentry__";
    private static final String[] REGISTERS = {
        "rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15"
    };

    private final X86Instruction in;

    X86Steps(ElfImage image, References references) {
        super(references);
        this.in = new X86Instruction(image);
    }

    @Override
    int read(int place) {
        if (!in.read(place, end)) {
            return 0;
        }
        next = place + in.length;
        translate();
        return in.length;
    }

    /** How many bytes an operand has that is no byte. */
    private int width() {
        return in.wide ? 8 : in.narrow ? 2 : 4;
    }

    /** The register of a byte: without REX the second four are others' second bytes. */
    private int byteRegister(int register) {
        return in.rex || register < RSP ? register : register - 4;
    }

    private void translate() {
        int opcode = in.opcode;
        if (in.vector) {
            vector();
        } else if (opcode < 0x40) {
            arithmetic(opcode >> 3, opcode & 7);
        } else if (opcode < X86Instruction.MAP_0F) {
            oneByte(opcode);
        } else if (opcode < X86Instruction.MAP_0F38) {
            twoBytes(opcode - X86Instruction.MAP_0F);
        } else {
            operands(8, false);
        }
    }

    /** Not followed: all registers that stand in it are forgotten. */
    private void vector() {
        if (in.opcode == X86Instruction.MAP_0F + 0x77) {
            return;
        }
        forget(in.reg);
        forget(in.other);
        operand(16, false);
    }

    /** What is in registers or in memory, of which both may be written. */
    private void operands(int width, boolean writesMemory) {
        operand(width, writesMemory);
        forget(in.reg);
    }

    /** The operand that may be in memory; a register is forgotten. */
    private void operand(int width, boolean written) {
        if (in.memory) {
            memory(Op.TOUCH, Function.NONE, width, written);
        } else {
            forget(in.rm);
        }
    }

    /**
     * A step that reaches memory through a register, or a variable; nothing if neither is there.
     *
     * @return whether there is one
     */
    private boolean memory(Op op, int register, int width, boolean written) {
        if (in.segment) {
            return false;
        }
        int offset = in.displacement;
        int base = in.base;
        boolean relocated = in.displacementAt >= 0 && references.has(in.displacementAt);
        if (relocated) {
            int reference = references.find(in.displacementAt, next);
            if (reference < 0 || base != X86Instruction.RIP) {
                return false;
            }
            add(Op.ADDRESS, Function.SCRATCH, Function.NONE, reference);
            base = Function.SCRATCH;
            offset = 0;
        } else if (base == X86Instruction.RIP || base < 0) {
            return false;
        }
        add(Function.memory(op, register, base, offset, width, in.index >= 0, written));
        return true;
    }

    private void load(int register, int width) {
        if (!memory(Op.LOAD, register, width, false)) {
            forget(register);
        }
    }

    private void arithmetic(int kind, int form) {
        boolean compares = kind == 7;
        int width = (form & 1) == 0 ? 1 : width();
        boolean bytes = width == 1;
        if (form >= 4) {
            forget(compares ? -1 : RAX);
        } else if (form >= 2) {
            if (in.memory) {
                memory(Op.TOUCH, Function.NONE, width, false);
            }
            int to = bytes ? byteRegister(in.reg) : in.reg;
            if (in.rm == in.reg && (kind == 5 || kind == 6)) {
                add(Op.CONSTANT, to, Function.NONE, 0);
            } else {
                forget(compares ? -1 : to);
            }
        } else if (in.memory) {
            memory(Op.TOUCH, Function.NONE, width, !compares);
        } else if (in.rm == in.reg && (kind == 5 || kind == 6)) {
            add(Op.CONSTANT, bytes ? byteRegister(in.rm) : in.rm, Function.NONE, 0);
        } else {
            forget(compares ? -1 : bytes ? byteRegister(in.rm) : in.rm);
        }
    }

    private void oneByte(int opcode) {
        switch (opcode) {
            case 0x50, 0x51, 0x52, 0x53, 0x54, 0x55, 0x56, 0x57 -> push(in.rm);
            case 0x68, 0x6a -> push(Function.NONE);
            case 0x58, 0x59, 0x5a, 0x5b, 0x5c, 0x5d, 0x5e, 0x5f -> pop(in.rm);
            case 0x63 -> load(in.reg, 4, in.rm);
            case 0x69, 0x6b -> {
                touch(width(), false);
                forget(in.reg);
            }
            case 0x80, 0x81, 0x83 -> arithmeticByNumber(opcode == 0x80 ? 1 : width());
            case 0x84 -> touch(1, false);
            case 0x85 -> touch(width(), false);
            case 0x86, 0x87 -> {
                operand(opcode == 0x86 ? 1 : width(), true);
                forget(opcode == 0x86 ? byteRegister(in.reg) : in.reg);
            }
            case 0x88 -> store(1, byteRegister(in.reg));
            case 0x89 -> store(width(), in.reg);
            case 0x8a -> load(byteRegister(in.reg), 1, in.rm);
            case 0x8b -> load(in.reg, width(), in.wide ? Function.NONE : in.rm);
            case 0x8d -> address();
            case 0x8f -> {
                operand(8, true);
                add(Op.MOVE, RSP, RSP, 8);
            }
            case 0x91, 0x92, 0x93, 0x94, 0x95, 0x96, 0x97 -> {
                forget(RAX);
                forget(in.rm);
            }
            case 0x98 -> forget(RAX);
            case 0x99 -> forget(RDX);
            case 0xc0, 0xd0, 0xd2 -> modify(1);
            case 0xc1, 0xd1, 0xd3 -> modify(width());
            case 0xc6 -> storeNumber(1);
            case 0xc7 -> storeNumber(width());
            case 0xc9 -> {
                add(Op.MOVE, RSP, RBP, 0);
                pop(RBP);
            }
            case 0xf6, 0xf7 -> unary(opcode == 0xf6 ? 1 : width());
            case 0xfe -> modify(1);
            case 0xff -> counted();
            default -> others(opcode);
        }
    }

    private void others(int opcode) {
        if (opcode >= 0xb0 && opcode < 0xb8) {
            number(byteRegister(in.rm), false);
        } else if (opcode >= 0xb8 && opcode < 0xc0) {
            number(in.rm, !in.narrow || in.wide);
        } else if (opcode >= 0x70 && opcode < 0x80 || opcode >= 0xe0 && opcode < 0xe4) {
            forget(opcode >= 0xe0 ? RCX : -1);
            add(Op.BRANCH, Function.NONE, Function.NONE, next + (int) in.immediate);
        } else if (opcode == 0xe8) {
            call();
        } else if (opcode == 0xe9 || opcode == 0xeb) {
            jump();
        } else if (opcode == 0xc3 || opcode == 0xc2) {
            add(Op.RETURN, Function.NONE, Function.NONE, 0);
        } else if (opcode >= 0xa4 && opcode < 0xb0 && opcode != 0xa8 && opcode != 0xa9) {
            // String instructions.
            forget(RAX);
            forget(RCX);
            forget(RSI);
            forget(RDI);
        } else if (opcode >= 0xa0 && opcode < 0xa4 || opcode >= 0xe4 && opcode < 0xf0) {
            forget(RAX);
        }
    }

    private void push(int register) {
        add(Op.MOVE, RSP, RSP, -8);
        add(Function.memory(Op.STORE, register, RSP, 0, 8, false, true));
    }

    private void pop(int register) {
        add(Function.memory(Op.LOAD, register, RSP, 0, 8, false, false));
        if (register != RSP) {
            add(Op.MOVE, RSP, RSP, 8);
        }
    }

    /** {@code from} is the register if the operand is one, and its whole value is not kept. */
    private void load(int register, int width, int from) {
        if (in.memory) {
            load(register, width);
        } else if (from == Function.NONE) {
            add(Op.MOVE, register, in.rm, 0);
        } else {
            forget(register);
        }
    }

    private void touch(int width, boolean written) {
        if (in.memory) {
            memory(Op.TOUCH, Function.NONE, width, written);
        }
    }

    private void store(int width, int register) {
        if (in.memory) {
            memory(Op.STORE, width == 8 ? register : Function.NONE, width, true);
        } else if (width == 8) {
            add(Op.MOVE, in.rm, register, 0);
        } else {
            forget(width == 1 ? byteRegister(in.rm) : in.rm);
        }
    }

    private void modify(int width) {
        if (in.memory) {
            memory(Op.TOUCH, Function.NONE, width, true);
        } else {
            forget(width == 1 ? byteRegister(in.rm) : in.rm);
        }
    }

    private void arithmeticByNumber(int width) {
        int kind = in.reg & 7;
        if (kind == 7) {
            touch(width, false);
        } else if (!in.memory && width == 8 && (kind == 0 || kind == 5)) {
            int by = (int) in.immediate;
            boolean relocated = references.has(in.immediateAt);
            if (relocated) {
                forget(in.rm);
            } else {
                add(Op.MOVE, in.rm, in.rm, kind == 0 ? by : -by);
            }
        } else {
            modify(width);
        }
    }

    /** {@code lea}. */
    private void address() {
        int base = in.base;
        boolean relocated = in.displacementAt >= 0 && references.has(in.displacementAt);
        if (relocated && base == X86Instruction.RIP) {
            refer(in.reg, references.find(in.displacementAt, next));
        } else if (relocated || !in.wide || base < 0 || base == X86Instruction.RIP) {
            forget(in.reg);
        } else if (in.index >= 0) {
            add(Function.sum(in.reg, base, in.index, in.scale, in.scale > 0));
            add(Op.MOVE, in.reg, in.reg, in.displacement);
        } else {
            add(Op.MOVE, in.reg, base, in.displacement);
        }
    }

    /** {@code whole} if no part of the register is kept. */
    private void number(int register, boolean whole) {
        if (in.immediateAt >= 0 && references.has(in.immediateAt)) {
            refer(register, references.find(in.immediateAt, in.immediateAt));
        } else {
            long number = Function.step(Op.CONSTANT, register, Function.NONE, (int) in.immediate);
            boolean known = whole && in.immediate == (int) in.immediate;
            add(known ? number : number | Function.INDEXED);
        }
    }

    private void storeNumber(int width) {
        if (!in.memory) {
            number(width == 1 ? byteRegister(in.rm) : in.rm, width >= 4);
        } else if (width == 8 && references.has(in.immediateAt)) {
            // Behind the address of a variable nothing else is in between.
            int reference = references.find(in.immediateAt, in.immediateAt);
            boolean reached = reference >= 0 && in.base != X86Instruction.RIP;
            if (reached) {
                refer(Function.SCRATCH, reference);
            }
            memory(Op.STORE, reached ? Function.SCRATCH : Function.NONE, width, true);
        } else {
            memory(Op.STORE, Function.NONE, width, true);
        }
    }

    private void unary(int width) {
        int kind = in.reg & 7;
        if (kind < 2) {
            touch(width, false);
        } else if (kind < 4) {
            modify(width);
        } else {
            touch(width, false);
            forget(RAX);
            forget(RDX);
        }
    }

    /** Opcode ff: counts, calls, jumps and pushes. */
    private void counted() {
        switch (in.reg & 7) {
            case 2 -> {
                int pointer = in.rm;
                if (in.memory) {
                    pointer = Function.SCRATCH;
                    load(pointer, 8);
                }
                add(Op.CALL_POINTER, Function.NONE, pointer, 0);
            }
            case 4, 5 -> {
                touch(8, false);
                add(Op.JUMP, Function.NONE, Function.NONE, -1);
            }
            case 6 -> {
                touch(8, false);
                push(Function.NONE);
            }
            default -> modify(width());
        }
    }

    private void call() {
        int number = called();
        if (number < 0) {
            add(Op.CALL_POINTER, Function.NONE, Function.NONE, 0);
            return;
        }
        String name = references.get(number).name();
        if (name.startsWith(THUNK)) {
            int register = Arrays.asList(REGISTERS).indexOf(name.substring(THUNK.length()));
            add(Op.CALL_POINTER, Function.NONE, register < 0 ? Function.NONE : register, 0);
        } else if (!name.equals(TRACER)) {
            add(Op.CALL, Function.NONE, Function.NONE, number);
        }
    }

    /** What a call or jump with four bytes leads to. */
    private int called() {
        return called(in.immediateAt, next + (int) in.immediate);
    }

    private void jump() {
        boolean relocated = references.has(in.immediateAt);
        int number = relocated || in.opcode == 0xe9 ? called() : References.NONE;
        Reference called = number < 0 ? null : references.get(number);
        if (called == null || called.offset() != 0) {
            add(Op.JUMP, Function.NONE, Function.NONE, relocated ? -1 : next + (int) in.immediate);
            return;
        }
        if (!called.name().equals(RETURN_THUNK)) {
            call();
        }
        add(Op.RETURN, Function.NONE, Function.NONE, 0);
    }

    private void twoBytes(int opcode) {
        switch (opcode >> 4) {
            case 0x1, 0x2 -> {
                // Prefetches and nops reach nothing; 2c and 2d write a register.
                if (opcode == 0x2c || opcode == 0x2d) {
                    forget(in.reg);
                } else if (opcode >= 0x20 && opcode < 0x24) {
                    forget(in.rm);
                }
            }
            case 0x4 -> {
                if (in.memory) {
                    touch(width(), false);
                    forget(in.reg);
                } else if (in.wide) {
                    add(Op.SELECT, in.reg, in.rm, 0);
                } else {
                    forget(in.reg);
                }
            }
            case 0x5, 0x6, 0x7, 0xd, 0xe, 0xf -> {
                if (opcode != 0x77 && opcode != 0xff) {
                    forget(in.reg);
                    forget(in.memory ? -1 : in.rm);
                }
            }
            case 0x8 -> add(Op.BRANCH, Function.NONE, Function.NONE, target());
            case 0x9 -> modify(1);
            default -> bits(opcode);
        }
    }

    private int target() {
        return references.has(in.immediateAt) ? -1 : next + (int) in.immediate;
    }

    private void bits(int opcode) {
        switch (opcode) {
            case 0xa0, 0xa1, 0xa8, 0xa9 -> add(Op.OTHER, RSP, Function.NONE, 0);
            case 0xa3 -> touch(in.memory ? width() : 0, false);
            case 0xab, 0xb3, 0xbb, 0xa4, 0xa5, 0xac, 0xad -> modify(width());
            case 0xba -> {
                if ((in.reg & 7) == 4) {
                    touch(width(), false);
                } else {
                    modify(width());
                }
            }
            case 0xaf, 0xb8, 0xbc, 0xbd -> {
                touch(width(), false);
                forget(in.reg);
            }
            case 0xb6, 0xbe -> load(in.reg, 1, in.rm);
            case 0xb7, 0xbf -> load(in.reg, 2, in.rm);
            case 0xb0, 0xb1, 0xc0, 0xc1 -> {
                int width = (opcode & 1) == 0 ? 1 : width();
                modify(width);
                forget((opcode & 0xf0) == 0xb0 ? RAX : width == 1 ? byteRegister(in.reg) : in.reg);
            }
            case 0xc3 -> touch(width(), true);
            case 0x0b, 0xb9, 0x0d, 0x05, 0x06, 0x09 -> {}
            default -> {
                if (opcode >= 0xc8 && opcode < 0xd0) {
                    forget(in.rm);
                } else {
                    // cpuid, rdtsc, rdmsr, cmpxchg16b, xgetbv and others
                    forget(RAX);
                    forget(RCX);
                    forget(RDX);
                    forget(opcode == 0xa2 ? RBX : -1);
                    forget(in.memory ? -1 : in.reg);
                    forget(in.memory || in.reg < 0 ? -1 : in.rm);
                }
            }
        }
    }
}
