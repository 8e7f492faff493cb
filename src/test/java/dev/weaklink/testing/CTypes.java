package dev.weaklink.testing;

import dev.weaklink.testing.BtfBuilder.Member;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The types of a kernel or a module, parsed from C declarations and laid out as on x86-64. The parser knows structs,
 * unions, enums, typedefs, prototypes, variables, bit-fields and const, and the attributes {@code struct __packed NAME}
 * and {@code MEMBER __aligned(BYTES)}.
 */
public final class CTypes {
    private static final int POINTER_SIZE = 8;
    private static final Pattern TOKEN = Pattern.compile("\\w+|\\.\\.\\.|[^\\s\\w]");
    private static final Map<String, Integer> NUMBERS = Map.of(
            "bool",
            1,
            "char",
            1,
            "unsigned char",
            1,
            "short",
            2,
            "unsigned short",
            2,
            "int",
            4,
            "unsigned int",
            4,
            "long",
            8,
            "unsigned long",
            8);

    /** The size and the alignment of a type, in bytes. */
    private record Size(int bytes, int align) {}

    private record Declared(String name, int type) {}

    private final BtfBuilder types;
    private final Map<String, Integer> names;
    private final Map<Integer, Size> sizes;
    private final Map<String, Integer> open = new HashMap<>();
    private List<String> tokens = List.of();
    private int at;

    private CTypes(BtfBuilder types, Map<String, Integer> names, Map<Integer, Size> sizes) {
        this.types = types;
        this.names = names;
        this.sizes = sizes;
    }

    /** Returns the types of a kernel. */
    public static CTypes of(List<String> lines) {
        return new CTypes(new BtfBuilder(), new HashMap<>(), new HashMap<>()).read(lines);
    }

    /** Returns the types of a module, which may use the types of this kernel. */
    public CTypes split(List<String> lines) {
        return new CTypes(types.split(), new HashMap<>(names), new HashMap<>(sizes)).read(lines);
    }

    public BtfBuilder btf() {
        return types;
    }

    private CTypes read(List<String> lines) {
        tokens = new ArrayList<>();
        Matcher matcher = TOKEN.matcher(String.join("\n", lines));
        while (matcher.find()) {
            tokens.add(matcher.group());
        }
        while (at < tokens.size()) {
            declaration();
        }
        open.forEach((tag, type) -> {
            types.forward(tag.substring(tag.indexOf(' ') + 1), tag.startsWith("union"));
            types.fill(type);
        });
        return this;
    }

    private void declaration() {
        if (take("damaged")) {
            types.damage(Integer.decode(tokens.get(at)), Integer.decode(tokens.get(at + 1)));
            at += 2;
            return;
        }
        boolean named = take("typedef");
        take("extern");
        int type = specifier();
        if (take(";")) {
            return;
        }
        int start = at;
        Declared declared = declarator(type);
        boolean function = !named && tokens.get(start + stars(start) + 1).equals("(");
        if (named) {
            int typedef = types.typedef(declared.name(), declared.type());
            sizes.put(typedef, size(declared.type()));
            names.put(declared.name(), typedef);
        } else if (function) {
            types.function(declared.name(), declared.type());
        } else {
            types.raw(14, declared.name(), 0, declared.type(), 1);
        }
        expect(";");
    }

    private int stars(int from) {
        int count = 0;
        while (tokens.get(from + count).equals("*")) {
            count++;
        }
        return count;
    }

    private int specifier() {
        boolean constant = take("const");
        int type;
        if (tokens.get(at).equals("struct") || tokens.get(at).equals("union")) {
            type = composite(tokens.get(at++));
        } else if (take("enum")) {
            type = enumeration();
        } else {
            type = named();
        }
        return constant ? sized(types.constant(type), size(type)) : type;
    }

    private int named() {
        String name = tokens.get(at++);
        if (name.equals("unsigned")) {
            name += " " + tokens.get(at++);
        }
        Integer known = names.get(name);
        if (name.equals("void") || known != null) {
            return known == null ? 0 : known;
        }
        Integer bytes = NUMBERS.get(name);
        if (bytes == null) {
            throw new IllegalArgumentException("no such type: " + name);
        }
        boolean unsigned = name.startsWith("unsigned");
        int number = unsigned ? types.integer(name, bytes) : types.signed(name, bytes);
        if (name.equals("bool")) {
            number = types.truth(name);
        }
        int type = sized(number, new Size(bytes, bytes));
        names.put(name, type);
        return type;
    }

