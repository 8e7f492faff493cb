package dev.weaklink.testing;

import dev.weaklink.testing.KernelSpec.Export;
import dev.weaklink.testing.ModuleSpec.Export.Table;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * Two kernels whose images have the certificate of the key that their own modules are signed with, and modules of the
 * older one below a directory: one that is not signed, one signed with that key, one with another.
 */
public final class SignedKernels {
    /** The kernel that modules were built for. */
    public static final String OLD = "6.1.0-7-test";

    /** The kernel that they are to be linked on. */
    public static final String NEW = "6.1.0-8-test";

    /** The key that both kernels trust. */
    public static final SigningKey BUILD = SigningKey.rsa("build key");

    /** A key that they do not know by themselves. */
    public static final SigningKey OTHER = SigningKey.rsa("somebody else");

    /** A module of each kernel's own that exports {@link #SERVICE}, signed with its key. */
    public static final String OWN = "own";

    /** What {@link #OWN} exports. */
    public static final String SERVICE = "service";

    private SignedKernels() {}

    /**
     * Installs both kernels and the three modules.
     *
     * @param place where the modules go, {@code extra} or {@code updates/…}
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

    /** Writes one more module of the older kernel. */
    public static void add(TreeBuilder root, String place, String name, byte[] module) {
        root.module(OLD, place + "/" + name + ".ko", module, Compression.NONE);
    }

    /** A module for the older kernel, to be signed or not. */
    public static ModuleBuilder built(String name) {
        return module(name, OLD);
    }

    /** A tree that looks like a running machine under lockdown. */
    public static TreeBuilder lockedDown(TreeBuilder machine) {
        return machine.file("sys/kernel/security/lockdown", bytes("none [integrity] confidentiality\n"));
    }

    /** The {@link #OWN} of a kernel, not signed yet. */
    public static byte[] own(String release) {
        return module(OWN, release).exporting(SERVICE, Table.NORMAL, 1).build();
    }

    /** A module for a kernel, not signed yet. */
    public static ModuleBuilder module(String name, String release) {
        return ModuleBuilder.typical(Machine.X86_64, name)
                .withoutModInfo("vermagic")
                .modInfo("vermagic=" + release + " SMP mod_unload modversions ");
    }

    /** A kernel that verifies signatures, with the certificate of one key in it. */
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
