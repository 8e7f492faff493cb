package dev.weaklink.format.btf;

import dev.weaklink.sys.UnreadableException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The types of a kernel or a module, by number. Type 0 is void, and the other numbers count from 1. The numbers of a
 * module's types (split BTF) continue after the numbers of its kernel's types. An instance is immutable, and reads from
 * the caller's buffer, which must not change.
 *
 * <p>Format: Documentation/bpf/btf.rst, include/uapi/linux/btf.h. Reading checks all references to names and other
 * types. Accessors therefore never throw for a number below {@link #size()}, as long as the accessor fits the type's
 * {@link #kind}.
 */
public final class Btf {
    static final int MAGIC = 0xeb9f;
    static final int HEADER_SIZE = 24;
    static final int TYPE_SIZE = 12;
    private static final int MEMBER_SIZE = 12;

    /** The maximum number of types; no kernel has as many (6.12 has 112,400). */
    private static final int MAX_TYPES = 4_000_000;

    /** The length in bytes after which weaklink cuts a name. The kernel refuses longer names (KSYM_NAME_LEN). */
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
     * Reads the types of a kernel from a whole {@code .BTF} section.
     *
     * @throws UnreadableException if the section is not intact BTF of version 1, has an unknown kind of type, or refers
     *     to data that it does not contain
     */
    public static Btf read(ByteBuffer section) throws UnreadableException {
        return new Btf(ordered(section), null);
    }

    /**
     * Reads the types of a module, which refer to the types of the kernel that the module was built for.
     *
     * @throws UnreadableException as {@link #read(ByteBuffer)}; also if the module was built for another kernel, as far
     *     as that is detectable
     */
    public static Btf readSplit(ByteBuffer section, Btf base) throws UnreadableException {
        return new Btf(ordered(section), base);
    }

    /**
     * Returns the length of a kernel's strings, at which the string offsets of its modules start; -1 if the section is
     * not BTF of version 1.
     */
    public static int stringsLength(ByteBuffer section) {
        try {
            return ordered(section).getInt(20);
        } catch (UnreadableException e) {
            return -1;
        }
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
                throw new UnreadableException("the list of types is truncated, or longer than " + MAX_TYPES + " types");
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

    /** Throws if the definition of a type refers to a name or type that does not exist. */
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
            throw new UnreadableException("type " + id + " refers to a name that does not exist");
        }
    }

    /** Returns the string offset at which the names of a module built for this kernel begin. */
    int stringsSize() {
        return firstString + stringsEnd - strings;
    }

    private int word(int id, int at) {
        return bytes.getInt(places[id - firstType] + at);
    }

    /** Returns the number of types, including void and the base's types: one more than the highest number. */
    public int size() {
        return firstType + count;
    }

    ByteOrder order() {
        return bytes.order();
    }

    /** Returns the length in bytes of the section's own types, without the types of the base. */
    int typesLength() {
        int last = size() - 1;
        return count == 0 ? 0 : places[count - 1] - places[0] + typeBytes(last).remaining();
    }

    /** Returns the length in bytes of the section's own strings, without the strings of the base. */
    int ownStrings() {
        return stringsEnd - strings;
    }

    ByteBuffer stringBytes() {
        return bytes.slice(strings, ownStrings());
    }

    /** Returns all bytes of one of the section's own types, including its members. */
    ByteBuffer typeBytes(int id) {
        return bytes.slice(places[id - firstType], TYPE_SIZE + kind(id).trailing(members(id)));
    }

    /**
     * Returns the word that follows struct btf_type. For an int, the word contains encoding, bit offset and bit width.
     */
    public int trailingWord(int id) {
        return id < firstType && base != null ? base.trailingWord(id) : word(id, TYPE_SIZE);
    }

    public BtfKind kind(int id) {
        if (id == 0) {
            return BtfKind.VOID;
        }
        return id < firstType && base != null ? base.kind(id) : KINDS[word(id, 4) >>> 24 & 0x1f];
    }

    private static final BtfKind[] KINDS = BtfKind.values();

    public int members(int id) {
        if (id == 0) {
            return 0;
        }
        return id < firstType && base != null ? base.members(id) : word(id, 4) & 0xffff;
    }

    /**
     * Returns the number of the type that a pointer, typedef or similar type refers to. For a prototype, returns the
     * number of the return type.
     */
    public int type(int id) {
        return id < firstType && base != null ? base.type(id) : word(id, 8);
    }

    /** Returns the size in bytes of an int, struct, union, enum or float. */
    public int byteSize(int id) {
        return type(id);
    }

    /**
     * Returns kind_flag. If the flag is set, a forward declaration is of a union, and a struct or union may have
     * bit-fields.
     */
    private boolean flag(int id) {
        return id < firstType && base != null ? base.flag(id) : word(id, 4) < 0;
    }

    public boolean isForwardUnion(int id) {
        return flag(id);
    }

    public int length(int id) {
        return id < firstType && base != null ? base.length(id) : word(id, TYPE_SIZE + 8);
    }

    public int element(int id) {
        return id < firstType && base != null ? base.element(id) : word(id, TYPE_SIZE);
    }

    public int memberType(int id, int index) {
        if (id < firstType && base != null) {
            return base.memberType(id, index);
        }
        return word(id, TYPE_SIZE + index * step(id) + 4);
    }

    private int step(int id) {
        return kind(id).trailing(1) - kind(id).trailing(0);
    }

    /** Returns the offset of a member, in bits from the beginning of its struct or union. */
    public int bitOffset(int id, int index) {
        if (id < firstType && base != null) {
            return base.bitOffset(id, index);
        }
        int offset = word(id, TYPE_SIZE + index * MEMBER_SIZE + 8);
        return flag(id) ? offset & 0xffffff : offset;
    }

    /** Returns the width of a bit-field in bits; 0 if the member is not a bit-field. */
    public int bitWidth(int id, int index) {
        if (id < firstType && base != null) {
            return base.bitWidth(id, index);
        }
        return flag(id) ? word(id, TYPE_SIZE + index * MEMBER_SIZE + 8) >>> 24 : 0;
    }

    public long value(int id, int index) {
        if (id < firstType && base != null) {
            return base.value(id, index);
        }
        int at = TYPE_SIZE + index * step(id) + 4;
        int low = word(id, at);
        return kind(id) == BtfKind.ENUM ? low : (long) word(id, at + 4) << 32 | Integer.toUnsignedLong(low);
    }

    public String name(int id) {
        return id == 0 ? "" : string(nameOffset(id));
    }

    public boolean isNamed(int id) {
        return id != 0 && nameOffset(id) != 0;
    }

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

    /** Returns a hash of a type's name, or 0 for void. Equal names have equal hashes in all kernels and modules. */
    long nameHash(int id) {
        return id == 0 ? 0 : hash(nameOffset(id));
    }

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
