package dev.weaklink.explain;

import dev.weaklink.explain.KernelSide.Definition;
import dev.weaklink.explain.Pointees.Found;
import dev.weaklink.explain.Pointees.Touched;
import dev.weaklink.format.btf.Btf;
import dev.weaklink.format.btf.BtfKind;
import dev.weaklink.format.btf.TypeGraph;
import dev.weaklink.module.DataObject;
import dev.weaklink.module.Program;
import dev.weaklink.module.Program.Function;
import dev.weaklink.module.Program.Op;
import dev.weaklink.module.Program.Reference;
import dev.weaklink.module.Program.Target;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Finds out which members of types a module's code reaches: functions are gone through again as long as one tells what
 * another one is passed, returns or finds in a variable.
 */
final class CodeUses {
    private static final int ROUNDS = 5;

    /** Said of something of which two types are told. */
    private static final int SEVERAL = -1;

    /**
     * What is reached of a type.
     *
     * @param members names of members, with the functions that reach them
     * @param written those that are written
     */
    record Reached(Definition type, Map<String, Set<String>> members, Set<String> written) {}

    private final KernelSide kernel;
    private final Program program;
    private final Pointees pointees;

    /** What references are, by numbers of their own; and what the others know of it. */
    private final int[] symbols;

    private final List<Reference> bySymbol = new ArrayList<>();
    private final int[][] passed;
    private final int[] results;
    private final int[] variables;
    private final Map<Long, Integer> cells = new HashMap<>();

    /** Of each function: what is declared, and what its own code and its callers tell. */
    private final int[][] declared;

    private final int[][] byBody;
    private final int[][] byCallers;
    private final boolean[] isDeclared;
    private final int[] functionSymbols;
    private final Map<Integer, Integer> variableSymbols = new HashMap<>();

    /** Functions that reach a symbol by the address of another one. */
    private final Map<Integer, BitSet> beyond = new HashMap<>();

    /** Variables by their places. */
    private final TreeMap<Long, Integer> places = new TreeMap<>();

    private final Map<Integer, Set<String>> told = new HashMap<>();
    private final List<Map<Found, Boolean>> accesses = new ArrayList<>();
    private final BitSet dirty = new BitSet();
    private final BitSet changedSymbols = new BitSet();

    CodeUses(KernelSide kernel, @Nullable TypeGraph own, Program program) {
        this.kernel = kernel;
        this.program = program;
        this.pointees = new Pointees(kernel, own);
        this.symbols = new int[program.references().size()];
        int functions = program.functions().size();
        int arguments = program.convention().arguments().size();
        declared = new int[functions][arguments];
        byBody = new int[functions][arguments];
        byCallers = new int[functions][arguments];
        isDeclared = new boolean[functions];
        functionSymbols = new int[functions];
        number();
        passed = new int[bySymbol.size()][];
        results = new int[bySymbol.size()];
        variables = new int[bySymbol.size()];
        for (int i = 0; i < bySymbol.size(); i++) {
            addImport(i, bySymbol.get(i));
        }
        for (int i = 0; i < functions; i++) {
            accesses.add(Map.of());
        }
        if (own != null) {
            addOwn(own);
        }
        for (int i = 0; i < bySymbol.size(); i++) {
            boolean known = results[i] != 0 || variables[i] != 0;
            for (int pointee : passed[i]) {
                known |= pointee != 0;
            }
            if (known) {
                changedSymbols.set(i);
            }
        }
    }

    private void number() {
        Map<Reference, Integer> numbers = new HashMap<>();
        for (int i = 0; i < symbols.length; i++) {
            Reference one = program.references().get(i);
            Reference whole = new Reference(one.target(), one.name(), one.number(), 0);
            Integer known = numbers.get(whole);
            if (known == null) {
                known = bySymbol.size();
                numbers.put(whole, known);
                bySymbol.add(whole);
                if (one.target() == Target.FUNCTION) {
                    functionSymbols[one.number()] = known + 1;
                } else if (one.target() == Target.VARIABLE) {
                    variableSymbols.put(one.number(), known);
                }
            }
            symbols[i] = known;
        }
        for (int i = 0; i < program.variables().size(); i++) {
            places.putIfAbsent(program.variables().get(i).place(), i);
            if (variableSymbols.putIfAbsent(i, bySymbol.size()) == null) {
                bySymbol.add(new Reference(Target.VARIABLE, "", i, 0));
            }
        }
    }

    /** What the kernel declares an import to be. */
    private void addImport(int symbol, Reference reference) {
        passed[symbol] = new int[0];
        if (reference.target() != Target.IMPORT) {
            return;
        }
        Definition function = kernel.prototype(reference.name());
        if (function != null) {
            passed[symbol] = arguments(function.graph(), function.type());
            results[symbol] =
                    pointees.pointedTo(function.graph(), function.btf().type(function.type()));
            return;
        }
        Integer variable = kernel.types().declared(reference.name());
        variables[symbol] = variable == null ? 0 : pointees.of(kernel.types(), variable);
    }

