package dev.weaklink.format.btf;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/**
 * The kernel's check of a module's types at load time (kernel/bpf/btf.c: btf_parse_module, 5.11 to 7.2). Checks that
 * depend on the kernel's own types are left out.
 *
 * <p>The result is {@link BtfAnswer#UNCLEAR} if kernels from 7.2 on may answer differently than older kernels, and for
 * more than 500,000 types. Forms of BTF that 5.13 to 6.15 added count as valid, although older kernels refuse them.
 */
public final class BtfValidity {
    private static final int LONG_HEADER = 32;
    private static final int LARGEST_TYPE = 0xfffff;
    private static final int LARGEST_NAME = 0xffffff;
    private static final int LONGEST_NAME = 512;
    private static final int MOST_TYPES = 500_000;
    private static final BtfKind[] KINDS = BtfKind.values();

    /** The exclusive upper limit of the numbers that future kernels may give to new kinds of types. */
    private static final int SPARE_KINDS = 32;

    private final ByteBuffer bytes;
    private final ByteBuffer header;
    private final boolean split;
    private final int firstString;
    private int strings;
    private int stringsLength;

    public enum BtfAnswer {
        ACCEPTED,
        /**
         * The kernel accepts the types, but the module's strings continue the strings of another build of the kernel.
         */
        FOREIGN,
        UNCLEAR,
        EINVAL,
        E2BIG,
        ENOTSUPP;

        public boolean isRefusal() {
            return compareTo(UNCLEAR) > 0;
        }

        public boolean isObjection() {
            return isRefusal() || this == FOREIGN;
        }
    }

    private enum NameUse {
        IDENTIFIER,
        SECTION,
        TEXT
    }

    private BtfValidity(ByteBuffer section, ByteOrder order, boolean split, int firstString) {
        bytes = section.slice().order(order);
        header = ByteBuffer.allocate(LONG_HEADER).order(order);
        this.split = split;
        this.firstString = firstString;
    }

    /**
     * Returns the result of the kernel's check of a module's types. An empty section is accepted.
     *
     * @param section the section {@code .BTF}
     * @param base the section {@code .BTF.base}, which only kernels from 6.11 on read; null for none
     * @param order the byte order of the machine
     * @param firstString the length of the strings of the kernel's own types, at which the module's string offsets
     *     start; negative if unknown, and names are then not checked. Ignored if {@code base} is not null
     */
    public static BtfAnswer of(ByteBuffer section, @Nullable ByteBuffer base, ByteOrder order, int firstString) {
        if (!section.hasRemaining()) {
            return BtfAnswer.ACCEPTED;
        }
        int first = firstString;
        if (base != null) {
            BtfValidity lower = new BtfValidity(base, order, false, 0);
            BtfAnswer answer = lower.judge();
            if (answer != BtfAnswer.ACCEPTED) {
                return answer;
            }
            first = lower.stringsLength;
        }
        BtfAnswer answer = new BtfValidity(section, order, true, first).judge();
        int built = base == null && firstString >= 0 && answer == BtfAnswer.ACCEPTED ? firstString(section, order) : -1;
        return built < 0 || built == firstString ? answer : BtfAnswer.FOREIGN;
    }

    /**
     * Returns the length of the BTF strings of the kernel that the module was built for. The module's own string
     * offsets start at this length, and therefore show it.
     *
     * @return -1 if unknown: the types are not certainly valid, their offsets do not match the module's strings, or the
     *     strings are too few
     */
    public static int firstString(ByteBuffer section, ByteOrder order) {
        BtfValidity types = new BtfValidity(section, order, true, -1);
        return types.judge() == BtfAnswer.ACCEPTED ? new BtfNames(types.bytes, order).first() : -1;
    }

    private BtfAnswer judge() {
        BtfAnswer answer = header();
        return answer == BtfAnswer.ACCEPTED ? types() : answer;
    }

