package dev.weaklink.fleet.intake;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What one node has, as {@code weaklink.node/1} reports it, without the node's name: equal nodes are equal. Texts are
 * as they came and not escaped.
 *
 * @param running release of the running kernel; null for an image
 * @param kernels directories of kernels' modules
 * @param modules files below extra, updates and weak-updates
 * @param loaded modules in the running kernel
 * @param dkms what DKMS knows
 * @param packages those that bring modules, or belong to a product that does
 * @param ofed product and version, as {@code ofed_info -s} prints them
 * @param policy what the running kernel does with modules that it cannot trust
 * @param userspace RDMA's libraries; null if they were not looked at
 * @param unread how many things the node itself could not read
 */
public record NodeInventory(
        @Nullable String running,
        List<Kernel> kernels,
        List<Module> modules,
        List<Loaded> loaded,
        List<Dkms> dkms,
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
        packages = List.copyOf(packages);
    }

    /**
     * A kernel's directory.
     *
     * @param installed false for one that only holds modules that were added
     */
    public record Kernel(String release, boolean installed) {}

    /**
     * A module's file.
     *
     * @param kernel whose directory it lies in
     * @param path as seen from inside the node's root
     * @param used whether the kernel's modules.dep lists it; null where unknown
     * @param link what is written in the symbolic link, if it is one
     * @param file where that link leads; null if that is nothing
     * @param digest of the file, such as {@code sha256:…}
     * @param signature null if nothing is reported of it
     * @param crcs digest of its table of symbol versions
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
        /** Whether it is a symbolic link that leads nowhere. */
        public boolean isDangling() {
            return link != null && file == null;
        }
    }

    /**
     * Who signed a module, as kmod reports it.
     *
     * @param kind such as {@code PKCS#7}; {@code none} if it is not signed
     * @param signer a common name, null if not reported
     * @param key a certificate's serial number or a key's identifier, such as {@code 66:F5:4E}; null if not reported
     */
    public record Signature(
            String kind, @Nullable String signer, @Nullable String key) {}

    /**
     * Sources that DKMS builds from.
     *
     * @param module its package
     */
    public record Dkms(String module, String version) {}

    /** An installed package. */
    public record Package(String name, String version) {}

    /**
     * What weaklink found on the node itself.
     *
     * @param library the libibverbs that programs load; null if there is none
     */
    public record Userspace(@Nullable String library, List<LibraryFinding> findings) {
        public Userspace {
            findings = List.copyOf(findings);
        }
    }

    /**
     * Something wrong with RDMA's libraries.
     *
     * @param id of the kind of finding, as the node's weaklink knows it
     * @param subject the provider, library, file or device it is about
     * @param packages of the files it is about, with versions; empty if unknown
     */
    public record LibraryFinding(String id, String subject, String detail, String packages) {}

    /**
     * A module in the running kernel.
     *
     * @param taint such as {@code OE}; null if there is none
     */
    public record Loaded(
            String name,
            @Nullable String srcversion,
            @Nullable String taint) {}
}
