package dev.weaklink.format.btf;

import dev.weaklink.sys.UnreadableException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A graph of named types and prototypes: a fingerprint of each definition, and edges to the named types that the
 * definition refers to.
 *
 * <p>The fingerprint covers what genksyms hashes and BTF keeps (scripts/genksyms: expand_and_crc_sym): names and types
 * of members in their order, bit-field widths, array lengths, and enum values. The fingerprint does not cover offsets
 * and sizes. A type without a name is part of the definition that contains it.
 */
public final class TypeGraph {
    /** The maximum depth of nesting, more than any kernel has; deeper types are ignored. */
    private static final int MAX_DEPTH = 64;

    /**
     * The maximum number of steps for each type, on average. A type without a name is visited at each use, so a few
     * crafted types could cost very many steps. A kernel's types need 10 steps each, the types of some modules 30.
     */
    private static final int STEPS_OF_TYPE = 200;

    private static final int FEW_TYPES = 1_000;

    private static final long PRIME = 0x9E3779B97F4A7C15L;

    private final Btf btf;
    private final @Nullable TypeGraph base;

    /**
     * The number of the first type that is not in the base graph. The arrays {@code fingerprints} and {@code firstEdge}
     * begin with this type.
     */
    private final int first;

    private final int baseEdges;
    private final Map<String, Integer> declared;
    private final long[] fingerprints;
    private final int[] firstEdge;
    private int[] targets = new int[1 << 14];
    private boolean[] byValue = new boolean[1 << 14];
    private int edges;
    private int[] lastEdge;
    private int edgesOfNode;
    private final long mostSteps;
    private long steps;

    private TypeGraph(Btf btf, @Nullable TypeGraph base) {
        this.btf = btf;
        this.base = base;
        this.first = base == null ? 0 : base.btf.size();
        this.baseEdges = base == null ? 0 : base.firstEdge(first);
        this.declared = new HashMap<>(btf.size() - first);
        this.fingerprints = new long[btf.size() - first];
        this.firstEdge = new int[btf.size() - first + 1];
        this.lastEdge = new int[btf.size()];
        this.mostSteps = (long) STEPS_OF_TYPE * (FEW_TYPES + btf.size() - first);
    }

    /**
     * Builds the graph of a kernel's types.
     *
     * @throws UnreadableException if the types need too many steps, such as deeply nested types without a name
     */
    public static TypeGraph of(Btf btf) throws UnreadableException {
        return new TypeGraph(btf, null).filled();
    }

    /**
     * Builds the graph of a module's types.
     *
     * @param btf the split BTF that was read with the base's types
     * @throws UnreadableException as {@link #of}
     */
    public static TypeGraph split(Btf btf, TypeGraph base) throws UnreadableException {
        return new TypeGraph(btf, base).filled();
    }

    private TypeGraph filled() throws UnreadableException {
        for (int id = first; id < btf.size(); id++) {
            firstEdge[id - first] = edges;
            edgesOfNode = edges;
            BtfKind kind = btf.kind(id);
            if (kind == BtfKind.FUNC || kind == BtfKind.VAR) {
                declared.putIfAbsent(btf.name(id), btf.type(id));
            } else if (isNode(id)) {
                fingerprints[id - first] = definition(id, 0);
                if (steps > mostSteps) {
                    throw new UnreadableException("the types are nested too deeply");
                }
            }
        }
        firstEdge[btf.size() - first] = edges;
        lastEdge = new int[0];
        return this;
    }

    public int first() {
        return first;
    }

    public Btf btf() {
        return btf;
    }

    /** Returns whether a type has its own definition: a named composite, enum or typedef, or a prototype. */
    public boolean isNode(int id) {
        BtfKind kind = btf.kind(id);
        return kind == BtfKind.FUNC_PROTO
                || (kind.isComposite() || kind.isEnum() || kind == BtfKind.TYPEDEF) && btf.isNamed(id);
    }

    /**
     * Returns the number of the type with which a function or variable of this name is declared. Returns null if this
     * graph declares no such name. Ignores the base graph.
     */
    public @Nullable Integer declared(String name) {
        return declared.get(name);
    }

    /** Returns a hash that is equal for types of equal definitions; 0 if {@link #isNode} is false for the type. */
    public long fingerprint(int id) {
        return id < first && base != null ? base.fingerprint(id) : fingerprints[id - first];
    }

    /** Returns a key that is equal for types of one name and kind: struct, union, enum (of either width) or typedef. */
    public long nameKey(int id) {
        BtfKind kind = btf.kind(id);
        BtfKind tag = kind == BtfKind.ENUM64 ? BtfKind.ENUM : kind;
        return mix(tag.ordinal(), btf.nameHash(id));
    }

    /** Returns a key that is equal for types of one name, kind and definition. */
    public long definitionKey(int id) {
        return mix(nameKey(id), fingerprint(id));
    }

    /**
     * Returns a key that is equal for types of one name, kind and definition whose sizes and member offsets are equal,
     * too. Types with equal keys may still differ in what BTF does not contain: their alignment, and the division of an
     * array into dimensions.
     */
    public long layoutKey(int id) {
        return mix(definitionKey(id), layout(id, 0));
    }