    /**
     * Checks the header by the rules of older and newer kernels (btf_parse_hdr, btf_parse_str_sec). Returns UNCLEAR if
     * the results differ.
     */
    private BtfAnswer header() {
        if (bytes.limit() < 8 || size(bytes, 4) > bytes.limit()) {
            return BtfAnswer.EINVAL;
        }
        int length = (int) size(bytes, 4);
        header.put(0, bytes, 0, Math.min(length, LONG_HEADER));
        boolean third = length >= LONG_HEADER && size(header, 28) > 0;
        BtfAnswer answer = isZero(Btf.HEADER_SIZE, length) ? fields(length, false) : BtfAnswer.E2BIG;
        BtfAnswer later = isZero(LONG_HEADER, length) ? fields(length, third) : BtfAnswer.E2BIG;
        return answer == later ? answer : BtfAnswer.UNCLEAR;
    }

    private boolean isZero(int start, int end) {
        for (int at = start; at < end; at++) {
            if (bytes.get(at) != 0) {
                return false;
            }
        }
        return true;
    }

    private BtfAnswer fields(int length, boolean third) {
        if ((header.getShort(0) & 0xffff) != Btf.MAGIC) {
            return BtfAnswer.EINVAL;
        }
        if (header.get(2) != 1 || header.get(3) != 0) {
            return BtfAnswer.ENOTSUPP;
        }
        long all = bytes.limit() - length;
        if (third || !split && all == 0) {
            return third ? BtfAnswer.UNCLEAR : BtfAnswer.EINVAL;
        }
        long types = size(header, 8);
        long typesLength = size(header, 12);
        // no gaps, and the strings last
        boolean inOrder = (types == 0 || typesLength == 0 && types == all)
                && size(header, 16) == typesLength
                && typesLength + size(header, 20) == all;
        if (!inOrder) {
            return BtfAnswer.EINVAL;
        }
        strings = (int) (length + typesLength);
        stringsLength = (int) size(header, 20);
        if (stringsLength == 0) {
            return split ? BtfAnswer.ACCEPTED : BtfAnswer.EINVAL;
        }
        boolean sound = stringsLength - 1 <= LARGEST_NAME
                && bytes.get(bytes.limit() - 1) == 0
                && (split || bytes.get(strings) == 0);
        return sound ? BtfAnswer.ACCEPTED : BtfAnswer.EINVAL;
    }

    private static long size(ByteBuffer bytes, int at) {
        return Integer.toUnsignedLong(bytes.getInt(at));
    }

    /** Checks the types as btf_check_all_metas does. */
    private BtfAnswer types() {
        int at = (int) size(bytes, 4);
        for (int count = 0; at < strings; count++) {
            if (strings - at < Btf.TYPE_SIZE) {
                return BtfAnswer.EINVAL;
            }
            int info = bytes.getInt(at + 4);
            int number = info >>> 24 & 0x7f;
            if (count > MOST_TYPES || number >= KINDS.length && number < SPARE_KINDS) {
                return BtfAnswer.UNCLEAR;
            }
            if (number == 0 || number >= KINDS.length || !isName(bytes.getInt(at))) {
                return BtfAnswer.EINVAL;
            }
            BtfKind kind = KINDS[number];
            int members = info & 0xffffff;
            long size = Btf.TYPE_SIZE + kind.trailing(0) + (long) step(kind) * members;
            if (size > strings - at || flagged(kind) && info < 0) {
                return BtfAnswer.EINVAL;
            }
            BtfAnswer answer = type(kind, at, members, info < 0);
            if (answer != BtfAnswer.ACCEPTED || members > 0xffff) {
                return answer == BtfAnswer.ACCEPTED ? BtfAnswer.UNCLEAR : answer;
            }
            at += (int) size;
        }
        return BtfAnswer.ACCEPTED;
    }

    private static int step(BtfKind kind) {
        return kind.trailing(1) - kind.trailing(0);
    }

