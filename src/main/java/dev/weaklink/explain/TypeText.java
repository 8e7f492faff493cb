package dev.weaklink.explain;

import dev.weaklink.format.btf.Btf;
import dev.weaklink.format.btf.BtfKind;

/** Formats types as C declarations, as kernel headers write them. */
final class TypeText {
    /** The maximum length of a declaration in characters, because unnamed types can be nested without limit. */
    private static final int MAX_LENGTH = 400;

    private static final int MAX_WHOLE = 20_000;

    private static final int MAX_DEPTH = 24;

    private final Btf btf;
    private int limit = MAX_LENGTH;

    TypeText(Btf btf) {
        this.btf = btf;
    }

    String declaration(int type, String name) {
        return declare(type, name, 0);
    }

    String member(int type, String name, int width) {
        return declaration(type, name) + (width == 0 ? "" : ":" + width);
    }

    String prototype(int proto, String name) {
        return cut(declare(btf.type(proto), name + parameters(proto, 0), 0));
    }

    static String tag(BtfKind kind) {
        return switch (kind) {
            case STRUCT -> "struct";
            case UNION -> "union";
            case ENUM, ENUM64 -> "enum";
            case TYPEDEF -> "typedef";
            default -> "prototype";
        };
    }

    String whole(int type, String name) {
        limit = MAX_WHOLE;
        try {
            return declare(type, name, 0);
        } finally {
            limit = MAX_LENGTH;
        }
    }

    static String from(String text, int at) {
        int start = Math.max(0, at - MAX_LENGTH / 8);
        int end = Math.min(text.length(), start + MAX_LENGTH / 2);
        return (start == 0 ? "" : "...") + text.substring(start, end) + (end < text.length() ? "..." : "");
    }

    private String declare(int type, String inner, int depth) {
        BtfKind kind = btf.kind(type);
        if (depth > MAX_DEPTH || inner.length() > limit) {
            return cut("... " + inner);
        }
        return switch (kind) {
            case PTR -> pointer(type, inner, depth);
            case ARRAY -> declare(btf.element(type), inner + "[" + length(type) + "]", depth + 1);
            case FUNC_PROTO -> declare(btf.type(type), inner + parameters(type, depth), depth + 1);
            case CONST, VOLATILE, RESTRICT -> qualified(type, kind, inner, depth);
            case TYPE_TAG -> declare(btf.type(type), inner, depth + 1);
            default -> joined(base(type, kind, depth), inner);
        };
    }

    private String length(int type) {
        int length = btf.length(type);
        return length == 0 ? "" : Integer.toUnsignedString(length);
    }

    private String pointer(int type, String inner, int depth) {
        int to = btf.type(type);
        BtfKind kind = btf.kind(to);
        boolean grouped = kind == BtfKind.ARRAY || kind == BtfKind.FUNC_PROTO;
        return declare(to, grouped ? "(*" + inner + ")" : "*" + inner, depth + 1);
    }

    private String qualified(int type, BtfKind kind, String inner, int depth) {
        String word = kind == BtfKind.CONST ? "const" : kind == BtfKind.VOLATILE ? "volatile" : "restrict";
        BtfKind of = btf.kind(btf.type(type));
        if (of == BtfKind.PTR) {
            return declare(btf.type(type), joined(word, inner), depth + 1);
        }
        return word + " " + declare(btf.type(type), inner, depth + 1);
    }

    private String parameters(int proto, int depth) {
        int count = btf.members(proto);
        if (count == 0) {
            return "(void)";
        }
        StringBuilder text = new StringBuilder("(");
        for (int i = 0; i < count && text.length() < limit; i++) {
            text.append(i == 0 ? "" : ", ");
            int type = btf.memberType(proto, i);
            boolean variadic = type == 0 && i == count - 1;
            text.append(variadic ? "..." : declare(type, btf.memberName(proto, i), depth + 1));
        }
        return text.append(')').toString();
    }

    private String base(int type, BtfKind kind, int depth) {
        String name = btf.name(type);
        return switch (kind) {
            case VOID -> "void";
            case STRUCT, UNION, ENUM, ENUM64 ->
                name.isEmpty() ? tag(kind) + " " + body(type, kind, depth) : tag(kind) + " " + name;
            case FWD -> (btf.isForwardUnion(type) ? "union " : "struct ") + name;
            default -> name;
        };
    }

    private String body(int type, BtfKind kind, int depth) {
        StringBuilder text = new StringBuilder("{ ");
        for (int i = 0; i < btf.members(type) && text.length() < limit; i++) {
            if (kind.isComposite()) {
                text.append(declare(btf.memberType(type, i), btf.memberName(type, i), depth + 1));
                int width = btf.bitWidth(type, i);
                text.append(width == 0 ? "; " : ":" + width + "; ");
            } else {
                text.append(btf.memberName(type, i))
                        .append(" = ")
                        .append(btf.value(type, i))
                        .append(", ");
            }
        }
        return text.append('}').toString();
    }

    private static String joined(String type, String inner) {
        return inner.isEmpty() ? type : type + " " + inner;
    }

    private String cut(String text) {
        return text.length() <= limit ? text : text.substring(0, limit) + "...";
    }
}
