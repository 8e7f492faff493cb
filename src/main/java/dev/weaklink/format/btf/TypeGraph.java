package dev.weaklink.format.btf;

import dev.weaklink.sys.UnreadableException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What the definition of each named type is made of: a fingerprint of its text, and the named types it refers to.
 *
 * <p>The fingerprint covers what genksyms hashes and BTF keeps (facts of scripts/genksyms, expand_and_crc_sym): names
 * and types of members in their order, widths of bit-fields, lengths of arrays, values of enum constants; not offsets
 * and sizes. Types without a name are part of the definition they stand in.
 */
public final class TypeGraph {
    /** Deeper nesting than any kernel's; a chain that goes on is cut. */
    private static final int MAX_DEPTH = 64;

    /**
     * Types without a name count wherever they are used, so a few could be made to stand for many: what is gone through
     * for each type on the average. A kernel's have 10, those of some modules 30.
     */
    private static final int STEPS_OF_TYPE = 200;

    private static final int FEW_TYPES = 1_000;

    private static final long PRIME = 0x9E3779B97F4A7C15L;

    private final Btf btf;
    private final @Nullable TypeGraph base;

    /** Number of the first type that is not the base's; columns begin with it. */
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
     * Goes through all types of a kernel once.
     *
     * @throws UnreadableException if types without a name are nested without measure
     */
    public static TypeGraph of(Btf btf) throws UnreadableException {
        return new TypeGraph(btf, null).filled();
    }

    /**
     * Goes through a module's types once.
     *
     * @param btf split BTF that was read with the base's types
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

    /** Number of the first type that is a module's own; 0 for a kernel. */
    public int first() {
        return first;
    }

    /** The types it was made of. */
    public Btf btf() {
        return btf;
    }

    /** Whether a type has a definition of its own: a named composite, enum or typedef; a prototype. */
    public boolean isNode(int id) {
        BtfKind kind = btf.kind(id);
        return kind == BtfKind.FUNC_PROTO
                || (kind.isComposite() || kind.isEnum() || kind == BtfKind.TYPEDEF) && btf.isNamed(id);
    }

    /** Type of the function or variable of that name, of a module's own; null if there is none. */
    public @Nullable Integer declared(String name) {
        return declared.get(name);
    }

    /** Equal for types whose definitions read the same; 0 for what is no node. */
    public long fingerprint(int id) {
        return id < first && base != null ? base.fingerprint(id) : fingerprints[id - first];
    }

    /** Equal for types of one name and kind: struct, union, enum or typedef. */
    public long nameKey(int id) {
        BtfKind kind = btf.kind(id);
        BtfKind tag = kind == BtfKind.ENUM64 ? BtfKind.ENUM : kind;
        return mix(tag.ordinal(), btf.nameHash(id));
    }

    /** Equal for types of one name and kind whose definitions read the same. */
    public long definitionKey(int id) {
        return mix(nameKey(id), fingerprint(id));
    }

    /**
     * Returns a key that is equal for types of one name, kind and definition whose sizes and places of members are
     * equal, too. Alignment, and which dimensions an array has, are not part of BTF.
     */
    public long layoutKey(int id) {
        return mix(definitionKey(id), layout(id, 0));
    }

    /** Returns 0 for a named type in a member: its layout is its own. */
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

    /** The first of a node's edges; they end where those of the next number begin. */
    public int firstEdge(int id) {
        return id < first && base != null ? base.firstEdge(id) : baseEdges + firstEdge[id - first];
    }

    /** Where an edge leads. */
    public int target(int edge) {
        return edge < baseEdges && base != null ? base.target(edge) : targets[edge - baseEdges];
    }

    /** Whether what an edge leads to must be complete where it starts, as a member is. */
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

    /** One edge to each type; it is by value if any use is. */
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