    /** Parses a struct or union. A type that is only named gets a number at once and is written when it is defined. */
    private int composite(String kind) {
        boolean packed = take("__packed");
        String name = tokens.get(at).equals("{") ? "" : tokens.get(at++);
        String tag = kind + " " + name;
        if (!take("{")) {
            return names.computeIfAbsent(tag, key -> {
                int type = types.reserve();
                open.put(tag, type);
                return type;
            });
        }
        Integer reserved = open.remove(tag);
        int type = reserved == null ? types.reserve() : reserved;
        if (!name.isEmpty()) {
            names.put(tag, type);
        }
        members(kind, packed, name, type);
        return type;
    }

    private void members(String kind, boolean packed, String name, int type) {
        List<Member> members = new ArrayList<>();
        boolean union = kind.equals("union");
        int end = 0;
        int align = 1;
        int largest = 0;
        while (!take("}")) {
            int of = specifier();
            Declared member = tokens.get(at).equals(";") ? new Declared("", of) : declarator(of);
            int width = take(":") ? Integer.parseInt(tokens.get(at++)) : 0;
            int least = aligned();
            expect(";");
            Size declared = size(member.type());
            Size size = new Size(declared.bytes(), Math.max(least, packed ? 1 : declared.align()));
            int unit = size.bytes() * Byte.SIZE;
            boolean fits = width != 0 && end % unit + width <= unit;
            int place = union ? 0 : fits ? end : up(end, size.align() * Byte.SIZE);
            members.add(new Member(member.name(), member.type(), place, width));
            end = place + (width == 0 ? unit : width);
            align = Math.max(align, size.align());
            largest = Math.max(largest, end);
        }
        int bytes = up(largest, align * Byte.SIZE) / Byte.SIZE;
        Member[] all = members.toArray(new Member[0]);
        if (union) {
            types.union(name, bytes, all);
        } else {
            types.struct(name, bytes, all);
        }
        types.fill(type);
        sizes.put(type, new Size(bytes, align));
    }

    private int aligned() {
        if (!take("__aligned")) {
            return 1;
        }
        expect("(");
        int bytes = Integer.parseInt(tokens.get(at++));
        expect(")");
        return bytes;
    }

    private static int up(int place, int multiple) {
        return (place + multiple - 1) / multiple * multiple;
    }

    private int enumeration() {
        String name = tokens.get(at).equals("{") ? "" : tokens.get(at++);
        if (!take("{")) {
            return names.getOrDefault("enum " + name, 0);
        }
        List<String> constants = new ArrayList<>();
        while (!take("}")) {
            constants.add(tokens.get(at++));
            take(",");
        }
        int type = sized(types.enumeration(name, constants.toArray(new String[0])), new Size(4, 4));
        names.put("enum " + name, type);
        return type;
    }

    private Declared declarator(int base) {
        int type = base;
        while (take("*")) {
            type = sized(types.pointer(type), new Size(POINTER_SIZE, POINTER_SIZE));
            if (take("const")) {
                type = sized(types.constant(type), new Size(POINTER_SIZE, POINTER_SIZE));
            }
        }
        if (tokens.get(at).equals("(") && tokens.get(at + 1).equals("*")) {
            int inside = at + 1;
            skipParentheses();
            int around = suffix(type);
            int end = at;
            at = inside;
            Declared declared = declarator(around);
            at = end;
            return declared;
        }
        String name = Character.isJavaIdentifierStart(tokens.get(at).charAt(0)) ? tokens.get(at++) : "";
        return new Declared(name, suffix(type));
    }

    private void skipParentheses() {
        int depth = 0;
        do {
            depth += tokens.get(at).equals("(") ? 1 : tokens.get(at).equals(")") ? -1 : 0;
            at++;
        } while (depth > 0);
    }

    private int suffix(int type) {
        if (take("[")) {
            int length = Integer.parseInt(tokens.get(at++));
            expect("]");
            int element = suffix(type);
            Size size = size(element);
            return sized(types.array(element, length), new Size(length * size.bytes(), size.align()));
        }
        if (!take("(")) {
            return type;
        }
        List<Member> parameters = new ArrayList<>();
        while (!take(")")) {
            if (take("...")) {
                parameters.add(new Member("", 0, 0));
            } else {
                Declared parameter = declarator(specifier());
                if (parameter.type() != 0) {
                    parameters.add(new Member(parameter.name(), parameter.type(), 0));
                }
            }
            take(",");
        }
        return types.prototype(type, parameters);
    }

    private int sized(int type, Size size) {
        sizes.put(type, size);
        return type;
    }

    private Size size(int type) {
        return sizes.getOrDefault(type, new Size(0, 1));
    }

    private boolean take(String token) {
        boolean found = at < tokens.size() && tokens.get(at).equals(token);
        at += found ? 1 : 0;
        return found;
    }

    private void expect(String token) {
        if (!take(token)) {
            throw new IllegalArgumentException(
                    "expected " + token + " behind " + String.join(" ", tokens.subList(0, at)));
        }
    }
}
