package dev.weaklink.check;

import dev.weaklink.check.result.TargetSummary;
import dev.weaklink.kernel.ExportTable;
import dev.weaklink.kernel.LoaderRule;
import dev.weaklink.kernel.LoaderRules;
import dev.weaklink.kernel.TargetKernel;
import dev.weaklink.module.KernelModule;
import dev.weaklink.module.signature.CertificateFile.EncodedCertificate;
import dev.weaklink.sys.Root;
import dev.weaklink.system.FoundFile;
import dev.weaklink.system.TargetKind;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A target ready to be judged on.
 *
 * @param kernel what it offers
 * @param inbox what its own symvers or image exports, without the exports of an OFED
 * @param natives its own modules, null where only a symvers file is known
 * @param known own modules that have been read because nothing else says what they export
 * @param images the kernel itself, wherever it may be found
 * @param summary what is said of it in reports
 */
public record OpenTarget(
        TargetKernel kernel,
        ExportTable inbox,
        @Nullable NativeModules natives,
        List<KernelModule> known,
        List<FoundFile> images,
        TargetSummary summary) {

    public TargetKind kind() {
        return summary.kind();
    }

    /** The same, as a machine with this policy about signatures runs it. */
    OpenTarget on(MachinePolicy machine) {
        LoaderRules rules = machine.applied(kernel.rules(), kernel.release());
        return new OpenTarget(kernel.with(rules), inbox, natives, known, images, summary.with(rules));
    }

    /**
     * The keys it trusts. Where it insists on signatures, those of its own modules are held against them, too: one that
     * is refused is not there for others.
     *
     * @param given as for {@link TargetKeys}, and so is the other
     */
    TargetKeys keys(List<EncodedCertificate> given, @Nullable Root machine) {
        return trusting(new TargetKeys(this, given, machine));
    }

    /** With keys that are known already. */
    TargetKeys trusting(TargetKeys keys) {
        if (natives != null && insistsOnSignatures()) {
            natives.trust(keys);
        }
        return keys;
    }

    /** Whether a module that is not signed by one of its keys is refused. */
    boolean insistsOnSignatures() {
        return !kernel.rules().is(LoaderRule.SIGNATURE_POLICY, "permissive");
    }
}
