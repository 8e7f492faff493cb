package dev.weaklink.module;

import java.util.List;

/**
 * What a module's code does with addresses, and the variables it has.
 *
 * @param variables those that hold pointers come first
 * @param functions by their places; none where the machine's code is not read
 * @param references what code refers to
 * @param convention how functions are called
 */
public record Program(
        List<DataObject> variables, List<Function> functions, List<Reference> references, Convention convention) {
    /** Without anything. */
    public static final Program NONE = new Program(List.of(), List.of(), List.of(), Convention.X86_64);

    public Program {
        variables = List.copyOf(variables);
        functions = List.copyOf(functions);
        references = List.copyOf(references);
    }

    /**
     * Which registers functions of the C language use: System V psABI for AMD64, section 3.2.3; AAPCS64, section 6.1.
     *
     * @param registers how many there are
     * @param arguments the first arguments that are numbers or pointers
     * @param result what a function returns
     * @param stack the stack pointer
     * @param kept those that a call leaves alone, as bits
     */
    public record Convention(int registers, List<Integer> arguments, int result, int stack, long kept) {
        /** rdi, rsi, rdx, rcx, r8, r9; rax; rsp; rbx, rsp, rbp, r12 to r15. */
        public static final Convention X86_64 =
                new Convention(16, List.of(7, 6, 2, 1, 8, 9), 0, 4, 0b1111_0000_0011_1000);

        /** x0 to x7; x0; sp, with the number that instructions also have for xzr; x19 to x29, sp. */
        public static final Convention ARM64 = new Convention(32, List.of(0, 1, 2, 3, 4, 5, 6, 7), 0, 31, 0xbff8_0000L);

        public Convention {
            arguments = List.copyOf(arguments);
        }

        /** Whether a register has after a call what it had before. */
        public boolean keeps(int register) {
            return (kept >>> register & 1) != 0;
        }
    }

    /** What a reference leads to. */
    public enum Target {
        /** A function or variable that is imported, by its name. */
        IMPORT,
        FUNCTION,
        VARIABLE
    }

    /**
     * What code refers to.
     *
     * @param name of what is imported, else empty
     * @param number of the function or variable, else -1
     * @param offset how far behind its beginning
     */
    public record Reference(Target target, String name, int number, long offset) {}

    /** What a step does; {@code to} is the register that it writes. */
    public enum Op {
        /** {@code to} gets what {@code from} has and a number more. */
        MOVE,
        /** {@code to} gets what is in memory at {@code from}. */
        LOAD,
        /** What {@code to} has goes into memory at {@code from}; {@link Function#NONE} for another. */
        STORE,
        /** Memory at {@code from} is read or written, and no register of interest. */
        TOUCH,
        /** {@code to} gets a number that the code has; if it is indexed, one that is not known. */
        CONSTANT,
        /**
         * {@code to} gets what {@code from} has and what another register has; if it is indexed, that is an index. Its
         * operand is that register and, 6 bits above, by how much it is shifted.
         */
        ADD,
        /** {@code to} gets something else. */
        OTHER,
        /** {@code to} keeps what it has, or gets what {@code from} has. */
        SELECT,
        /** {@code to} gets the address of what a reference leads to. */
        ADDRESS,
        /** A call of what a reference leads to. */
        CALL,
        /** A call of what {@code from} points to. */
        CALL_POINTER,
        /** Goes on at another step, or at the next one. */
        BRANCH,
        /** Goes on at another step; at none if that is not known. */
        JUMP,
        RETURN
    }

    /**
     * A function, as steps of what it does with addresses; arithmetic is left out.
     *
     * @param name its name in the symbol table
     * @param steps each in 64 bits
     */
    @SuppressWarnings("ArrayRecordComponent") // nobody writes to it, and there are many
    public record Function(String name, long[] steps) {
        /** No register, or one that is not followed. */
        public static final int NONE = 63;

        /** Holds an address for the next step only. */
        public static final int SCRATCH = 62;

        static final long INDEXED = 1 << 22;

        private static final Op[] OPS = Op.values();

        static long step(Op op, int to, int from, int operand) {
            return op.ordinal() | to << 4 | from << 10 | (long) operand << 32;
        }

        /**
         * One that reaches memory.
         *
         * @param width in bytes
         * @param indexed whether something else is added to the address
         */
        static long memory(Op op, int to, int from, int offset, int width, boolean indexed, boolean written) {
            return step(op, to, from, offset) | width << 16 | (indexed ? INDEXED : 0) | (written ? 1 << 23 : 0);
        }

        static long sum(int to, int from, int other, int shift, boolean index) {
            return step(Op.ADD, to, from, other | shift << 6) | (index ? INDEXED : 0);
        }

        public int size() {
            return steps.length;
        }

        public Op op(int step) {
            return OPS[(int) steps[step] & 0xf];
        }

        public int to(int step) {
            return (int) steps[step] >> 4 & 0x3f;
        }

        public int from(int step) {
            return (int) steps[step] >> 10 & 0x3f;
        }

        /** Of memory, how many bytes. */
        public int width(int step) {
            return (int) steps[step] >> 16 & 0x3f;
        }

        public boolean isIndexed(int step) {
            return (steps[step] & INDEXED) != 0;
        }

        public boolean isWritten(int step) {
            return (steps[step] & 1 << 23) != 0;
        }

        /** What is added to {@code from}, the number of a reference, or of another step. */
        public int operand(int step) {
            return (int) (steps[step] >> 32);
        }
    }
}