    /** Returns whether every kernel version refuses kind_flag on this kind of type. */
    private static boolean flagged(BtfKind kind) {
        return switch (kind) {
            case STRUCT, UNION, ENUM, ENUM64, FWD, DECL_TAG, TYPE_TAG -> false;
            default -> true;
        };
    }

    private BtfAnswer type(BtfKind kind, int at, int members, boolean flag) {
        if (kind == BtfKind.INT) {
            return members == 0 ? integer(at) : BtfAnswer.EINVAL;
        }
        int name = bytes.getInt(at);
        int word = bytes.getInt(at + 8);
        int rest = at + Btf.TYPE_SIZE;
        boolean sound = switch (kind) {
            case PTR, VOLATILE, CONST, RESTRICT -> members == 0 && name == 0 && isType(word);
            case TYPEDEF -> members == 0 && isType(word) && is(name, NameUse.IDENTIFIER);
            case TYPE_TAG -> members == 0 && isType(word) && is(name, NameUse.TEXT);
            case ARRAY -> members == 0 && name == 0 && word == 0 && isObject(rest) && isObject(rest + 4);
            case STRUCT, UNION -> isNoneOr(name) && members(kind, at, members, flag);
            case ENUM, ENUM64 -> isNoneOr(name) && values(kind, rest, members, word);
            case FWD -> members == 0 && word == 0 && is(name, NameUse.IDENTIFIER);
            case FUNC -> members <= 2 && is(name, NameUse.IDENTIFIER);
            case FUNC_PROTO -> name == 0;
            case VAR ->
                members == 0 && is(name, NameUse.IDENTIFIER) && isObject(at + 8) && (bytes.getInt(rest) & ~1) == 0;
            case DATASEC -> is(name, NameUse.SECTION) && variables(rest, members, size(bytes, at + 8));
            case FLOAT -> members == 0 && (word == 2 || word == 4 || word == 8 || word == 12 || word == 16);
            case DECL_TAG -> members == 0 && is(name, NameUse.TEXT) && bytes.getInt(rest) >= -1;
            default -> false;
        };
        return sound ? BtfAnswer.ACCEPTED : BtfAnswer.EINVAL;
    }

    private BtfAnswer integer(int at) {
        int data = bytes.getInt(at + Btf.TYPE_SIZE);
        int bits = (data & 0xff) + (data >>> 16 & 0xff);
        if (data >>> 28 != 0 || bits > 128 || (bits + 7) / 8 > size(bytes, at + 8)) {
            return BtfAnswer.EINVAL;
        }
        int encoding = data >>> 24;
        return encoding <= 2 || encoding == 4 ? BtfAnswer.ACCEPTED : BtfAnswer.ENOTSUPP;
    }

    private static boolean isType(int number) {
        return Integer.compareUnsigned(number, LARGEST_TYPE) <= 0;
    }

    /** Returns whether the word at this offset is the number of a type other than 0 (void). */
    private boolean isObject(int at) {
        return bytes.getInt(at) != 0 && isType(bytes.getInt(at));
    }

    private boolean members(BtfKind kind, int at, int members, boolean flag) {
        long last = 0;
        for (int i = 0; i < members; i++) {
            int member = at + Btf.TYPE_SIZE + i * step(kind);
            long offset = size(bytes, member + 8) & (flag ? 0xffffff : 0xffffffffL);
            if (!isName(bytes.getInt(member))
                    || !isNoneOr(bytes.getInt(member))
                    || !isObject(member + 4)
                    || kind == BtfKind.UNION && offset != 0
                    || offset < last
                    || (offset + 7) / 8 > size(bytes, at + 8)) {
                return false;
            }
            last = offset;
        }
        return true;
    }

    private boolean values(BtfKind kind, int start, int count, int size) {
        if (size < 1 || size > 8 || Integer.bitCount(size) != 1) {
            return false;
        }
        for (int i = 0; i < count; i++) {
            int name = bytes.getInt(start + i * step(kind));
            if (!isName(name) || !is(name, NameUse.IDENTIFIER)) {
                return false;
            }
        }
        return true;
    }

