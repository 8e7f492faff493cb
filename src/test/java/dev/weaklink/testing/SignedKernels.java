package dev.weaklink.testing;

import dev.weaklink.testing.KernelSpec.Export;
import dev.weaklink.testing.ModuleSpec.Export.Table;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * Two kernels with signed modules. The images contain the certificate of the key that signed the kernels' own modules.
 * The older kernel has three more modules: an unsigned module, a module signed with that key, and a module signed with
 * another key.
 */
public final class SignedKernels {
    /** The kernel for which the modules were built. */
    public static final String OLD = "6.1.0-7-test";

    /** The kernel on which the modules are linked. */
    public static final String NEW = "6.1.0-8-test";

    /** The key that both kernels trust. */
    public static final SigningKey BUILD = SigningKey.rsa("build key");

    /** A key that neither kernel trusts by default. */
    public static final SigningKey OTHER = SigningKey.rsa("somebody else");

    /**
     * The name of an in-tree module of each kernel, which exports {@link #SERVICE} and is signed with the kernel's key.
     */
    public static final String OWN = "own";

    /** The symbol that {@link #OWN} exports. */
    public static final String SERVICE = "service";

    private SignedKernels() {}

    /**
     * Installs both kernels and the three modules.
     *
     * @param place the directory of the modules, {@code extra} or {@code updates/…}
     */
    public static void install(TreeBuilder root, String place) {
        for (String release : List.of(OLD, NEW)) {
            root.file("boot/vmlinuz-" + release, image(release, BUILD))
                    .module(release, "kernel/own.ko", BUILD.sign(own(release)), Compression.NONE)
                    .modulesOrder(release, List.of("kernel/own.ko"))
                    .builtin(release, List.of());
        }
        add(root, place, "plain", built("plain").build());
        add(root, place, "trusted", BUILD.sign(built("trusted").build()));
        add(root, place, "foreign", OTHER.sign(built("foreign").build()));
    }

    /** Adds a module of the older kernel. */
    public static void add(TreeBuilder root, String place, String name, byte[] module) {
        root.module(OLD, place + "/" + name + ".ko", module, Compression.NONE);
    }

    /** Returns an unsigned module for the older kernel. */
    public static ModuleBuilder built(String name) {
        return module(name, OLD);
    }

    /** Makes the tree look like a running machine under lockdown. */
    public static TreeBuilder lockedDown(TreeBuilder machine) {
        return machine.file("sys/kernel/security/lockdown", bytes("none [integrity] confidentiality\n"));
    }

    /** Returns the unsigned {@link #OWN} of a kernel. */
    public static byte[] own(String release) {
        return module(OWN, release).exporting(SERVICE, Table.NORMAL, 1).build();
    }

    /** Returns an unsigned module for a kernel. */
    public static ModuleBuilder module(String name, String release) {
        return ModuleBuilder.typical(Machine.X86_64, name)
                .withoutModInfo("vermagic")
                .modInfo("vermagic=" + release + " SMP mod_unload modversions ");
    }

    /** Returns the image of a kernel that verifies signatures and contains the certificate of one key. */
    public static byte[] image(String release, SigningKey key) {
        KernelSpec kernel = KernelSpec.of(Machine.X86_64)
                .released(release)
                .exporting(List.of(new Export("module_layout", false, 0x11223344, "")))
                .saying(List.of(
                        "%s: no symbol version for %s",
                        "%s: module verification failed: signature and/or required key missing",
                        "%s: PKCS#7 signature info has unexpected non-zero params",
                        "version magic '%s' should be '%s'"));
        byte[] unpacked = Payloads.concat(KernelWriter.elf(kernel, true), new byte[5], key.certificate());
        return Payloads.bzImage(Packing.GZIP.packWithSize(unpacked));
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }
}
