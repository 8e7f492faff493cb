package dev.weaklink.format.btf;

import dev.weaklink.sys.UnreadableException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The types of a kernel or a module, by number: 0 is void, the others count from 1; those of a module (split BTF) go on
 * where its kernel's end. Immutable; nothing is copied.
 *
 * <p>Format: Documentation/bpf/btf.rst, include/uapi/linux/btf.h. Everything a type refers to was checked when it was
 * read, so no accessor throws for a number below {@link #size()} as long as it fits the type's {@link #kind}.
 */
public final class Btf {
    static final int MAGIC = 0xeb9f;
    static final int HEADER_SIZE = 24;
    static final int TYPE_SIZE = 12;
    private static final int MEMBER_SIZE = 12;

    /** More types than any kernel has: 6.12 has 112,400. */
    private static final int MAX_TYPES = 4_000_000;

    /** Longer names are cut: the kernel refuses them (KSYM_NAME_LEN). */
    private static final int MAX_NAME = 512;

    private final ByteBuffer bytes;
    private final @Nullable Btf base;
    private final int firstType;
    private final int firstString;
    private final int strings;
    private final int stringsEnd;
    private int[] places = new int[1 << 12];
    private int count;

    private Btf(ByteBuffer bytes, @Nullable Btf base) throws UnreadableException {
        this.bytes = bytes;
        this.base = base;
        this.firstType = base == null ? 1 : base.size();
        this.firstString = base == null ? 0 : base.stringsSize();
        int header = bytes.getInt(4);
        int types = range(header, bytes.getInt(8), bytes.getInt(12), "types");
        this.strings = range(header, bytes.getInt(16), bytes.getInt(20), "strings");
        this.stringsEnd = strings + bytes.getInt(20);
        if (stringsEnd > strings && bytes.get(stringsEnd - 1) != 0) {
            throw new UnreadableException("the last string has no end");
        }
        index(types, types + bytes.getInt(12));
        for (int i = 0; i < count; i++) {
            check(firstType + i);
        }
    }

    /**
     * Reads the types of a kernel: a whole {@code .BTF} section.
     *
     * @throws UnreadableException if the bytes are none, or refer to what is not in them
     */
    public static Btf read(ByteBuffer section) throws UnreadableException {
        return new Btf(ordered(section), null);
    }

    /**
     * Reads the types of a module, which refer to those of the kernel it was built with.
     *
     * @throws UnreadableException as {@link #read(ByteBuffer)}; also if the module was built with another kernel, as
     *     far as that shows
     */
    public static Btf readSplit(ByteBuffer section, Btf base) throws UnreadableException {
        return new Btf(ordered(section), base);
    }

    private static ByteBuffer ordered(ByteBuffer section) throws UnreadableException {
        ByteBuffer bytes = section.slice().order(ByteOrder.LITTLE_ENDIAN);
        if (bytes.limit() < HEADER_SIZE) {
            throw new UnreadableException("too short for BTF");
        }
        if ((bytes.getShort(0) & 0xffff) != MAGIC) {
            bytes.order(ByteOrder.BIG_ENDIAN);
        }
        if ((bytes.getShort(0) & 0xffff) != MAGIC || bytes.get(2) != 1) {
            throw new UnreadableException("not BTF of version 1");
        }
        return bytes;
    }

    private int range(int header, int offset, int length, String what) throws UnreadableException {
        long start = (header & 0xffffffffL) + (offset & 0xffffffffL);
        if (start + (length & 0xffffffffL) > bytes.limit()) {
            throw new UnreadableException("the " + what + " lie outside of the section");
        }
        return (int) start;
    }

    private void index(int start, int end) throws UnreadableException {
        long at = start;
        while (at < end) {
            if (end - at < TYPE_SIZE || count >= MAX_TYPES) {
                throw new UnreadableException("the types are truncated or too many");
            }
            if (count == places.length) {
                places = Arrays.copyOf(places, count * 2);
            }
            places[count++] = (int) at;
            int info = bytes.getInt((int) at + 4);
            BtfKind kind = BtfKind.of(info >>> 24 & 0x1f);
            if (kind == BtfKind.VOID) {
                int type = firstType + count - 1;
                throw new UnreadableException("type " + type + " is of the unknown kind " + (info >>> 24 & 0x1f));
            }
            at += TYPE_SIZE + kind.trailing(info & 0xffff);
        }
        if (at != end) {
            throw new UnreadableException("the last type is truncated");
        }
    }

    /** Whether a type's name and all it refers to are there. */
    private void check(int id) throws UnreadableException {
        BtfKind kind = kind(id);
        checkName(id, word(id, 0));
        if (kind.refers()) {
            checkType(id, word(id, 8));
        }
        if (kind == BtfKind.ARRAY) {
            checkType(id, word(id, TYPE_SIZE));
            checkType(id, word(id, TYPE_SIZE + 4));
        }
        int step = kind.trailing(1) - kind.trailing(0);
        for (int i = 0; i < members(id) && step > 0; i++) {
            int at = TYPE_SIZE + i * step;
            if (kind == BtfKind.DATASEC) {
                checkType(id, word(id, at));
            } else {
                checkName(id, word(id, at));
            }
            if (kind.hasTypedMembers()) {
                checkType(id, word(id, at + 4));
            }
        }
    }

    private void checkType(int id, int other) throws UnreadableException {
        if (other < 0 || other >= size()) {
            String missing = Integer.toUnsignedString(other);
            throw new UnreadableException("type " + id + " refers to type " + missing + ", which does not exist");
        }
    }

    private void checkName(int id, int offset) throws UnreadableException {
        if (offset < 0 || offset != 0 && offset >= stringsSize()) {
            throw new UnreadableException("type " + id + " has a name outside of the strings");
        }
    }

    /** Where the names of a module built with this kernel begin. */
    int stringsSize() {
        return firstString + stringsEnd - strings;
    }

    private int word(int id, int at) {
        return bytes.getInt(places[id - firstType] + at);
    }

    /** Number of types, with void and those of the kernel below: one more than the highest number. */
    public int size() {
        return firstType + count;
    }

    ByteOrder order() {
        return bytes.order();
    }

    /** Bytes of the types that are not the base's. */
    int typesLength() {
        int last = size() - 1;
        return count == 0 ? 0 : places[count - 1] - places[0] + typeBytes(last).remaining();
    }

    /** Bytes of the strings that are not the base's. */
    int ownStrings() {
        return stringsEnd - strings;
    }

    ByteBuffer stringBytes() {
        return bytes.slice(strings, ownStrings());
    }

    /** An own type with all that is behind it. */
    ByteBuffer typeBytes(int id) {
        return bytes.slice(places[id - firstType], TYPE_SIZE + kind(id).trailing(members(id)));
    }

    /** The word behind a type's twelve bytes: of an int, how it is encoded. */
    public int trailingWord(int id) {
        return id < firstType && base != null ? base.trailingWord(id) : word(id, TYPE_SIZE);
    }

    /** What a type is. */
    public BtfKind kind(int id) {
        if (id == 0) {
            return BtfKind.VOID;
        }
        return id < firstType && base != null ? base.kind(id) : KINDS[word(id, 4) >>> 24 & 0x1f];
    }

    private static final BtfKind[] KINDS = BtfKind.values();

    /** Members, parameters or values of a type. */
    public int members(int id) {
        if (id == 0) {
            return 0;
        }
        return id < firstType && base != null ? base.members(id) : word(id, 4) & 0xffff;
    }

    /** The type it refers to: of a pointer, typedef, function, variable; what a prototype returns. */
    public int type(int id) {
        return id < firstType && base != null ? base.type(id) : word(id, 8);
    }

    /** Size in bytes of an int, struct, union, enum or float. */
    public int byteSize(int id) {
        return type(id);
    }

    /** Whether a forward declaration is of a union, or a struct has bit-fields. */
    private boolean flag(int id) {
        return id < firstType && base != null ? base.flag(id) : word(id, 4) < 0;
    }

    /** Whether what was declared without definition is a union. */
    public boolean isForwardUnion(int id) {
        return flag(id);
    }

    /** Number of an array's elements. */
    public int length(int id) {
        return id < firstType && base != null ? base.length(id) : word(id, TYPE_SIZE + 8);
    }

    /** Type of an array's elements. */
    public int element(int id) {
        return id < firstType && base != null ? base.element(id) : word(id, TYPE_SIZE);
    }

    /** Type of a member or parameter. */
    public int memberType(int id, int index) {
        if (id < firstType && base != null) {
            return base.memberType(id, index);
        }
        return word(id, TYPE_SIZE + index * step(id) + 4);
    }

    private int step(int id) {
        return kind(id).trailing(1) - kind(id).trailing(0);
    }

    /** Where a member starts, in bits from the beginning of its struct. */
    public int bitOffset(int id, int index) {
        if (id < firstType && base != null) {
            return base.bitOffset(id, index);
        }
        int offset = word(id, TYPE_SIZE + index * MEMBER_SIZE + 8);
        return flag(id) ? offset & 0xffffff : offset;
    }

    /** Width of a bit-field in bits, 0 for another member. */
    public int bitWidth(int id, int index) {
        if (id < firstType && base != null) {
            return base.bitWidth(id, index);
        }
        return flag(id) ? word(id, TYPE_SIZE + index * MEMBER_SIZE + 8) >>> 24 : 0;
    }

    /** Value of an enum's constant. */
    public long value(int id, int index) {
        if (id < firstType && base != null) {
            return base.value(id, index);
        }
        int at = TYPE_SIZE + index * step(id) + 4;
        int low = word(id, at);
        return kind(id) == BtfKind.ENUM ? low : (long) word(id, at + 4) << 32 | Integer.toUnsignedLong(low);
    }

    /** Name of a type, empty if it has none. */
    public String name(int id) {
        return id == 0 ? "" : string(nameOffset(id));
    }

    /** Whether a type has a name. */
    public boolean isNamed(int id) {
        return id != 0 && nameOffset(id) != 0;
    }

    /** Name of a member, parameter or enum constant, empty if it has none. */
    public String memberName(int id, int index) {
        return string(memberNameOffset(id, index));
    }

    private int nameOffset(int id) {
        return id < firstType && base != null ? base.nameOffset(id) : word(id, 0);
    }

    private int memberNameOffset(int id, int index) {
        if (id < firstType && base != null) {
            return base.memberNameOffset(id, index);
        }
        return word(id, TYPE_SIZE + index * step(id));
    }

    /** A number made of a type's name; equal names give equal ones. */
    long nameHash(int id) {
        return id == 0 ? 0 : hash(nameOffset(id));
    }

    /** Likewise of a member's name. */
    long memberNameHash(int id, int index) {
        return hash(memberNameOffset(id, index));
    }

    private long hash(int offset) {
        if (offset < firstString && base != null) {
            return base.hash(offset);
        }
        long hash = 0xcbf29ce484222325L;
        if (offset == 0) {
            return hash;
        }
        int at = strings + offset - firstString;
        int most = at + MAX_NAME;
        for (byte b = bytes.get(at); b != 0 && at < most; b = bytes.get(++at)) {
            hash = (hash ^ b) * 0x100000001b3L;
        }
        return hash;
    }

    private String string(int offset) {
        if (offset == 0) {
            return "";
        }
        if (offset < firstString && base != null) {
            return base.string(offset);
        }
        int start = strings + offset - firstString;
        int end = start;
        while (bytes.get(end) != 0 && end - start < MAX_NAME) {
            end++;
        }
        byte[] text = new byte[end - start];
        bytes.get(start, text);
        return new String(text, StandardCharsets.ISO_8859_1);
    }
}
