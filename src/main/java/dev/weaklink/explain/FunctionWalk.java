package dev.weaklink.explain;

import dev.weaklink.explain.Pointees.Found;
import dev.weaklink.module.Program;
import dev.weaklink.module.Program.Function;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.TreeMap;

/**
 * Goes through one function and follows addresses in registers and on its stack. An address is where it comes from (its
 * origin: an argument, what a call returned, what was read somewhere) and how far behind that it leads. What lies at an
 * origin is told by what it was read from, and by what it is passed to: that holds at every place, as an origin is
 * always the same address.
 */
final class FunctionWalk {
    /** Words of the stack that are followed, and the scratch register. */
    private static final int SLOTS = 32;

    /** Loops nest less deep than that; a function that needs more is left. */
    private static final int MAX_PASSES = 8;

    /** States of all labels of one function, in words; no function has a tenth of that. */
    private static final int MAX_STATES = 8_000_000;

    private static final long NOTHING = 0;

    /** An address to which something is added that is not known. */
    private static final long INDEXED = Long.MIN_VALUE;

    private static final int NUMBER = 1;
    private static final long SOME_NUMBER = INDEXED | (long) NUMBER << 32;
    private static final int STACK = 2;
    private static final int FIRST = 3;

    /** What functions and variables are known to be, and takes what is found out. */
    interface Surroundings {
        /** What lies where an argument points to; 0 if that is not known. */
        int argument(int index);

        /** What the arguments of a call point to, as far as that is known for certain. */
        int[] passed(int reference);

        /** What a call returns a pointer to; 0 if that is not known. */
        int result(int reference);

        /** What the arguments of a function of that prototype point to. */
        int[] passedTo(int prototype);

        int resultOf(int prototype);

        /** A number for what is referred to, whatever the offset; and that offset. */
        int symbol(int reference);

        int offset(int reference);

        /**
         * What lies outside of a variable, at an offset from its beginning: a number as {@link #symbol} gives, and the
         * offset from there in the lower 32 bits; -1 if that is not known.
         */
        long beyond(int symbol, int offset);

        /** What a variable is, or what is imported; 0 if that is not known. */
        int variable(int symbol);

        /** What the pointer at a place of a variable points to; 0 if that is not known. */
        int cell(int symbol, int offset);

        void foundArgument(int index, int pointee);

        void foundResult(int pointee);

        void foundCall(int reference, int argument, int pointee);

        void foundVariable(int symbol, int pointee);

        void foundCell(int symbol, int offset, int pointee);
    }

    private final Program.Convention convention;
    private final Function function;
    private final Pointees pointees;
    private final Surroundings around;

    private final BitSet labels = new BitSet();
    private final Map<Integer, long[]> states = new HashMap<>();

    /** Origins by the steps that make them; those of symbols, and of registers at labels. */
    private final int[] ofSteps;

    /** Behind the registers. */
    private final int scratch;

    /** Registers, and behind them words of the stack: how many. */
    private final int size;

    private final long[] now;

    private final Map<Long, Integer> others = new HashMap<>();

    /** By origins what lies there, and which symbol it is. */
    private int[] exact = new int[64];

    private int[] symbols = new int[64];
    private int count;
    private final Map<Integer, TreeMap<Integer, Integer>> inner = new HashMap<>();
    private final BitSet conflicts = new BitSet();

    /** Of origins that may be one of several what symbols are among these. */
    private final Map<Integer, BitSet> among = new HashMap<>();

    /** Origins of which more should have been known when they were used. */
    private final BitSet missed = new BitSet();

    /** What is reached, and whether it is written. */
    private final Map<Found, Boolean> accesses = new IdentityHashMap<>();

    private boolean changed;
    private int escaped = Integer.MAX_VALUE;

    FunctionWalk(Program.Convention convention, Function function, Pointees pointees, Surroundings around) {
        this.convention = convention;
        this.function = function;
        this.pointees = pointees;
        this.around = around;
        this.scratch = convention.registers();
        this.size = scratch + SLOTS;
        this.now = new long[size];
        this.count = FIRST + convention.arguments().size();
        this.ofSteps = new int[function.size()];
        for (int i = 0; i < function.size(); i++) {
            Program.Op op = function.op(i);
            if ((op == Program.Op.BRANCH || op == Program.Op.JUMP) && function.operand(i) >= 0) {
                labels.set(Math.min(function.operand(i), function.size()));
            }
        }
    }

