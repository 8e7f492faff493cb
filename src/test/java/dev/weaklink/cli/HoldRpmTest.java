package dev.weaklink.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;

import dev.weaklink.system.offers.RpmMetadata;
import dev.weaklink.testing.Compression;
import dev.weaklink.testing.Machine;
import dev.weaklink.testing.ModuleBuilder;
import dev.weaklink.testing.Packing;
import dev.weaklink.testing.TreeBuilder;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The reading of metadata of rpm repositories. The cases of commands cover the held kernels. */
class HoldRpmTest {
    private static final String OLD = "5.14.0-8.el9.x86_64";
    private static final String NEW = "5.14.0-9.el9.x86_64";

    @TempDir
    Path root;

    private TreeBuilder tree;

    @BeforeEach
    void install() throws IOException {
        tree = TreeBuilder.in(root);
        tree.module(OLD, "kernel/own.ko", module("own").build(), Compression.NONE);
        install(module("acme").importing("_printk", 5));
        Files.createDirectories(root.resolve("etc/weaklink"));
        Files.writeString(root.resolve("etc/weaklink/weaklink.conf"), "hold = yes\n");
    }

    private static ModuleBuilder module(String name) {
        return ModuleBuilder.typical(Machine.X86_64, name)
                .withoutModInfo("vermagic")
                .modInfo("vermagic=" + OLD + " SMP mod_unload modversions ");
    }

    private void install(ModuleBuilder module) throws IOException {
        tree.module(OLD, "extra/acme.ko", module.build(), Compression.NONE);
    }

    private static RpmMetadata kernel(String... exports) {
        return new RpmMetadata().kernel(NEW, RpmMetadata.many(exports));
    }

    private WholeRun hold(String... more) {
        List<String> words = new ArrayList<>(List.of("hold", "--root", root.toString()));
        words.addAll(List.of(more));
        return WholeRun.of(words.toArray(new String[0]));
    }

    @Test
    void hostileMetadataIsRefusedInBoundedMemoryAndHoldsNothing() throws IOException {
        String good = kernel("kernel(_printk) = 0x6").primary();
        String laughs = "<!DOCTYPE x [<!ENTITY a \"ha\"><!ENTITY b \"&a;&a;\">]>\n";
        String huge = "x".repeat(200_000);
        for (String bad : List.of(
                good.replace("<metadata", laughs + "<metadata"),
                good.replace("_printk", huge),
                good.replace("<summary>", "<a>".repeat(100) + "<summary>"),
                good.substring(0, good.length() / 2),
                good.replace("<metadata", "<html").replace("</metadata", "</html"),
                good.replace("<summary>", "<summary <x>"),
                "",
                "<")) {
            RpmMetadata.write(root, bad.getBytes(StandardCharsets.UTF_8), "primary.xml");
            WholeRun run = hold();
            assertThat(run.status()).as(bad).isEqualTo(3);
            assertThat(run.messages()).hasSize(1).allMatch(line -> line.endsWith("; repository not used"));
        }
        for (String name : List.of("../kernel-core", "kernel core", "kernel-core*", "kernel-core\u001b")) {
            RpmMetadata.write(
                    root,
                    good.replace(">kernel-core<", ">" + name + "<").getBytes(StandardCharsets.UTF_8),
                    "primary.xml");
            assertThat(hold("-q").status()).as(name).isNotEqualTo(1);
        }
        RpmMetadata.write(
                root,
                good.replace("<summary>", "<!-- > - <x> -->" + huge + "<![CDATA[<]]]>" + huge + "<summary>")
                        .getBytes(StandardCharsets.UTF_8),
                "primary.xml");
        assertThat(hold("-q").status()).isEqualTo(1);
    }

