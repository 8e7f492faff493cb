package dev.weaklink.explain;

import dev.weaklink.format.btf.Btf;
import dev.weaklink.format.btf.BtfKind;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The pointers in structs, including the pointers in embedded structs. */
final class TypePointers {
    private static final int MAX_POINTERS = 4_096;

    private static final int MAX_DEPTH = 16;

    /**
     * The maximum number of steps: one for each visited member, more for a long path. The driver amdgpu needs 120,000.
     */
    private static final int MAX_STEPS = 4_000_000;

    /** The number of characters of a member's path for which the search counts one more step. */
    private static final int NAME = 64;

    /**
     * A pointer in a struct.
     *
     * @param name the path of member names that leads to the pointer, such as {@code ops.open}
     * @param to the pointed-to type, without typedefs and qualifiers
     * @param own whether the pointer is a member of the struct itself, or of an unnamed struct nested in it
     * @param typedef the typedef that declares the pointer, null if none does
     */
    record Pointer(
            String name, int to, boolean own, @Nullable String typedef) {}

    private final Btf btf;
    private final Map<Integer, Map<Integer, Pointer>> known = new HashMap<>();
    private int steps;

    TypePointers(Btf btf) {
        this.btf = btf;
    }

    Map<Integer, Pointer> of(int type) {
        return known.computeIfAbsent(type, any -> {
            Map<Integer, Pointer> all = new TreeMap<>();
            add(type, "", 0, true, 0, all);
            return all;
        });
    }

    boolean isFunction(Pointer pointer) {
        return btf.kind(pointer.to()) == BtfKind.FUNC_PROTO;
    }

    private void add(int type, String name, int offset, boolean own, int depth, Map<Integer, Pointer> all) {
        int bare = TypeComparison.bare(btf, type).type();
        BtfKind kind = btf.kind(bare);
        steps += 1 + name.length() / NAME;
        if (depth > MAX_DEPTH || all.size() >= MAX_POINTERS || steps > MAX_STEPS) {
            return;
        }
        if (kind == BtfKind.PTR) {
            int to = TypeComparison.bare(btf, btf.type(bare)).type();
            String typedef = btf.kind(type) == BtfKind.TYPEDEF ? btf.name(type) : null;
            all.putIfAbsent(offset, new Pointer(name, to, own, typedef));
        } else if (kind == BtfKind.ARRAY && btf.length(bare) > 0) {
            // The first element is enough: tables of callbacks contain no arrays of pointers.
            add(btf.element(bare), name, offset, own, depth + 1, all);
        } else if (kind.isComposite()) {
            for (int i = 0; i < btf.members(bare) && steps <= MAX_STEPS; i++) {
                String member = btf.memberName(bare, i);
                String path = name.isEmpty() || member.isEmpty() ? name + member : name + "." + member;
                int at = offset + btf.bitOffset(bare, i) / Byte.SIZE;
                boolean same = own && (depth == 0 || !btf.isNamed(bare));
                add(btf.memberType(bare, i), path, at, same, depth + 1, all);
            }
        }
    }
}