    /** What it reaches, and whether it writes there; nothing if that cannot be told in time. */
    Map<Found, Boolean> run() {
        if ((long) labels.cardinality() * size > MAX_STATES) {
            return Map.of();
        }
        changed = true;
        for (int i = 0; i < MAX_PASSES && changed; i++) {
            changed = false;
            accesses.clear();
            missed.clear();
            pass();
        }
        return changed ? Map.of() : accesses;
    }

    private void pass() {
        Arrays.fill(now, NOTHING);
        now[convention.stack()] = value(STACK, 0);
        for (int i = 0; i < convention.arguments().size(); i++) {
            int origin = FIRST + i;
            define(origin, around.argument(i));
            now[convention.arguments().get(i)] = value(origin, 0);
        }
        boolean reached = true;
        for (int i = 0; i < function.size(); i++) {
            if (labels.get(i)) {
                if (reached) {
                    join(i, i);
                }
                long[] state = states.get(i);
                reached = state != null;
                if (state != null) {
                    System.arraycopy(state, 0, now, 0, size);
                }
            }
            if (reached) {
                reached = step(i);
            }
        }
        for (int i = 0; i < convention.arguments().size(); i++) {
            int found = exact[FIRST + i];
            if (found != 0) {
                around.foundArgument(i, found);
            }
        }
    }

    /** Whether the next step follows. */
    private boolean step(int i) {
        switch (function.op(i)) {
            case MOVE -> set(function.to(i), moved(get(function.from(i)), function.operand(i)));
            case LOAD -> load(i);
            case STORE -> store(i);
            case TOUCH -> touch(i);
            case CONSTANT ->
                set(function.to(i), function.isIndexed(i) ? SOME_NUMBER : value(NUMBER, function.operand(i)));
            case ADD -> set(function.to(i), sum(i));
            case OTHER -> set(function.to(i), fresh(i));
            case SELECT -> set(function.to(i), either(get(function.to(i)), get(function.from(i)), -1L - i));
            case ADDRESS -> {
                long symbol = ofSymbol(around.symbol(function.operand(i)));
                set(function.to(i), moved(symbol, around.offset(function.operand(i))));
            }
            case CALL -> call(i);
            case CALL_POINTER -> callPointer(i);
            case BRANCH -> jump(i);
            case JUMP -> {
                jump(i);
                return false;
            }
            case RETURN -> {
                int found = typeAt(now[convention.result()]);
                if (found != 0) {
                    around.foundResult(found);
                }
                return false;
            }
        }
        return true;
    }

    private int place(int register) {
        return register == Function.SCRATCH ? scratch : register;
    }

    private long get(int register) {
        int place = place(register);
        return place <= scratch ? now[place] : NOTHING;
    }

    private void set(int register, long value) {
        int place = place(register);
        if (place <= scratch) {
            now[place] = value;
        }
    }

    private int origin() {
        if (count == exact.length) {
            exact = Arrays.copyOf(exact, count * 2);
            symbols = Arrays.copyOf(symbols, count * 2);
        }
        return count++;
    }

    /** What a step makes. */
    private long fresh(int step) {
        if (ofSteps[step] == 0) {
            ofSteps[step] = origin();
        }
        return value(ofSteps[step], 0);
    }

    private int other(long key) {
        Integer known = others.get(key);
        if (known == null) {
            known = origin();
            others.put(key, known);
        }
        return known;
    }

    private long ofSymbol(int symbol) {
        int origin = other(Long.MIN_VALUE + symbol);
        symbols[origin] = symbol + 1;
        define(origin, around.variable(symbol));
        return value(origin, 0);
    }

    private static long value(int origin, int offset) {
        return (long) origin << 32 | offset & 0xffffffffL;
    }

    private static int originOf(long value) {
        return (int) (value >>> 32) & Integer.MAX_VALUE;
    }

    private static int offsetOf(long value) {
        return (int) value;
    }

    private long moved(long value, int by) {
        int origin = originOf(value);
        int offset = offsetOf(value) + by;
        if (by == 0 || origin < NUMBER || value == SOME_NUMBER) {
            return value;
        }
        long kept = value & INDEXED;
        long beyond = symbols[origin] == 0 ? -1 : around.beyond(symbols[origin] - 1, offset);
        return beyond < 0
                ? kept | value(origin, offset)
                : kept | ofSymbol((int) (beyond >>> 32)) | beyond & 0xffffffffL;
    }

    /** An address and a number, or an index; of two sums that may be one, none. */
    private long sum(int i) {
        long one = get(function.from(i));
        long other = get(function.operand(i) & 0x3f);
        int shift = function.operand(i) >> 6;
        if (originOf(other) == NUMBER && other > 0) {
            return moved(one, offsetOf(other) << shift);
        }
        if (originOf(one) == NUMBER && one > 0) {
            return shift == 0 ? moved(other, offsetOf(one)) : SOME_NUMBER;
        }
        return originOf(one) > NUMBER && function.isIndexed(i) ? one | INDEXED : NOTHING;
    }