    private int[] arguments(TypeGraph graph, int prototype) {
        Btf btf = graph.btf();
        int most = program.convention().arguments().size();
        int[] all = new int[Math.min(most, btf.members(prototype))];
        for (int i = 0; i < all.length; i++) {
            // A struct passed by value may take several registers, or none.
            int bare = TypeComparison.bare(btf, btf.memberType(prototype, i)).type();
            if (btf.kind(bare).isComposite()) {
                return new int[0];
            }
            all[i] = pointees.pointedTo(graph, bare);
        }
        return all;
    }

    private static void add(Touched touched, String function, boolean written, Map<String, Reached> all) {
        Definition type = touched.type();
        Reached reached = all.computeIfAbsent(
                TypeText.tag(type.btf().kind(type.type())) + " " + type.btf().name(type.type()),
                title -> new Reached(type, new TreeMap<>(), new TreeSet<>()));
        reached.members
                .computeIfAbsent(touched.member(), key -> new TreeSet<>())
                .add(function);
        if (written) {
            reached.written.add(touched.member());
        }
    }

    /** Prototypes of its own; of functions of one name none is known. */
    private void addOwn(TypeGraph own) {
        Set<String> names = new HashSet<>();
        Set<String> several = new HashSet<>();
        for (Function function : program.functions()) {
            if (!names.add(function.name())) {
                several.add(function.name());
            }
        }
        for (int i = 0; i < program.functions().size(); i++) {
            String name = program.functions().get(i).name();
            Integer type = several.contains(name) ? null : own.declared(name);
            if (type != null && own.btf().kind(type) == BtfKind.FUNC_PROTO) {
                declare(i, own, type);
            }
        }
    }

    /** Says what prototype a function has. */
    void declare(int function, TypeGraph graph, int prototype) {
        if (function < 0 || function >= declared.length || isDeclared[function]) {
            return;
        }
        isDeclared[function] = true;
        int[] arguments = arguments(graph, prototype);
        System.arraycopy(arguments, 0, declared[function], 0, arguments.length);
        dirty.set(function);
        int symbol = functionSymbols[function] - 1;
        if (symbol >= 0) {
            int result = pointees.pointedTo(graph, graph.btf().type(prototype));
            results[symbol] = result != 0 ? result : results[symbol];
            changedSymbols.set(symbol);
        }
    }

    /** Says of what type a variable is. */
    void declareVariable(int number, TypeGraph graph, int type) {
        int pointee = pointees.of(graph, type);
        int symbol = variableSymbols.getOrDefault(number, -1);
        if (symbol >= 0 && pointee != 0 && variables[symbol] != pointee) {
            variables[symbol] = pointee;
            changedSymbols.set(symbol);
        }
    }

    /** Goes through all functions of which something new is known. */
    void run() {
        for (int round = 0; round < ROUNDS; round++) {
            addUsers();
            if (dirty.isEmpty()) {
                return;
            }
            BitSet these = (BitSet) dirty.clone();
            dirty.clear();
            for (int i = these.nextSetBit(0); i >= 0; i = these.nextSetBit(i + 1)) {
                Function function = program.functions().get(i);
                accesses.set(i, new FunctionWalk(program.convention(), function, pointees, new Around(i)).run());
            }
        }
    }

    /** Those that refer to what is known better now are to be gone through again. */
    private void addUsers() {
        if (changedSymbols.isEmpty()) {
            return;
        }
        beyond.forEach((symbol, functions) -> {
            if (changedSymbols.get(symbol)) {
                dirty.or(functions);
            }
        });
        for (int i = 0; i < program.functions().size(); i++) {
            Function function = program.functions().get(i);
            for (int step = 0; step < function.size() && !dirty.get(i); step++) {
                boolean refers = function.op(step) == Op.CALL || function.op(step) == Op.ADDRESS;
                if (refers && changedSymbols.get(symbols[function.operand(step)])) {
                    dirty.set(i);
                }
            }
        }
        changedSymbols.clear();
    }

    /** By their numbers the names of structs that variables are used as. */
    Map<Integer, Set<String>> told() {
        Map<Integer, Set<String>> copy = new HashMap<>();
        told.forEach((number, names) -> copy.put(number, Set.copyOf(names)));
        return copy;
    }

    /** By the types as in C. */
    Map<String, Reached> reached() {
        Map<String, Reached> all = new LinkedHashMap<>();
        for (int i = 0; i < accesses.size(); i++) {
            String name = program.functions().get(i).name();
            int dot = name.indexOf('.');
            String plain = dot > 0 ? name.substring(0, dot) : name;
            accesses.get(i)
                    .forEach((found, written) -> found.members().forEach(touched -> add(touched, plain, written, all)));
        }
        return all;
    }

