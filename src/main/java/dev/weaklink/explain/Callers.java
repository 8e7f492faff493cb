package dev.weaklink.explain;

import dev.weaklink.explain.KernelSide.Definition;
import dev.weaklink.format.btf.Btf;
import dev.weaklink.format.btf.BtfKind;
import dev.weaklink.loader.TypeChange.TypeChangeKind;

/**
 * Decides whether source code that calls a function still compiles after the function's prototype changed. C converts
 * between numbers implicitly, and a pointer's target may become const.
 */
final class Callers {
    private static final int MAX_DEPTH = 16;

    private final Btf before;
    private final Btf after;

    private Callers(Btf before, Btf after) {
        this.before = before;
        this.after = after;
    }

    static boolean fit(Definition old, Definition now) {
        Callers callers = new Callers(old.btf(), now.btf());
        int was = callers.before.type(old.type());
        boolean unused = kind(old.btf(), was) == BtfKind.VOID;
        return old.btf().members(old.type()) == now.btf().members(now.type())
                && (unused || callers.fits(was, now.btf().type(now.type()), 0))
                && callers.parameters(old.type(), now.type());
    }

    /**
     * Returns whether the new prototype has at most as many parameters as the old one, and accepts the same arguments
     * for them.
     */
    static boolean fitBeginning(Definition old, Definition now) {
        return new Callers(old.btf(), now.btf()).parameters(old.type(), now.type());
    }

    private boolean parameters(int old, int now) {
        int count = after.members(now);
        boolean fit = count <= before.members(old);
        for (int i = 0; fit && i < count; i++) {
            fit = fits(before.memberType(old, i), after.memberType(now, i), 0);
        }
        return fit;
    }

    private static BtfKind kind(Btf btf, int type) {
        return TypeComparison.bare(btf, type).kind();
    }

    private boolean fits(int old, int now, int depth) {
        TypeComparison.Bare was = TypeComparison.bare(before, old);
        TypeComparison.Bare is = TypeComparison.bare(after, now);
        if (depth > MAX_DEPTH) {
            return false;
        }
        if (was.kind() == BtfKind.PTR && is.kind() == BtfKind.PTR) {
            return pointees(before.type(was.type()), after.type(is.type()), depth + 1);
        }
        if (isComposite(was.kind()) && isComposite(is.kind())) {
            return sameName(was, is);
        }
        return was.kind() == is.kind() || isNumber(was.kind()) && isNumber(is.kind());
    }

    private boolean pointees(int old, int now, int depth) {
        TypeComparison.Bare was = TypeComparison.bare(before, old);
        TypeComparison.Bare is = TypeComparison.bare(after, now);
        if (was.kind() == BtfKind.VOID || is.kind() == BtfKind.VOID) {
            return true;
        }
        if (was.kind() == BtfKind.FUNC_PROTO && is.kind() == BtfKind.FUNC_PROTO) {
            return new TypeComparison(before, after)
                            .comparePrototypes(was.type(), is.type(), "")
                            .change()
                    == TypeChangeKind.SPELLING;
        }
        if (isNumber(was.kind()) && isNumber(is.kind())) {
            return before.byteSize(was.type()) == after.byteSize(is.type());
        }
        return fits(old, now, depth);
    }

    /**
     * Returns whether both types have the same name. Two types without a name count as equal, because functions seldom
     * have a parameter of such a type.
     */
    private boolean sameName(TypeComparison.Bare was, TypeComparison.Bare is) {
        return before.name(was.type()).equals(after.name(is.type()));
    }

    private static boolean isComposite(BtfKind kind) {
        return kind.isComposite() || kind == BtfKind.FWD;
    }

    private static boolean isNumber(BtfKind kind) {
        return kind == BtfKind.INT || kind == BtfKind.FLOAT || kind.isEnum();
    }
}
