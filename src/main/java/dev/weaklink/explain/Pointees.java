package dev.weaklink.explain;

import dev.weaklink.explain.KernelSide.Definition;
import dev.weaklink.format.btf.Btf;
import dev.weaklink.format.btf.BtfKind;
import dev.weaklink.format.btf.TypeGraph;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What code may point to, each type with a number from 1 on, and what lies at a place of one. A type is a struct or
 * union, a pointer, or a prototype.
 */
final class Pointees {
    private static final int MAX_DEPTH = 16;

    /** Members that are looked at in all; amdgpu takes 2,600,000. */
    private static final int MAX_STEPS = 10_000_000;

    /** A member of a named type, by the name that changes have. */
    record Touched(Definition type, String member) {}

    /**
     * What lies at a place.
     *
     * @param members all that an access reaches, of all types with a name around it; none where several may be meant,
     *     as in unions
     * @param pointee what the pointer there points to; 0 if there is none
     */
    record Found(List<Touched> members, int pointee) {
        static final Found NOTHING = new Found(List.of(), 0);
    }

    private final KernelSide kernel;
    private final @Nullable TypeGraph own;
    private final Map<Definition, Integer> numbers = new HashMap<>();
    private final List<Definition> types = new ArrayList<>();

    /** By types and places in them, and by widths. */
    private final Map<Long, Map<Integer, Found>> known = new HashMap<>();

    /** By types and places in them. */
    private final Map<Long, Integer> inner = new HashMap<>();

    private @Nullable Map<String, Definition> byName;
    private int steps;

    Pointees(KernelSide kernel, @Nullable TypeGraph own) {
        this.kernel = kernel;
        this.own = own;
    }

    /** What a pointer of that type points to; 0 if the type is none, or that is nothing to follow. */
    int pointedTo(TypeGraph graph, int type) {
        Btf btf = graph.btf();
        int bare = TypeComparison.bare(btf, type).type();
        return btf.kind(bare) == BtfKind.PTR ? of(graph, btf.type(bare)) : 0;
    }

    /** The number of a type without typedefs and qualifiers; 0 for one that is not followed. */
    int of(TypeGraph graph, int type) {
        Btf btf = graph.btf();
        int bare = TypeComparison.bare(btf, type).type();
        BtfKind kind = btf.kind(bare);
        if (kind == BtfKind.FWD) {
            return named(btf.name(bare));
        }
        boolean followed = kind.isComposite() || kind == BtfKind.PTR || kind == BtfKind.FUNC_PROTO;
        TypeGraph home = bare < graph.first() ? kernel.types() : graph;
        return followed ? number(new Definition(home, bare)) : 0;
    }

    private int number(Definition type) {
        Integer number = numbers.get(type);
        if (number == null) {
            types.add(type);
            number = types.size();
            numbers.put(type, number);
        }
        return number;
    }

    /** The struct or union of that name; 0 if there is none, or several that differ. */
    int named(String name) {
        Map<String, Definition> all = byName;
        if (all == null) {
            all = new HashMap<>();
            if (own != null) {
                add(own, all);
            }
            add(kernel.types(), all);
            for (TypeGraph module : kernel.modules()) {
                add(module, all);
            }
            byName = all;
        }
        Definition found = all.get(name);
        return found == null || found.type() == 0 ? 0 : number(found);
    }

    /** Of several graphs the first one counts; one graph that has several says nothing. */
    private void add(TypeGraph graph, Map<String, Definition> all) {
        Btf btf = graph.btf();
        for (int id = Math.max(1, graph.first()); id < btf.size(); id++) {
            if (btf.kind(id).isComposite() && btf.isNamed(id)) {
                Definition one = new Definition(graph, id);
                Definition other = all.putIfAbsent(btf.name(id), one);
                if (other != null
                        && other.graph() == graph
                        && other.type() != 0
                        && graph.fingerprint(other.type()) != graph.fingerprint(id)) {
                    all.put(btf.name(id), new Definition(graph, 0));
                }
            }
        }
    }

    Definition type(int pointee) {
        return types.get(pointee - 1);
    }

    /** Whether a place lies in it; a pointer may be one of several. */
    boolean contains(int pointee, int offset) {
        Definition type = type(pointee);
        return type.btf().kind(type.type()) == BtfKind.PTR || offset >= 0 && offset < size(type.btf(), type.type(), 0);
    }

    /**
     * What code reaches.
     *
     * @param width in bytes
     * @param indexed whether an array's element may be meant, and not the place itself
     */
    Found at(int pointee, int offset, int width, boolean indexed) {
        Definition type = type(pointee);
        Btf btf = type.btf();
        if (btf.kind(type.type()) == BtfKind.PTR) {
            return width == Long.BYTES ? new Found(List.of(), of(type.graph(), btf.type(type.type()))) : Found.NOTHING;
        }
        if (!btf.kind(type.type()).isComposite() || !contains(pointee, offset)) {
            return Found.NOTHING;
        }
        Map<Integer, Found> byWidth = known.computeIfAbsent(key(pointee, offset), place -> new HashMap<>(2));
        int access = indexed ? -width : width;
        Found found = byWidth.get(access);
        if (found == null) {
            Search search = new Search(type.graph(), offset * 8L, (offset + width) * 8L, indexed);
            search.look(type.type(), 0, type, "", 0);
            found = new Found(List.copyOf(search.touched), search.pointee);
            byWidth.put(access, found);
        }
        return found;
    }

    private static long key(int pointee, int offset) {
        return (long) pointee << 32 | offset & 0xffffffffL;
    }

