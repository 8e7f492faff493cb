package dev.weaklink.module;

import dev.weaklink.module.Program.Function;
import dev.weaklink.module.Program.Op;
import dev.weaklink.module.Program.Reference;
import java.util.Arrays;

/**
 * Makes steps of a function's instructions: which addresses registers hold, and what memory is reached through them.
 * Whatever an instruction may write and is not followed is forgotten.
 */
abstract class CodeSteps {
    /** What the code of a module refers to, by numbers of the program's references. */
    interface References {
        /** Of what leads to nothing that has a name. */
        int NONE = -1;

        /** Whether a relocation stands at a place of the file. */
        boolean has(int at);

        /**
         * What the relocation there leads to.
         *
         * @param next where the next instruction stands, if the place is given from there on
         */
        int find(int at, int next);

        /** Where bytes that the relocation there leads to stand in the file; -1 if not all do. */
        int data(int at, int size);

        /** The function that begins there, of the same section. */
        int function(int at);

        Reference get(int number);
    }

    final References references;

    /** Where the function stands in the file. */
    int start;

    int end;

    /** Where the next instruction stands. */
    int next;

    private long[] steps = new long[256];
    private int count;

    /** The first step of the instruction at each byte of the function, and 1 more; 0 for none. */
    private int[] first = new int[256];

    CodeSteps(References references) {
        this.references = references;
    }

    /**
     * Adds the steps of one instruction.
     *
     * @return how many bytes it has; 0 for none
     */
    abstract int read(int place);

    /** The steps of a function that lies at these bytes of the file. */
    final Function function(String name, int from, int to) {
        start = from;
        end = to;
        count = 0;
        if (first.length < end - start) {
            first = new int[Math.max(end - start, first.length * 2)];
        }
        Arrays.fill(first, 0, end - start, 0);
        int length = 1;
        for (int place = start; place < end && length > 0; place += length) {
            first[place - start] = count + 1;
            length = read(place);
        }
        add(Op.JUMP, Function.NONE, Function.NONE, -1);
        for (int i = 0; i < count; i++) {
            resolve(i);
        }
        return new Function(name, Arrays.copyOf(steps, count));
    }

    /** A jump leads to a byte of the file so far. */
    private void resolve(int step) {
        int op = (int) steps[step] & 0xf;
        if (op == Op.JUMP.ordinal() || op == Op.BRANCH.ordinal()) {
            int at = (int) (steps[step] >> 32);
            int target = at >= start && at < end ? first[at - start] - 1 : -1;
            steps[step] = (int) steps[step] & 0xffffffffL | (long) target << 32;
        }
    }

    final void add(long step) {
        if (count == steps.length) {
            steps = Arrays.copyOf(steps, count * 2);
        }
        steps[count++] = step;
    }

    final void add(Op op, int to, int from, int operand) {
        add(Function.step(op, to, from, operand));
    }

    final void forget(int register) {
        if (register >= 0 && register != Function.NONE) {
            add(Op.OTHER, register, Function.NONE, 0);
        }
    }

    final void refer(int register, int reference) {
        if (reference < 0) {
            forget(register);
        } else {
            add(Op.ADDRESS, register, Function.NONE, reference);
        }
    }

    /** What a call or jump leads to: what the relocation at a place says, else a place. */
    final int called(int at, int target) {
        return references.has(at) ? references.find(at, next) : references.function(target);
    }
}