    /** What is known of an origin by what made it. */
    private void define(int origin, int pointee) {
        if (pointee != 0 && exact[origin] != pointee) {
            changed |= exact[origin] == 0 && missed.get(origin);
            exact[origin] = pointee;
        }
    }

    /** What is known of an address by what it is passed to. */
    private void learn(long value, int pointee) {
        int origin = originOf(value);
        int offset = offsetOf(value);
        if (origin < FIRST || value < 0 || pointee == 0 || conflicts.get(origin)) {
            return;
        }
        if (symbols[origin] != 0 && offset == 0) {
            around.foundVariable(symbols[origin] - 1, pointee);
        } else if (offset == 0 && among.containsKey(origin)) {
            among.get(origin).stream().forEach(symbol -> around.foundVariable(symbol, pointee));
        }
        if (typeAt(value) != 0) {
            return;
        }
        changed |= missed.get(origin);
        if (offset == 0) {
            exact[origin] = pointee;
        } else {
            inner.computeIfAbsent(origin, key -> new TreeMap<>()).put(offset, pointee);
        }
    }

    /** What begins at an address; 0 if that is not known. */
    private int typeAt(long value) {
        int origin = originOf(value);
        int offset = offsetOf(value);
        if (origin < FIRST || value < 0) {
            return 0;
        }
        int whole = exact[origin];
        if (whole != 0 && (offset == 0 || pointees.contains(whole, offset))) {
            int found = pointees.inner(whole, offset);
            if (found != 0) {
                return found;
            }
        }
        TreeMap<Integer, Integer> parts = inner.get(origin);
        int part = parts == null ? 0 : parts.getOrDefault(offset, 0);
        if (part == 0) {
            missed.set(origin);
        }
        return part;
    }

    private boolean isIndexed(long address, int step) {
        return address < 0 || function.isIndexed(step);
    }

    /** What an access reaches. */
    private Found reach(long value, int step) {
        int origin = originOf(value);
        int offset = offsetOf(value);
        if (origin < FIRST) {
            return Found.NOTHING;
        }
        int pointee = exact[origin];
        int from = 0;
        if (pointee == 0 || !pointees.contains(pointee, offset)) {
            TreeMap<Integer, Integer> parts = inner.get(origin);
            Map.Entry<Integer, Integer> part = parts == null ? null : parts.floorEntry(offset);
            if (part == null || !pointees.contains(part.getValue(), offset - part.getKey())) {
                missed.set(origin);
                return Found.NOTHING;
            }
            pointee = part.getValue();
            from = part.getKey();
        }
        Found found = pointees.at(pointee, offset - from, function.width(step), isIndexed(value, step));
        if (!found.members().isEmpty()) {
            accesses.merge(found, function.isWritten(step), Boolean::logicalOr);
        }
        return found;
    }

    /** The place of a word of the stack in a state; -1 for others. */
    private int slot(int offset) {
        int slot = scratch - offset / Long.BYTES;
        return offset < 0 && offset % Long.BYTES == 0 && slot > scratch && slot < size ? slot : -1;
    }

    private void load(int i) {
        long from = moved(get(function.from(i)), function.operand(i));
        int to = function.to(i);
        if (originOf(from) == STACK) {
            int slot = slot(offsetOf(from));
            boolean whole = slot >= 0 && function.width(i) == Long.BYTES && !isIndexed(from, i);
            set(to, whole && now[slot] != NOTHING ? now[slot] : fresh(i));
            return;
        }
        Found found = reach(from, i);
        int pointee = function.width(i) == Long.BYTES ? found.pointee() : 0;
        int symbol = originOf(from) < FIRST ? 0 : symbols[originOf(from)];
        if (pointee == 0 && symbol != 0 && !isIndexed(from, i)) {
            pointee = around.cell(symbol - 1, offsetOf(from));
        }
        long loaded = fresh(i);
        define(originOf(loaded), pointee);
        set(to, loaded);
    }

    private void store(int i) {
        long into = moved(get(function.from(i)), function.operand(i));
        long stored = function.to(i) == Function.NONE ? NOTHING : get(function.to(i));
        if (originOf(into) == STACK) {
            int offset = offsetOf(into);
            if (isIndexed(into, i)) {
                forgetStack(offset);
            } else {
                int slot = slot(offset & -Long.BYTES);
                if (slot >= 0) {
                    now[slot] = function.width(i) == Long.BYTES && slot(offset) >= 0 ? stored : NOTHING;
                }
            }
            return;
        }
        if (originOf(stored) == STACK) {
            escape(offsetOf(stored));
        }
        Found found = reach(into, i);
        if (found.pointee() != 0) {
            learn(stored, found.pointee());
        }
        int symbol = originOf(into) < FIRST ? 0 : symbols[originOf(into)];
        int type = typeAt(stored);
        if (symbol != 0 && type != 0 && !isIndexed(into, i)) {
            around.foundCell(symbol - 1, offsetOf(into), type);
        }
    }

