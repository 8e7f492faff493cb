package dev.weaklink.dist;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.weaklink.testing.Compression;
import dev.weaklink.testing.ExportFormat;
import dev.weaklink.testing.Machine;
import dev.weaklink.testing.ModuleBuilder;
import dev.weaklink.testing.ModuleSpec;
import dev.weaklink.testing.TreeBuilder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Writes a directory tree that looks like a node. */
final class NodeTree {
    static final String OLD = "5.14.0-1.x86_64";
    static final String NEW = "5.14.0-2.x86_64";

    private final Path root;
    private final TreeBuilder tree;

    NodeTree(Path root) {
        this.root = root;
        this.tree = TreeBuilder.in(root);
    }

    /** Returns a module with all facts that weaklink-collect reports. */
    static ModuleBuilder alpha() {
        return ModuleBuilder.typical(Machine.X86_64, "alpha")
                .withoutModInfo("depends")
                .modInfo("depends=one,two")
                .modInfo("version=1 \"beta\"")
                .modInfo("srcversion=ABCDEF")
                .importing("kfree", 0xbeef)
                .exporting("alpha_do", ModuleSpec.Export.Table.NORMAL, 7)
                .exporting("a_first", ModuleSpec.Export.Table.GPL, 0x80000001)
                // kmod finds CRCs by the symbols that name them
                .exportFormat(new ExportFormat(
                        ExportFormat.Fields.RELATIVE_3,
                        ExportFormat.Crcs.ABSOLUTE_32,
                        ExportFormat.References.SECTION_SYMBOL,
                        ExportFormat.NoNamespace.ZERO,
                        false));
    }

    /** Writes a node with two kernels and everything that weaklink-collect reports. */
    void fill() throws IOException {
        tree.module(OLD, "extra/a/alpha.ko", alpha());
        tree.weakLink(NEW, "weak-updates/a/alpha.ko", OLD, "extra/a/alpha.ko");
        byte[] beta = ModuleBuilder.typical(Machine.X86_64, "beta").build();
        tree.module(NEW, "extra/beta.ko", beta, Compression.NONE);
        tree.module(
                NEW,
                "updates/gamma.ko",
                ModuleBuilder.minimal(Machine.X86_64, "gamma").modInfo("vermagic=x"));
        text(
                "lib/modules/" + NEW + "/modules.dep",
                "weak-updates/a/alpha.ko: kernel/x.ko\nextra/beta.ko:\nkernel/updates/gamma.ko:\n");
        text("proc/sys/kernel/hostname", "cn001\n");
        text("proc/sys/kernel/osrelease", NEW + "\n");
        text("sys/kernel/security/lockdown", "none [integrity] confidentiality\n");
        text("sys/module/module/parameters/sig_enforce", "Y\n");
        text("sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c", "\6\0\0\0\1");
        loaded("alpha", "INBOX", "");
        loaded("ext4", "EXT4", "");
        loaded("zfs", "ELSE", "POE");
        makeProducts();
    }

    private void makeProducts() throws IOException {
        text("var/lib/dkms/zfs/2.1/" + NEW + "/x86_64/module/zfs.ko", "");
        text("var/lib/dkms/knem/1.1/source/dkms.conf", "");
        text("var/lib/dkms/zfs/2.1/source/dkms.conf", "");
        Files.createSymbolicLink(
                root.resolve("var/lib/dkms/zfs/kernel-" + NEW + "-x86_64"), Path.of("2.1/" + NEW + "/x86_64"));
        text(
                "usr/bin/ofed_info",
                "#!/bin/bash\nif [ \"$1\" == \"-s\" ]; then\n  echo MLNX_OFED_LINUX-5.8-1.1.2.1:\nfi\n");
        text(
                "var/lib/dpkg/status",
                stanza("zfs-dkms", "install ok installed", "all", "2.1")
                        + stanza("mlnx-tools", "deinstall ok config-files", "all", "5")
                        + stanza("alpha-kernel", "install ok installed", "amd64", "2:1.0")
                        + stanza("bash", "install ok installed", "amd64", "5.2"));
        text("var/lib/dpkg/info/alpha-kernel:amd64.list", "/lib/modules/" + OLD + "/extra/a/alpha.ko\n");
        text("var/lib/dpkg/info/bash.list", "/bin/bash\n");
    }

    private static String stanza(String name, String status, String arch, String version) {
        return "Package: %s\nStatus: %s\nArchitecture: %s\nVersion: %s\n\n".formatted(name, status, arch, version);
    }

    private void loaded(String name, String srcversion, String taint) {
        text("sys/module/" + name + "/initstate", "live\n");
        text("sys/module/" + name + "/srcversion", srcversion + "\n");
        text("sys/module/" + name + "/taint", taint + "\n");
    }

    void text(String path, String content) {
        tree.file(path, content.getBytes(UTF_8));
    }
}