    /**
     * Returns a hash of the type's size and the offsets of its members. The hash does not cover the layout of named
     * member types, which have their own layout keys.
     */
    private long layout(int id, int depth) {
        BtfKind kind = btf.kind(id);
        if (depth > MAX_DEPTH || depth > 0 && btf.isNamed(id)) {
            return 0;
        }
        return switch (kind) {
            case STRUCT, UNION -> {
                long hash = btf.byteSize(id);
                for (int i = 0; i < btf.members(id); i++) {
                    hash = mix(mix(hash, btf.bitOffset(id, i)), layout(btf.memberType(id, i), depth + 1));
                }
                yield hash;
            }
            case ENUM, ENUM64 -> btf.byteSize(id);
            case TYPEDEF, CONST, VOLATILE, RESTRICT, TYPE_TAG -> layout(btf.type(id), depth + 1);
            case ARRAY -> layout(btf.element(id), depth + 1);
            default -> 0;
        };
    }

    /** Returns the index of a type's first edge. The type's edges end before the first edge of the next type number. */
    public int firstEdge(int id) {
        return id < first && base != null ? base.firstEdge(id) : baseEdges + firstEdge[id - first];
    }

    public int target(int edge) {
        return edge < baseEdges && base != null ? base.target(edge) : targets[edge - baseEdges];
    }

    /**
     * Returns whether an edge requires the complete type. The result is false if the definition refers to a struct or
     * union only behind pointers or in prototypes.
     */
    public boolean isByValue(int edge) {
        return edge < baseEdges && base != null ? base.isByValue(edge) : byValue[edge - baseEdges];
    }

    private long definition(int id, int depth) {
        BtfKind kind = btf.kind(id);
        return switch (kind) {
            case STRUCT, UNION -> composite(id, kind, depth);
            case ENUM, ENUM64 -> constants(id);
            case TYPEDEF -> mix(kind.ordinal(), reference(btf.type(id), true, depth + 1));
            default -> prototype(id, depth);
        };
    }

    private long composite(int id, BtfKind kind, int depth) {
        long hash = kind.ordinal();
        for (int i = 0; i < btf.members(id) && ++steps <= mostSteps; i++) {
            hash = mix(hash, btf.memberNameHash(id, i));
            hash = mix(hash, btf.bitWidth(id, i));
            hash = mix(hash, reference(btf.memberType(id, i), true, depth + 1));
        }
        return hash;
    }

    private long constants(int id) {
        long hash = BtfKind.ENUM.ordinal();
        for (int i = 0; i < btf.members(id) && ++steps <= mostSteps; i++) {
            hash = mix(mix(hash, btf.memberNameHash(id, i)), btf.value(id, i));
        }
        return hash;
    }

    private long prototype(int id, int depth) {
        long hash = mix(BtfKind.FUNC_PROTO.ordinal(), reference(btf.type(id), false, depth + 1));
        for (int i = 0; i < btf.members(id); i++) {
            hash = mix(hash, reference(btf.memberType(id, i), false, depth + 1));
        }
        return hash;
    }

    private long reference(int id, boolean whole, int depth) {
        if (depth > MAX_DEPTH || ++steps > mostSteps) {
            return depth;
        }
        BtfKind kind = btf.kind(id);
        return switch (kind) {
            case VOID -> 0;
            case INT, FLOAT -> btf.nameHash(id);
            case PTR -> mix(kind.ordinal(), reference(btf.type(id), false, depth + 1));
            case CONST, VOLATILE, RESTRICT -> mix(kind.ordinal(), reference(btf.type(id), whole, depth + 1));
            case TYPE_TAG -> reference(btf.type(id), whole, depth + 1);
            case ARRAY -> mix(mix(kind.ordinal(), btf.length(id)), reference(btf.element(id), whole, depth + 1));
            case FWD -> mix((btf.isForwardUnion(id) ? BtfKind.UNION : BtfKind.STRUCT).ordinal(), btf.nameHash(id));
            case FUNC_PROTO -> prototype(id, depth);
            case STRUCT, UNION, ENUM, ENUM64, TYPEDEF -> named(id, kind, whole, depth);
            default -> kind.ordinal();
        };
    }

    private long named(int id, BtfKind kind, boolean whole, int depth) {
        if (!btf.isNamed(id)) {
            return definition(id, depth);
        }
        addEdge(id, whole || !kind.isComposite());
        return nameKey(id);
    }

    /**
     * Adds an edge from the current node to a type, unless this edge exists already. The edge is by value if any use of
     * the type is by value.
     */
    private void addEdge(int id, boolean whole) {
        int known = lastEdge[id] - 1;
        if (known >= edgesOfNode) {
            byValue[known] |= whole;
            return;
        }
        if (edges == targets.length) {
            targets = Arrays.copyOf(targets, edges * 2);
            byValue = Arrays.copyOf(byValue, edges * 2);
        }
        targets[edges] = id;
        byValue[edges++] = whole;
        lastEdge[id] = edges;
    }

    static long mix(long hash, long value) {
        long mixed = (hash ^ value) * PRIME + 0x632BE59BD9B4E019L;
        return mixed ^ mixed >>> 29;
    }
}
