package dev.weaklink.format.btf;

import dev.weaklink.sys.UnreadableException;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;

/**
 * The types of a module that was built out of tree. The module's types continue the types of a section
 * {@code .BTF.base}, not the types of vmlinux. The section {@code .BTF.base} contains the vmlinux types that the module
 * refers to, reduced to what is needed to find them in another kernel.
 *
 * <p>The rules are those of libbpf's btf__distill_base and btf_relocate (Linux 6.11 and later). In {@code .BTF.base},
 * integers and floats are complete, and enums have a size but no constants. Some structs and unions have a size but no
 * members, and the others are forward declarations. All other types are in the module's own section.
 */
public final class DistilledBtf {
    private final Btf split;
    private final Btf distilled;
    private final Btf kernel;
    private final int[] places;
    private final ByteBuffer out;

    private DistilledBtf(Btf split, Btf distilled, Btf kernel) throws UnreadableException {
        this.split = split;
        this.distilled = distilled;
        this.kernel = kernel;
        this.places = places();
        long length = split.typesLength() + split.ownStrings() + distilled.ownStrings();
        if (length > Integer.MAX_VALUE - Btf.HEADER_SIZE) {
            throw new UnreadableException("too long");
        }
        this.out = ByteBuffer.allocate(Btf.HEADER_SIZE + (int) length).order(split.order());
    }

    /**
     * Reads the types of a module as if the module had been built for this kernel.
     *
     * @param section the module's section {@code .BTF}
     * @param base the module's section {@code .BTF.base}
     * @throws UnreadableException as {@link Btf#readSplit}; also if the kernel lacks a type or defines it differently
     */
    public static Btf read(ByteBuffer section, ByteBuffer base, Btf kernel) throws UnreadableException {
        Btf distilled = read(base);
        Btf split = Btf.readSplit(section, distilled);
        return Btf.readSplit(new DistilledBtf(split, distilled, kernel).relocated(), kernel);
    }

    private static Btf read(ByteBuffer base) throws UnreadableException {
        try {
            return Btf.read(base);
        } catch (UnreadableException e) {
            throw new UnreadableException("in its .BTF.base, " + e.reason(), e);
        }
    }

    private int[] places() {
        Map<Long, Integer> wanted = new HashMap<>();
        int[] next = new int[distilled.size()];
        for (int id = 1; id < distilled.size(); id++) {
            // Types of the same name form a list; a type without a name cannot be found.
            if (distilled.isNamed(id)) {
                Integer other = wanted.put(distilled.nameHash(id), id);
                next[id] = other == null ? 0 : other;
            }
        }
        int[] found = new int[distilled.size()];
        for (int id = 1; id < kernel.size(); id++) {
            Integer first = wanted.get(kernel.nameHash(id));
            for (int one = first == null ? 0 : first; one != 0; one = next[one]) {
                if (found[one] == 0 && isLike(one, id)) {
                    found[one] = id;
                }
            }
        }
        return found;
    }

    private boolean isLike(int one, int id) {
        BtfKind kind = kernel.kind(id);
        boolean like = switch (distilled.kind(one)) {
            case INT -> kind == BtfKind.INT && sameSize(one, id) && sameEncoding(one, id);
            case FLOAT -> kind == BtfKind.FLOAT && sameSize(one, id);
            case FWD -> kind == (distilled.isForwardUnion(one) ? BtfKind.UNION : BtfKind.STRUCT);
            case STRUCT -> kind == BtfKind.STRUCT && sameSize(one, id);
            case UNION -> kind == BtfKind.UNION && sameSize(one, id);
            case ENUM, ENUM64 -> kind.isEnum() && sameSize(one, id);
            default -> false;
        };
        return like && distilled.name(one).equals(kernel.name(id));
    }

    private boolean sameSize(int one, int id) {
        return distilled.byteSize(one) == kernel.byteSize(id);
    }

    private boolean sameEncoding(int one, int id) {
        return distilled.trailingWord(one) == kernel.trailingWord(id);
    }

    /**
     * Returns the module's section with the kernel's type numbers. The strings of the base follow the module's strings.
     */
    private ByteBuffer relocated() throws UnreadableException {
        int types = split.typesLength();
        out.putShort((short) Btf.MAGIC).put((byte) 1).put((byte) 0).putInt(Btf.HEADER_SIZE);
        out.putInt(0).putInt(types).putInt(types);
        out.putInt(split.ownStrings() + distilled.ownStrings());
        for (int id = distilled.size(); id < split.size(); id++) {
            copy(id);
        }
        out.put(split.stringBytes()).put(distilled.stringBytes());
        return out.flip();
    }

    private void copy(int id) throws UnreadableException {
        BtfKind kind = split.kind(id);
        int start = out.position();
        out.put(split.typeBytes(id));
        rename(start);
        if (kind.refers()) {
            retarget(start + 8);
        }
        int behind = start + Btf.TYPE_SIZE;
        if (kind == BtfKind.ARRAY) {
            retarget(behind);
            retarget(behind + 4);
        }
        int step = kind.trailing(1) - kind.trailing(0);
        for (int i = 0; i < split.members(id) && step > 0; i++) {
            int at = behind + i * step;
            if (kind == BtfKind.DATASEC) {
                retarget(at);
            } else {
                rename(at);
            }
            if (kind.hasTypedMembers()) {
                retarget(at + 4);
            }
        }
    }

    private void rename(int at) {
        int name = out.getInt(at);
        int base = distilled.ownStrings();
        if (name != 0) {
            int own = name < base ? split.ownStrings() + name : name - base;
            out.putInt(at, kernel.stringsSize() + own);
        }
    }

    private void retarget(int at) throws UnreadableException {
        int type = out.getInt(at);
        if (type >= distilled.size()) {
            out.putInt(at, type - distilled.size() + kernel.size());
        } else if (type != 0) {
            if (places[type] == 0) {
                throw new UnreadableException(
                        UnreadableException.UnreadableKind.CONTENTS,
                        "the kernel lacks " + distilled.name(type) + ", or defines it differently");
            }
            out.putInt(at, places[type]);
        }
    }
}
