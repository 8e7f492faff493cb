package dev.weaklink.check;

import dev.weaklink.check.result.TargetSummary;
import dev.weaklink.kernel.ExportTable;
import dev.weaklink.kernel.LoaderBehavior;
import dev.weaklink.kernel.LoaderRule;
import dev.weaklink.kernel.TargetKernel;
import dev.weaklink.module.KernelModule;
import dev.weaklink.module.signature.CertificateFile.EncodedCertificate;
import dev.weaklink.sys.Root;
import dev.weaklink.system.FoundFile;
import dev.weaklink.system.TargetKind;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A target on which modules can be judged.
 *
 * @param kernel the facts of the kernel
 * @param inbox the exports in the kernel's own symvers file or image, without the exports of an OFED (a vendor's RDMA
 *     modules)
 * @param inTreeModules the kernel's own modules, null if they are not available
 * @param known the kernel's own modules that were read because no other source lists their exports
 * @param images the image of the kernel and its copies
 * @param summary the description of the target in reports
 */
public record CheckTarget(
        TargetKernel kernel,
        ExportTable inbox,
        @Nullable InTreeModules inTreeModules,
        List<KernelModule> known,
        List<FoundFile> images,
        TargetSummary summary) {

    public TargetKind kind() {
        return summary.kind();
    }

    CheckTarget on(MachinePolicy machine) {
        LoaderBehavior rules = machine.applied(kernel.rules(), kernel.release());
        return new CheckTarget(kernel.with(rules), inbox, inTreeModules, known, images, summary.with(rules));
    }

    /**
     * Returns the keys that the target trusts. If the target may enforce signatures, its own modules are verified too,
     * because a refused module exports nothing.
     *
     * @param given see {@link TrustedKeys}
     * @param machine see {@link TrustedKeys}
     */
    TrustedKeys keys(List<EncodedCertificate> given, @Nullable Root machine) {
        return trusting(new TrustedKeys(this, given, machine));
    }

    /**
     * Returns the given keys. If the target may enforce signatures, its own modules are verified with these keys when
     * they are read for a verdict.
     */
    TrustedKeys trusting(TrustedKeys keys) {
        if (inTreeModules != null && insistsOnSignatures()) {
            inTreeModules.trust(keys);
        }
        return keys;
    }

    boolean insistsOnSignatures() {
        return !kernel.rules().is(LoaderRule.SIGNATURE_POLICY, "permissive");
    }
}
