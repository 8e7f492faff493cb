package dev.weaklink.explain;

import dev.weaklink.btf.Btf;
import dev.weaklink.btf.BtfKind;

/**
 * What types come down to once typedefs, qualifiers and the names of numbers are left out: two
 * types of one shape are used alike by compiled code, which widens a number with a sign otherwise
 * than one without.
 */
final class Shapes {
  private static final int MAX_DEPTH = 16;

  /** BTF_INT_SIGNED of include/uapi/linux/btf.h, as it lies in the word of an int. */
  private static final int SIGNED = 1 << 24;

  private final Btf btf;

  Shapes(Btf btf) {
    this.btf = btf;
  }

  /** Text that is equal for types that lie alike in memory; all pointers do. */
  String inMemory(int type) {
    return shape(type, false, 0);
  }

  /** Text that is equal for types that also point to and take the same. */
  String inFull(int type) {
    return shape(type, true, 0);
  }

  /** A type without typedefs and qualifiers around it. */
  int bare(int type) {
    int bare = type;
    for (int i = 0; i < MAX_DEPTH; i++) {
      BtfKind kind = btf.kind(bare);
      if (kind != BtfKind.TYPEDEF && !kind.isQualifier()) {
        return bare;
      }
      bare = btf.type(bare);
    }
    return bare;
  }

  /** Whether a type without typedefs around it is a number that can be negative. */
  boolean isSigned(int bare) {
    return btf.kind(bare) == BtfKind.INT && (btf.trailingWord(bare) & SIGNED) != 0;
  }

  private String shape(int type, boolean full, int depth) {
    int bare = bare(type);
    BtfKind kind = btf.kind(bare);
    if (depth > MAX_DEPTH) {
      return "...";
    }
    return switch (kind) {
      case VOID -> "void";
      case INT, FLOAT, ENUM, ENUM64 ->
          (kind == BtfKind.FLOAT ? "float" : full && isSigned(bare) ? "signed" : "int")
              + btf.byteSize(bare);
      case PTR -> full ? "*" + shape(btf.type(bare), true, depth + 1) : "*";
      case ARRAY ->
          Integer.toUnsignedString(btf.length(bare))
              + "x"
              + shape(btf.element(bare), full, depth + 1);
      case FWD -> (btf.isForwardUnion(bare) ? "union " : "struct ") + btf.name(bare);
      case STRUCT, UNION -> composite(bare, kind, full, depth);
      case FUNC_PROTO -> prototype(bare, depth);
      default -> kind.name();
    };
  }

  private String composite(int type, BtfKind kind, boolean full, int depth) {
    String name = btf.name(type);
    if (!name.isEmpty()) {
      return TypeText.tag(kind) + " " + name;
    }
    StringBuilder text = new StringBuilder(TypeText.tag(kind)).append('{');
    for (int i = 0; i < btf.members(type) && text.length() < 1000; i++) {
      text.append(btf.bitOffset(type, i)).append(':').append(btf.bitWidth(type, i)).append(' ');
      text.append(shape(btf.memberType(type, i), full, depth + 1)).append(';');
    }
    return text.append('}').toString();
  }

  private String prototype(int type, int depth) {
    StringBuilder text = new StringBuilder(shape(btf.type(type), true, depth + 1)).append('(');
    for (int i = 0; i < btf.members(type) && text.length() < 1000; i++) {
      text.append(shape(btf.memberType(type, i), true, depth + 1)).append(',');
    }
    return text.append(')').toString();
  }
}