    /** What one function is told, and tells others. */
    private final class Around implements FunctionWalk.Surroundings {
        private final int function;

        Around(int function) {
            this.function = function;
        }

        @Override
        public int argument(int index) {
            if (isDeclared[function]) {
                return declared[function][index];
            }
            int own = byBody[function][index];
            return own != 0 ? own : Math.max(0, byCallers[function][index]);
        }

        @Override
        public int[] passed(int reference) {
            Reference called = program.references().get(reference);
            if (called.target() != Target.FUNCTION) {
                return passed[symbols[reference]];
            }
            int number = called.number();
            return isDeclared[number] ? declared[number] : byBody[number];
        }

        @Override
        public int result(int reference) {
            return Math.max(0, results[symbols[reference]]);
        }

        @Override
        public int[] passedTo(int prototype) {
            Definition type = pointees.type(prototype);
            boolean function = type.btf().kind(type.type()) == BtfKind.FUNC_PROTO;
            return function ? arguments(type.graph(), type.type()) : new int[0];
        }

        @Override
        public int resultOf(int prototype) {
            Definition type = pointees.type(prototype);
            boolean function = type.btf().kind(type.type()) == BtfKind.FUNC_PROTO;
            return function ? pointees.pointedTo(type.graph(), type.btf().type(type.type())) : 0;
        }

        @Override
        public int symbol(int reference) {
            return symbols[reference];
        }

        @Override
        public int offset(int reference) {
            return (int) program.references().get(reference).offset();
        }

        @Override
        public long beyond(int symbol, int offset) {
            Reference from = bySymbol.get(symbol);
            if (from.target() != Target.VARIABLE
                    || from.number() >= program.variables().size()) {
                return -1;
            }
            DataObject variable = program.variables().get(from.number());
            long at = variable.place() + offset;
            Map.Entry<Long, Integer> found = places.floorEntry(at);
            if (offset >= 0 && offset < variable.size() || found == null) {
                return -1;
            }
            long inside = at - found.getKey();
            if (inside >= program.variables().get(found.getValue()).size() || inside != (int) inside) {
                return -1;
            }
            int other = variableSymbols.getOrDefault(found.getValue(), symbol);
            beyond.computeIfAbsent(other, key -> new BitSet()).set(function);
            return (long) other << 32 | inside;
        }

        @Override
        public int variable(int symbol) {
            return variables[symbol];
        }

        @Override
        public int cell(int symbol, int offset) {
            return Math.max(0, cells.getOrDefault(cellKey(symbol, offset), 0));
        }

        private static long cellKey(int symbol, int offset) {
            return (long) symbol << 32 | offset & 0xffffffffL;
        }

        @Override
        public void foundArgument(int index, int pointee) {
            boolean byOthers = byCallers[function][index] == pointee;
            if (!isDeclared[function] && !byOthers && byBody[function][index] == 0) {
                byBody[function][index] = pointee;
                changed(functionSymbols[function] - 1);
            }
        }

        @Override
        public void foundResult(int pointee) {
            int symbol = functionSymbols[function] - 1;
            if (symbol >= 0 && !isDeclared[function]) {
                int was = results[symbol];
                results[symbol] = was == 0 || was == pointee ? pointee : SEVERAL;
                if (results[symbol] != was) {
                    changed(symbol);
                }
            }
        }

        @Override
        public void foundCall(int reference, int argument, int pointee) {
            Reference called = program.references().get(reference);
            if (called.target() != Target.FUNCTION || called.offset() != 0) {
                return;
            }
            int number = called.number();
            int was = byCallers[number][argument];
            int is = was == 0 || was == pointee ? pointee : SEVERAL;
            if (is != was) {
                byCallers[number][argument] = is;
                if (!isDeclared[number] && byBody[number][argument] == 0) {
                    dirty.set(number);
                }
            }
        }

        @Override
        public void foundVariable(int symbol, int pointee) {
            Reference variable = bySymbol.get(symbol);
            Definition type = pointees.type(pointee);
            if (variable.target() == Target.VARIABLE
                    && type.btf().kind(type.type()) == BtfKind.STRUCT
                    && type.btf().isNamed(type.type())) {
                told.computeIfAbsent(variable.number(), key -> new TreeSet<>())
                        .add(type.btf().name(type.type()));
            }
        }

        @Override
        public void foundCell(int symbol, int offset, int pointee) {
            if (bySymbol.get(symbol).target() != Target.VARIABLE) {
                return;
            }
            int was = cells.getOrDefault(cellKey(symbol, offset), 0);
            int is = was == 0 || was == pointee ? pointee : SEVERAL;
            if (is != was) {
                cells.put(cellKey(symbol, offset), is);
                changed(symbol);
            }
        }

        private void changed(int symbol) {
            if (symbol >= 0) {
                changedSymbols.set(symbol);
            }
        }
    }
}