    private void touch(int i) {
        long at = moved(get(function.from(i)), function.operand(i));
        if (originOf(at) == STACK) {
            int offset = offsetOf(at);
            int slot = slot(offset & -Long.BYTES);
            if (function.isWritten(i) && isIndexed(at, i)) {
                forgetStack(offset);
            } else if (function.isWritten(i) && slot >= 0) {
                now[slot] = NOTHING;
            }
            return;
        }
        reach(at, i);
    }

    private void escape(int offset) {
        changed |= offset < escaped;
        escaped = Math.min(escaped, offset);
    }

    /** What lies on the stack from there on may have been written. */
    private void forgetStack(int offset) {
        for (int slot = scratch + 1; slot < size; slot++) {
            if ((scratch - slot) * Long.BYTES >= offset) {
                now[slot] = NOTHING;
            }
        }
    }

    private void call(int i) {
        int reference = function.operand(i);
        int[] passed = around.passed(reference);
        for (int argument = 0; argument < convention.arguments().size(); argument++) {
            long value = now[convention.arguments().get(argument)];
            if (argument < passed.length) {
                learn(value, passed[argument]);
            }
            int type = typeAt(value);
            if (type != 0) {
                around.foundCall(reference, argument, type);
            }
        }
        returned(i, around.result(reference));
    }

    private void callPointer(int i) {
        int type = typeAt(get(function.from(i)));
        int[] passed = type == 0 ? new int[0] : around.passedTo(type);
        for (int argument = 0; argument < passed.length; argument++) {
            learn(now[convention.arguments().get(argument)], passed[argument]);
        }
        returned(i, type == 0 ? 0 : around.resultOf(type));
    }

    private void returned(int i, int pointee) {
        for (int register : convention.arguments()) {
            if (originOf(now[register]) == STACK) {
                escape(offsetOf(now[register]));
            }
        }
        forgetStack(escaped);
        for (int register = 0; register <= scratch; register++) {
            if (!convention.keeps(register)) {
                now[register] = NOTHING;
            }
        }
        long result = fresh(i);
        define(originOf(result), pointee);
        now[convention.result()] = result;
    }

    private void jump(int i) {
        int target = function.operand(i);
        if (target >= 0 && target < function.size()) {
            join(target, i);
        }
    }

    /** Brings what is known here to a label. */
    private void join(int label, int from) {
        long[] there = states.get(label);
        if (there == null) {
            states.put(label, now.clone());
            changed |= label < from;
            return;
        }
        for (int i = 0; i < size; i++) {
            if (there[i] == now[i]) {
                continue;
            }
            long joined = either(there[i], now[i], (long) label * size + i);
            if (joined != there[i]) {
                there[i] = joined;
                changed |= label < from;
            }
        }
    }

    /**
     * One of two values. Where both are used, they are one variable in the source, so that what is known of one holds
     * for the other; a number is no address.
     */
    private long either(long one, long other, long key) {
        if (originOf(one) == NUMBER && originOf(other) == NUMBER) {
            return one == other ? one : SOME_NUMBER;
        }
        if (one == other || originOf(other) == NUMBER) {
            return one;
        }
        if (originOf(one) == NUMBER) {
            return other;
        }
        if (one <= NOTHING || other <= NOTHING || isStack(one) || isStack(other)) {
            return NOTHING;
        }
        int joined = other(key);
        add(joined, other);
        long value = value(joined, 0);
        if (one != value) {
            add(joined, one);
        }
        return value;
    }

    private static boolean isStack(long value) {
        return originOf(value) == STACK;
    }

    private void add(int joined, long value) {
        int type = typeAt(value);
        if (offsetOf(value) == 0 && symbols[originOf(value)] != 0) {
            among.computeIfAbsent(joined, key -> new BitSet()).set(symbols[originOf(value)] - 1);
        }
        if (type == 0 || conflicts.get(joined) || exact[joined] == type) {
            return;
        }
        if (exact[joined] == 0) {
            exact[joined] = type;
            changed |= missed.get(joined);
        } else {
            exact[joined] = 0;
            conflicts.set(joined);
            changed = true;
        }
    }
}