    private boolean variables(int start, int count, long size) {
        long end = 0;
        for (int i = 0; i < count; i++) {
            int at = start + i * step(BtfKind.DATASEC);
            long offset = size(bytes, at + 4);
            long length = size(bytes, at + 8);
            if (!isObject(at) || offset < end || length == 0 || offset + length > size) {
                return false;
            }
            end = offset + length;
        }
        return size > 0;
    }

    private boolean isName(int name) {
        return Integer.compareUnsigned(name, LARGEST_NAME) <= 0
                && (firstString < 0 || name < firstString || name - firstString < stringsLength);
    }

    private boolean isNoneOr(int name) {
        return name == 0 || is(name, NameUse.IDENTIFIER);
    }

    /**
     * Returns whether a name is valid for its use. Names among the kernel's own strings are unknown and count as valid.
     */
    private boolean is(int name, NameUse use) {
        if (name == 0) {
            return false;
        }
        if (firstString < 0 || name < firstString) {
            return true;
        }
        int start = strings + name - firstString;
        int end = start;
        while (bytes.get(end) != 0 && (use == NameUse.TEXT || end - start <= LONGEST_NAME)) {
            if (!fits(bytes.get(end) & 0xff, use, end == start)) {
                return false;
            }
            end++;
        }
        return end > start && (use == NameUse.TEXT || end - start <= LONGEST_NAME);
    }

    /**
     * Returns whether a name may contain the character. The kernel's letters include those of Latin-1 (lib/ctype.c).
     */
    private static boolean fits(int letter, NameUse use, boolean first) {
        return switch (use) {
            case TEXT -> true;
            case SECTION -> letter >= 0x20 && letter < 0x7f || letter >= 0xa0;
            case IDENTIFIER ->
                letter >= 'a' && letter <= 'z'
                        || letter >= 'A' && letter <= 'Z'
                        || letter == '_'
                        || letter == '.'
                        || !first && letter >= '0' && letter <= '9'
                        || letter >= 0xc0 && letter != 0xd7 && letter != 0xf7;
        };
    }

    private static final class BtfNames {
        /**
         * The minimum number of strings for a reliable result: the offsets of so many names do not match the strings by
         * chance.
         */
        private static final int ENOUGH = 8;

        private final ByteBuffer bytes;
        private final int strings;
        private final BitSet names = new BitSet();

        BtfNames(ByteBuffer section, ByteOrder order) {
            bytes = section.slice().order(order);
            int header = bytes.getInt(4);
            strings = header + bytes.getInt(12);
            for (int at = header; at < strings; ) {
                int info = bytes.getInt(at + 4);
                BtfKind kind = BtfKind.values()[info >>> 24 & 0x7f];
                int step = kind.trailing(1) - kind.trailing(0);
                names.set(bytes.getInt(at));
                at += Btf.TYPE_SIZE + kind.trailing(0);
                for (int i = 0; i < (info & 0xffff) && step > 0; i++, at += step) {
                    if (kind != BtfKind.DATASEC && bytes.getInt(at) >>> 24 == 0) {
                        names.set(bytes.getInt(at));
                    }
                }
            }
        }

        /**
         * Returns the string offset of this section's first string, which is the length of the base's strings. Returns
         * -1 if the types' name offsets from there on are not exactly the starts of this section's strings, or the
         * strings are fewer than {@link #ENOUGH}.
         */
        int first() {
            BitSet starts = new BitSet();
            for (int at = strings; at < bytes.limit(); at++) {
                if (at == strings || bytes.get(at - 1) == 0) {
                    starts.set(at - strings);
                }
            }
            int first = names.length() - starts.length();
            BitSet own = first < 0 ? names : names.get(first, names.length());
            return own.equals(starts) && starts.cardinality() >= ENOUGH ? first : -1;
        }
    }
}
