package dev.weaklink.check;

import dev.weaklink.check.KeptImage.FoundCertificates;
import dev.weaklink.check.result.TargetSummary;
import dev.weaklink.kernel.ExportTable;
import dev.weaklink.kernel.LoaderBehavior;
import dev.weaklink.kernel.LoaderRule;
import dev.weaklink.kernel.TargetKernel;
import dev.weaklink.loader.ExportRowCache;
import dev.weaklink.loader.NeededModules;
import dev.weaklink.module.KernelModule;
import dev.weaklink.module.signature.CertificateFile.EncodedCertificate;
import dev.weaklink.sys.Root;
import dev.weaklink.system.FoundFile;
import dev.weaklink.system.TargetKind;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * A kernel on which modules can be judged.
 *
 * @param kernel the facts of the kernel
 * @param inbox the kernel's exports, without those in the symvers file of an OFED (a vendor's RDMA modules)
 * @param inTreeModules the kernel's own modules, null if they are not available
 * @param exportersListed true if {@code inbox} lists the exports of the kernel's in-tree modules, or if these modules
 *     are not available
 * @param images the image of the kernel and its copies
 * @param certificates the search for certificates in one of the images, null if no image was unpacked as a whole
 * @param summary the description of the target in reports
 */
public record CheckTarget(
        TargetKernel kernel,
        ExportTable inbox,
        @Nullable InTreeModules inTreeModules,
        boolean exportersListed,
        List<FoundFile> images,
        @Nullable FoundCertificates certificates,
        TargetSummary summary) {

    public TargetKind kind() {
        return summary.kind();
    }

    CheckTarget on(MachinePolicy machine) {
        LoaderBehavior rules = machine.applied(kernel.rules(), kernel.release());
        return new CheckTarget(
                kernel.with(rules), inbox, inTreeModules, exportersListed, images, certificates, summary.with(rules));
    }

    List<KernelModule> known(Collection<KernelModule> importing, ExportRowCache rows) {
        return inTreeModules == null ? List.of() : known(inTreeModules, importing, rows);
    }

    /**
     * Returns the kernel's own modules whose exports the given modules may need. If {@code inbox} lists the exports of
     * in-tree modules, these are only the out-of-tree modules. Otherwise, also returns the modules that {@code depends}
     * names, directly or through other modules. If an import still has no exporter, returns all of the kernel's own
     * modules.
     *
     * @param own the kernel's own modules, possibly without some files
     * @param importing the given modules
     */
    List<KernelModule> known(InTreeModules own, Collection<KernelModule> importing, ExportRowCache rows) {
        List<KernelModule> outOfTree = inTreeModules == null ? List.of() : inTreeModules.outOfTree();
        Set<String> names = new TreeSet<>();
        outOfTree.forEach(module -> names.add(module.origin().moduleName()));
        if (exportersListed) {
            return own.named(names);
        }
        List<KernelModule> asking = new ArrayList<>(own.named(names));
        asking.addAll(importing);
        names.addAll(own.dependencies(asking));
        List<KernelModule> read = own.named(names);
        asking.addAll(read);
        return NeededModules.areExported(kernel, asking, read, rows) ? read : own.all();
    }

    /**
     * Returns the keys that the target trusts. If the target may enforce signatures, the target's own modules are
     * verified too, because a refused module exports nothing.
     *
     * @param given see {@link TrustedKeys}
     * @param machine see {@link TrustedKeys}
     */
    TrustedKeys keys(List<EncodedCertificate> given, @Nullable Root machine) {
        return trusting(new TrustedKeys(this, given, machine));
    }

    /** Makes the target verify its own modules with these keys if it may enforce signatures. Returns the keys. */
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
