package dev.weaklink.loader;

import dev.weaklink.kernel.ExportTable;
import dev.weaklink.kernel.LoaderRule;
import dev.weaklink.kernel.TargetKernel;
import dev.weaklink.module.KernelModule;
import dev.weaklink.module.SymbolNames;
import java.util.Set;

/** Decides whether the loader refuses a module on a target kernel whatever other modules are installed. */
public final class StandaloneVerdict {
    private static final Set<Layer> OF_OTHERS = Set.of(
            Layer.SYMBOL_MISSING,
            Layer.SYMBOL_GPL_ONLY,
            Layer.SYMBOL_CRC,
            Layer.SYMBOL_VERSION,
            Layer.NAMESPACE,
            Layer.DEPENDENCY,
            Layer.LICENSE,
            Layer.DUPLICATE_EXPORT);

    private final TargetKernel target;
    private final ExportRowCache rows;

    public StandaloneVerdict(TargetKernel target, ExportRowCache rows) {
        this.target = target;
        this.rows = rows;
    }

    private static boolean dependsOnOthers(Layer layer) {
        return OF_OTHERS.contains(layer);
    }

    /**
     * Returns whether the verdict on a module stays unacceptable whatever other modules are installed.
     *
     * @param acceptUndetermined true if an undetermined verdict is acceptable
     */
    public boolean isHopeless(Verdict verdict, boolean acceptUndetermined) {
        if (verdict.isAcceptable(acceptUndetermined)) {
            return false;
        }
        for (Finding finding : verdict.findings()) {
            boolean counts = finding.effect() == Finding.Effect.REFUSES
                    || (finding.effect() == Finding.Effect.UNPROVEN && !acceptUndetermined);
            if (counts && (!dependsOnOthers(finding.layer()) || isOfVmlinux(finding, verdict.module()))) {
                return true;
            }
        }
        return false;
    }

    private boolean isOfVmlinux(Finding finding, KernelModule module) {
        boolean vmlinux = "vmlinux".equals(finding.exporter());
        return switch (finding.layer()) {
            case SYMBOL_VERSION, NAMESPACE -> vmlinux;
            case SYMBOL_CRC -> vmlinux || (finding.symbol() == null && isBlind(module));
            case SYMBOL_GPL_ONLY -> vmlinux && isProprietary(module);
            case DUPLICATE_EXPORT -> "kernel".equals(finding.exporter());
            default -> false;
        };
    }

    private boolean isProprietary(KernelModule module) {
        return License.isProprietary(new VerdictBuilder(module, target).modInfo(), module.name());
    }

    /**
     * Returns whether the module imports a symbol of vmlinux that the loader would accept without comparing CRCs. For a
     * module without imports, returns whether the kernel has no modversions.
     */
    private boolean isBlind(KernelModule module) {
        ExportTable kernel = target.exports();
        SymbolNames names = module.imports().names();
        int[] found = rows.of(module);
        if (found.length == 0 && !target.rules().is(LoaderRule.MODVERSIONS, "yes")) {
            return true;
        }
        VerdictBuilder scratch = new VerdictBuilder(module, target);
        VersionCheck versions = new VersionCheck();
        versions.reset(scratch);
        for (int i = 0; i < found.length; i++) {
            if (found[i] >= 0
                    && kernel.isVmlinux(found[i])
                    && (!kernel.hasCrc(found[i])
                            || !target.rules().is(LoaderRule.MODVERSIONS, "yes")
                            || versions.check(scratch, names, i, found[i], kernel.crc(found[i]), "", false)
                                    == VersionCheck.CrcMatch.ACCEPTED_BLINDLY)) {
                return true;
            }
        }
        return false;
    }
}