    /** The type with a name, or the pointer, that begins there; 0 if none does. */
    int inner(int pointee, int offset) {
        if (offset == 0) {
            return pointee;
        }
        long key = key(pointee, offset);
        Integer known = inner.get(key);
        if (known == null) {
            known = searchInner(type(pointee), offset);
            inner.put(key, known);
        }
        return known;
    }

    private int searchInner(Definition type, int offset) {
        Btf btf = type.btf();
        int at = type.type();
        long bits = offset * 8L;
        for (int depth = 0; depth < MAX_DEPTH && btf.kind(at) == BtfKind.STRUCT; depth++) {
            int member = member(btf, at, bits);
            if (member < 0) {
                return 0;
            }
            bits -= btf.bitOffset(at, member);
            at = TypeComparison.bare(btf, btf.memberType(at, member)).type();
            while (btf.kind(at) == BtfKind.ARRAY && steps++ < MAX_STEPS) {
                at = TypeComparison.bare(btf, btf.element(at)).type();
                long size = size(btf, at, 0) * 8;
                bits = size > 0 ? bits % size : bits;
            }
            if (bits == 0 && (btf.isNamed(at) || btf.kind(at) == BtfKind.PTR)) {
                return of(type.graph(), at);
            }
        }
        return 0;
    }

    /** The member of a struct that has this bit; -1 if none has. */
    private int member(Btf btf, int type, long bit) {
        for (int i = 0; i < btf.members(type) && steps++ < MAX_STEPS; i++) {
            long from = btf.bitOffset(type, i);
            long size = size(btf, btf.memberType(type, i), 0) * 8;
            if (btf.bitWidth(type, i) == 0 && bit >= from && bit < from + size) {
                return i;
            }
        }
        return -1;
    }

    /** In bytes; 0 for what has none. */
    private long size(Btf btf, int type, int depth) {
        int bare = TypeComparison.bare(btf, type).type();
        return switch (btf.kind(bare)) {
            case PTR -> Long.BYTES;
            case INT, STRUCT, UNION, ENUM, ENUM64, FLOAT -> Integer.toUnsignedLong(btf.byteSize(bare));
            case ARRAY ->
                depth > MAX_DEPTH || steps++ > MAX_STEPS
                        ? 0
                        : Math.min(
                                Integer.MAX_VALUE,
                                Integer.toUnsignedLong(btf.length(bare)) * size(btf, btf.element(bare), depth + 1));
            default -> 0;
        };
    }

    /** Goes down to the members that bits are of. */
    private final class Search {
        final TypeGraph graph;
        final Btf btf;
        final long from;
        final long to;
        final boolean indexed;
        final List<Touched> touched = new ArrayList<>();
        int pointee;

        Search(TypeGraph graph, long from, long to, boolean indexed) {
            this.graph = graph;
            this.btf = graph.btf();
            this.from = from;
            this.to = to;
            this.indexed = indexed;
        }

        /**
         * Of one composite.
         *
         * @param start where it begins, in bits
         * @param named the type with a name that it is part of
         * @param prefix how its members' names begin there
         */
        void look(int type, long start, Definition named, String prefix, int depth) {
            List<Integer> reached = new ArrayList<>(2);
            int fields = 0;
            for (int i = 0; i < btf.members(type) && steps++ < MAX_STEPS; i++) {
                long first = start + btf.bitOffset(type, i);
                int width = btf.bitWidth(type, i);
                long last = first + (width > 0 ? width : size(btf, btf.memberType(type, i), 0) * 8);
                if (first < to && last > from) {
                    reached.add(i);
                    fields += width > 0 ? 1 : 0;
                }
            }
            boolean unclear = btf.kind(type) == BtfKind.UNION && reached.size() > 1;
            for (int member : unclear ? List.<Integer>of() : reached) {
                // Of several bit-fields in one byte it cannot be said which one is meant.
                if (btf.bitWidth(type, member) == 0 || fields == 1) {
                    reach(type, member, start, named, prefix, depth);
                }
            }
        }

        private void reach(int type, int member, long start, Definition named, String prefix, int depth) {
            long at = start + btf.bitOffset(type, member);
            String name = btf.memberName(type, member);
            int declared = btf.memberType(type, member);
            int bare = TypeComparison.bare(btf, declared).type();
            boolean array = btf.kind(bare) == BtfKind.ARRAY;
            boolean flat = btf.kind(declared).isComposite() && !btf.isNamed(declared);
            if (!flat && !name.isEmpty() && (array || !indexed || btf.kind(bare).isComposite())) {
                touched.add(new Touched(named, prefix + name));
            }
            while (btf.kind(bare) == BtfKind.ARRAY && steps++ < MAX_STEPS) {
                bare = TypeComparison.bare(btf, btf.element(bare)).type();
                long size = size(btf, bare, 0) * 8;
                at += size > 0 && from > at ? (from - at) / size * size : 0;
            }
            if (btf.kind(bare) == BtfKind.PTR) {
                boolean whole = at == from && to - from == Long.SIZE;
                pointee = whole && (array || !indexed) ? of(graph, btf.type(bare)) : 0;
            } else if (btf.kind(bare).isComposite() && depth < MAX_DEPTH && !(array && indexed)) {
                boolean own = btf.isNamed(bare);
                Definition around = own ? new Definition(graph, bare) : named;
                String inside = own ? "" : name.isEmpty() ? prefix : prefix + name + ".";
                look(bare, at, around, inside, depth + 1);
            }
        }
    }
}