    @Test
    void holdsNothingIfDnf5HasNoPluginForIt() throws IOException {
        kernel("kernel(_printk) = 0x6").write(root);
        assertThat(hold().out()).contains("\nheld:\n");
        tree.file("usr/bin/dnf5", new byte[0]);

        WholeRun run = hold();

        assertThat(run.status()).isEqualTo(4);
        assertThat(run.out()).contains("\nwould be held:\n");
        assertThat(run.messages())
                .containsExactly("dnf5: no kernel is held, because dnf5 needs libdnf5-plugin-actions; run"
                        + " 'dnf5 install libdnf5-plugin-actions', then: weaklink hold");
        assertThat(root.resolve("var/lib/weaklink/hold.json")).doesNotExist();
        assertThat(WholeRun.of("status", "--root", root.toString()).out()).doesNotContain("is held");

        tree.file("usr/lib64/libdnf5/plugins/actions.so", new byte[0]);
        assertThat(hold().out()).contains("\nheld:\n");
    }

    @Test
    void doesNotRequireAWeakImport() throws IOException {
        install(module("acme").importing("_printk", true));
        kernel().kernel(OLD, RpmMetadata.many("kernel(_printk) = 0x5")).write(root);
        assertThat(hold("-q").status()).isZero();
        install(module("acme").importing("_printk", 5));
        assertThat(hold("-q").status()).isEqualTo(1);
    }

    @Test
    void refusesOnlyByTheLayoutIfModulesAreUnreadable() throws IOException {
        Path large = root.resolve("lib/modules/" + OLD + "/extra/large.ko");
        try (RandomAccessFile file = new RandomAccessFile(large.toFile(), "rw")) {
            file.setLength(1L << 30);
        }
        kernel("kernel(_printk) = 0x6").write(root);
        assertThat(hold().out()).isEqualTo("""
            UNKNOWN  5.14.0-9.el9.x86_64 (5.14.0-9.el9)
                  some modules in use could not be checked

            no offered kernel is known to fit
            nothing is held
            """);

        new RpmMetadata().kernel(NEW, "kernel(module_layout) = 0x1").write(root);
        assertThat(hold("-q").status()).isEqualTo(1);
    }

    @Test
    void readsCompressedMetadataAndIgnoresFilesWithOtherChecksums() throws IOException {
        byte[] primary = kernel("kernel(_printk) = 0x6").primary().getBytes(StandardCharsets.UTF_8);
        for (Packing packing : List.of(Packing.GZIP, Packing.XZ, Packing.ZSTD)) {
            RpmMetadata.write(root, packing.pack(primary), "primary.xml.packed");
            assertThat(hold("-q").status()).as("%s", packing).isEqualTo(1);
        }
        String index = "/var/cache/dnf/base-0123456789abcdef/repodata/repomd.xml";
        Files.write(root.resolve(index.substring(1)).resolveSibling("primary.xml.packed"), primary);
        WholeRun run = hold();
        assertThat(run.messages())
                .containsExactly(index + ": primary.xml.packed does not match its checksum; repository not used");
        assertThat(run.out())
                .isEqualTo("dnf offers no kernel that is newer than the installed kernels\nnothing is held\n");
    }

    @Test
    void judgesOnlyKernelsNewerThanTheInstalledOne() throws IOException {
        RpmMetadata many = new RpmMetadata();
        for (int i = 0; i < 40; i++) {
            many.kernel("5.14.0-" + i + ".el9.x86_64", RpmMetadata.many("kernel(_printk) = 0x6"));
        }
        many.write(root);
        assertThat(hold().out().lines().filter(line -> line.contains("HOLD")))
                .hasSize(31)
                .noneMatch(line -> line.contains(OLD));
    }

    @Test
    void reportsBytesThatAreNotUtf8InOneLine() throws IOException {
        byte[] primary = kernel("kernel(_printk) = 0x6").primary().getBytes(StandardCharsets.UTF_8);
        primary[primary.length / 2] = (byte) 0xff;
        RpmMetadata.write(root, primary, "primary.xml");
        PrintStream before = System.err;
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        System.setErr(new PrintStream(printed, true));
        try {
            assertThat(hold().messages()).singleElement(STRING).endsWith("is not valid UTF-8; repository not used");
        } finally {
            System.setErr(before);
        }
        assertThat(printed.toString(StandardCharsets.UTF_8)).isEmpty();
    }
}
