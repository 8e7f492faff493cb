package dev.weaklink.loader;

import dev.weaklink.kernel.LoaderRule;
import dev.weaklink.loader.FindingKind.Errno;

/**
 * The comparison of vermagic strings (check_modinfo, same_magic), byte for byte. If the module has {@code __versions}
 * and the kernel has modversions, the kernel release before the first blank is ignored.
 */
final class VermagicStep {
    private VermagicStep() {}

    static void apply(VerdictBuilder j) {
        if (j.rules().is(LoaderRule.VERMAGIC, "no")) {
            return;
        }
        String module = j.modInfo().first("vermagic");
        if (module == null) {
            missing(j);
            return;
        }
        String target = j.target().vermagic();
        if (target == null) {
            j.uncheck(Layer.VERMAGIC);
            return;
        }
        boolean skipRelease = j.module().versions() != null && j.rules().is(LoaderRule.MODVERSIONS, "yes");
        boolean same = skipRelease ? flags(target).equals(flags(module)) : target.equals(module);
        if (!same) {
            j.add(new Finding(
                    FindingKind.VERMAGIC_MISMATCH,
                    Finding.Effect.REFUSES,
                    Errno.ENOEXEC,
                    null,
                    module,
                    target,
                    null,
                    j.infoName() + ": version magic '" + module + "' should be '" + target + "'",
                    skipRelease
                            ? "built for a kernel with other vermagic flags"
                            : "built for another kernel: without symbol versions, the whole version magic must be"
                                    + " equal"));
        }
    }

    private static String flags(String vermagic) {
        return vermagic.substring(release(vermagic).length());
    }

    static String release(String vermagic) {
        int blank = vermagic.indexOf(' ');
        return blank < 0 ? vermagic : vermagic.substring(0, blank);
    }

    private static void missing(VerdictBuilder j) {
        if (j.rule(LoaderRule.FORCE_LOAD, "yes")) {
            j.note(
                    FindingKind.VERMAGIC_MISSING,
                    null,
                    j.infoName() + ": bad vermagic: kernel tainted.",
                    "no vermagic; this kernel accepts that, and is tainted (CONFIG_MODULE_FORCE_LOAD)");
        } else {
            j.refuse(FindingKind.VERMAGIC_MISSING, null);
        }
    }
}
