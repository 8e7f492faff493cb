package dev.weaklink.fleet.intake;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The inventory of a node as {@code weaklink.node/1} reports it, without the node's name, so that alike nodes have
 * equal inventories. Strings are not escaped.
 *
 * @param running the release of the running kernel; null for a root directory without a running system
 * @param kernels the module directories of kernels
 * @param modules the out-of-tree module files
 * @param loaded the loaded modules that are out-of-tree, or that have the name of a file in {@code modules}
 * @param dkms the builds of all DKMS packages; a package without builds has one entry
 * @param trials the results of trial builds from the sources that the node still has
 * @param packages the packages that contain modules, or belong to a product with modules
 * @param ofed the product and version that {@code ofed_info -s} prints; null if not reported
 * @param policy the running kernel's policy for modules that the kernel cannot trust
 * @param userspace the RDMA libraries; null if they were not checked
 * @param unread the number of items that the node itself could not read
 */
public record NodeInventory(
        @Nullable String running,
        List<NodeKernel> kernels,
        List<Module> modules,
        List<RunningModule> loaded,
        List<Dkms> dkms,
        List<NodeTrial> trials,
        List<Package> packages,
        @Nullable String ofed,
        NodePolicy policy,
        @Nullable Userspace userspace,
        int unread) {

    public NodeInventory {
        kernels = List.copyOf(kernels);
        modules = List.copyOf(modules);
        loaded = List.copyOf(loaded);
        dkms = List.copyOf(dkms);
        trials = List.copyOf(trials);
        packages = List.copyOf(packages);
    }

    /**
     * The module directory of a kernel.
     *
     * @param installed false if the directory contains only out-of-tree modules
     */
    public record NodeKernel(String release, boolean installed) {}

    /**
     * A module file. Facts that the node does not report are null.
     *
     * @param kernel the kernel whose directory contains the file
     * @param path the path inside the node's root directory
     * @param used whether the kernel's modules.dep lists the file
     * @param link the target as written, if the file is a symbolic link, else null
     * @param file the final target of the link; null if the link dangles, or if the file is not a link
     * @param digest the digest of the file, such as {@code sha256:…}
     * @param crcs the digest of the table of symbol versions
     */
    public record Module(
            String kernel,
            String name,
            String path,
            @Nullable Boolean used,
            @Nullable String link,
            @Nullable String file,
            @Nullable String digest,
            @Nullable String version,
            @Nullable String srcversion,
            @Nullable String vermagic,
            @Nullable Signature signature,
            @Nullable String crcs) {
        public boolean isDangling() {
            return link != null && file == null;
        }
    }

    /**
     * The signature of a module, as kmod reports it.
     *
     * @param kind the kind of signature, such as {@code PKCS#7}; {@code none} for an unsigned module
     * @param signer the common name, null if not reported
     * @param key a certificate's serial number or a key's identifier, such as {@code 66:F5:4E}; null if not reported
     */
    public record Signature(
            String kind, @Nullable String signer, @Nullable String key) {}

    /**
     * A build of a DKMS package, or a DKMS package without builds.
     *
     * @param module the package's name
     * @param builds the names of the modules of this build, separated by blanks; null if not built or not reported
     * @param source the digest of the source and the compiler; null if not reported
     */
    public record Dkms(
            String module,
            String version,
            @Nullable String builds,
            @Nullable String source) {}

    /**
     * The result of a trial build.
     *
     * @param product the DKMS package as {@code NAME/VERSION}
     * @param kernel the release of the kernel that was built for
     * @param result the id of the result, as the node's version of weaklink names it
     * @param line the reason of a failure, such as the compiler's first error; null if there is none
     * @param day the day of the build, such as {@code 2026-11-26}
     * @param source the digest of the source and the compiler
     */
    public record NodeTrial(
            String product,
            String kernel,
            String result,
            @Nullable String line,
            String day,
            String source) {}

    public record Package(String name, String version) {}

    /**
     * The RDMA libraries of a node, as weaklink on the node checked them.
     *
     * @param library the libibverbs that programs load; null if there is none
     */
    public record Userspace(@Nullable String library, List<LibraryFinding> findings) {
        public Userspace {
            findings = List.copyOf(findings);
        }
    }

    /**
     * A defect of RDMA libraries.
     *
     * @param id the id of the kind of finding, as the node's version of weaklink names it
     * @param subject the libibverbs provider, library, file or device concerned
     * @param packages the packages of the files, with versions; empty if unknown
     */
    public record LibraryFinding(String id, String subject, String detail, String packages) {}

    /**
     * A module in the running kernel.
     *
     * @param taint the taint flags, such as {@code OE}; null if there are none, or if they are not reported
     */
    public record RunningModule(
            String name,
            @Nullable String srcversion,
            @Nullable String taint) {}
}
