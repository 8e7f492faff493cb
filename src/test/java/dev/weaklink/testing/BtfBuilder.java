package dev.weaklink.testing;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Writes BTF sections, type by type. Each method that adds a type returns the type's number. */
public final class BtfBuilder {
    private record Type(int name, int info, int word, int[] rest) {}

    /**
     * A member of a struct or union.
     *
     * @param width the width of a bit-field in bits, 0 for another member
     */
    public record Member(String name, int type, int bitOffset, int width) {
        public Member(String name, int type, int bitOffset) {
            this(name, type, bitOffset, 0);
        }
    }

    private final Map<Integer, Integer> damages = new HashMap<>();
    private final List<Type> types = new ArrayList<>();
    private final ByteArrayOutputStream strings = new ByteArrayOutputStream();
    private final int firstType;
    private final int firstString;

    public BtfBuilder() {
        this(1, 0);
        strings.write(0);
    }

    private BtfBuilder(int firstType, int firstString) {
        this.firstType = firstType;
        this.firstString = firstString;
    }

    /** Returns a builder for the types of a module that was built with this kernel. */
    public BtfBuilder split() {
        return new BtfBuilder(firstType + types.size(), firstString + strings.size());
    }

    private int name(String name) {
        if (name.isEmpty()) {
            return 0;
        }
        int at = firstString + strings.size();
        byte[] bytes = name.getBytes(StandardCharsets.US_ASCII);
        strings.write(bytes, 0, bytes.length);
        strings.write(0);
        return at;
    }

    private int add(int kind, String name, int count, boolean flag, int word, int... rest) {
        types.add(new Type(name(name), (flag ? 1 << 31 : 0) | kind << 24 | count, word, rest));
        return firstType + types.size() - 1;
    }

    public int integer(String name, int size) {
        return add(1, name, 0, false, size, size * Byte.SIZE);
    }

    /** Adds an integer type with the encoding BTF_INT_BOOL. */
    public int truth(String name) {
        return add(1, name, 0, false, 1, 4 << 24 | Byte.SIZE);
    }

    /** Adds an integer type with the encoding BTF_INT_SIGNED. */
    public int signed(String name, int size) {
        return add(1, name, 0, false, size, 1 << 24 | size * Byte.SIZE);
    }

    public int pointer(int type) {
        return add(2, "", 0, false, type);
    }

    public int array(int element, int length) {
        return add(3, "", 0, false, 0, element, element, length);
    }

    public int struct(String name, int size, Member... members) {
        return composite(4, name, size, members);
    }

    public int union(String name, int size, Member... members) {
        return composite(5, name, size, members);
    }

    private int composite(int kind, String name, int size, Member[] members) {
        boolean fields = false;
        for (Member member : members) {
            fields |= member.width() != 0;
        }
        int[] rest = new int[members.length * 3];
        for (int i = 0; i < members.length; i++) {
            rest[3 * i] = name(members[i].name());
            rest[3 * i + 1] = members[i].type();
            rest[3 * i + 2] = members[i].bitOffset() | members[i].width() << 24;
        }
        return add(kind, name, members.length, fields, size, rest);
    }

    /** Adds an enum whose constants have the values 0, 1, …. */
    public int enumeration(String name, String... constants) {
        int[] rest = new int[constants.length * 2];
        for (int i = 0; i < constants.length; i++) {
            rest[2 * i] = name(constants[i]);
            rest[2 * i + 1] = i;
        }
        return add(6, name, constants.length, false, 4, rest);
    }

    public int forward(String name, boolean union) {
        return add(7, name, 0, union, 0);
    }

    public int typedef(String name, int type) {
        return add(8, name, 0, false, type);
    }

    public int constant(int type) {
        return add(10, "", 0, false, type);
    }

    /** Adds a prototype whose parameters have no names. */
    public int prototype(int returns, int... parameters) {
        int[] rest = new int[parameters.length * 2];
        for (int i = 0; i < parameters.length; i++) {
            rest[2 * i + 1] = parameters[i];
        }
        return add(13, "", parameters.length, false, returns, rest);
    }

    public int prototype(int returns, List<Member> parameters) {
        int[] rest = new int[parameters.size() * 2];
        for (int i = 0; i < parameters.size(); i++) {
            rest[2 * i] = name(parameters.get(i).name());
            rest[2 * i + 1] = parameters.get(i).type();
        }
        return add(13, "", parameters.size(), false, returns, rest);
    }

    /** Reserves a type number for a type that is written later. */
    public int reserve() {
        return add(7, "", 0, false, 0);
    }

    /** Moves the last type, to which nothing refers yet, to the reserved number. */
    public void fill(int reserved) {
        types.set(reserved - firstType, types.remove(types.size() - 1));
    }

    public int function(String name, int prototype) {
        return add(12, name, 0, false, prototype);
    }

    /** Adds a type with any kind number and contents, for damaged sections. */
    public int raw(int kind, String name, int count, int word, int... rest) {
        return add(kind, name, count, false, word, rest);
    }

    /** Overwrites a word at an offset of the section. */
    public void damage(int place, int word) {
        damages.put(place, word);
    }

    public byte[] build(ByteOrder order) {
        int length = types.stream().mapToInt(type -> 12 + 4 * type.rest.length).sum();
        ByteBuffer out = ByteBuffer.allocate(24 + length + strings.size()).order(order);
        out.putShort((short) 0xeb9f).put((byte) 1).put((byte) 0).putInt(24);
        out.putInt(0).putInt(length).putInt(length).putInt(strings.size());
        for (Type type : types) {
            out.putInt(type.name).putInt(type.info).putInt(type.word);
            for (int word : type.rest) {
                out.putInt(word);
            }
        }
        out.put(strings.toByteArray());
        damages.forEach(out::putInt);
        return out.array();
    }
}
