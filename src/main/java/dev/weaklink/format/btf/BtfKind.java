package dev.weaklink.format.btf;

/** A kind of type, in the order of the kernel's numbers (include/uapi/linux/btf.h). */
public enum BtfKind {
    VOID(0, 0),
    INT(4, 0),
    PTR(0, 0),
    ARRAY(12, 0),
    STRUCT(0, 12),
    UNION(0, 12),
    ENUM(0, 8),
    FWD(0, 0),
    TYPEDEF(0, 0),
    VOLATILE(0, 0),
    CONST(0, 0),
    RESTRICT(0, 0),
    FUNC(0, 0),
    FUNC_PROTO(0, 8),
    VAR(4, 0),
    DATASEC(0, 12),
    FLOAT(0, 0),
    DECL_TAG(4, 0),
    TYPE_TAG(0, 0),
    ENUM64(0, 12);

    private static final BtfKind[] ALL = values();

    private final int fixed;
    private final int each;

    BtfKind(int fixed, int each) {
        this.fixed = fixed;
        this.each = each;
    }

    /** Returns the kind with this number, or {@code VOID} if the number is unknown. */
    static BtfKind of(int number) {
        return number < ALL.length ? ALL[number] : VOID;
    }

    /** Returns the number of bytes that follow struct btf_type in a type of this kind with {@code members} members. */
    int trailing(int members) {
        return fixed + each * members;
    }

    public boolean isComposite() {
        return this == STRUCT || this == UNION;
    }

    public boolean isEnum() {
        return this == ENUM || this == ENUM64;
    }

    /** Returns whether the type only adds const, volatile, restrict or a tag to another type. */
    public boolean isQualifier() {
        return this == CONST || this == VOLATILE || this == RESTRICT || this == TYPE_TAG;
    }

    boolean hasTypedMembers() {
        return isComposite() || this == FUNC_PROTO;
    }

    /** Returns whether the last word of struct btf_type is the number of another type, not a size. */
    boolean refers() {
        return switch (this) {
            case PTR, TYPEDEF, FUNC, FUNC_PROTO, VAR, DECL_TAG -> true;
            default -> isQualifier();
        };
    }
}
