package dev.weaklink.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.format.archive.TarWriter;
import dev.weaklink.testing.ExternalTool;
import dev.weaklink.testing.Machine;
import dev.weaklink.testing.ModuleBuilder;
import dev.weaklink.testing.SymversBuilder;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Drivers in container images, checked on the kernel in the image of a release. */
class ContainerImageTest {
    private static final String RELEASE = "5.14.0-570.el9.x86_64";

    private static final String KERNEL = "usr/lib/modules/" + RELEASE + "/";

    @TempDir
    Path directory;

    private String driver = "";
    private String release = "";

    @BeforeEach
    void makeImages() throws Exception {
        String top = "opt/lib/modules/" + RELEASE + "/";
        byte[] good = module("good").importing("kfree", 0x5).build();
        driver = image(
                "driver.tar",
                new TarWriter()
                        .file(top + "good.ko", good)
                        .file(
                                top + "bad.ko",
                                module("bad").importing("kfree", 0x5).build())
                        .file(top + "removed.ko", good),
                new TarWriter()
                        .file(
                                top + "bad.ko",
                                module("bad").importing("kfree", 0x6).build())
                        .file(top + ".wh.removed.ko", new byte[0]));
        release = image(
                "release.tar",
                new TarWriter()
                        .file(KERNEL + "symvers", symvers())
                        .file(KERNEL + "kernel/own.ko", module("own").build()));
    }

    private static byte[] symvers() {
        return new SymversBuilder(SymversBuilder.Layout.NAMESPACE_LAST)
                .kernel("module_layout", SymversBuilder.Kind.EXPORT_SYMBOL, 0x11223344)
                .kernel("_printk", SymversBuilder.Kind.EXPORT_SYMBOL, 0x92997ed8)
                .kernel("kfree", SymversBuilder.Kind.EXPORT_SYMBOL, 0x5)
                .bytes();
    }

    private static ModuleBuilder module(String name) {
        return ModuleBuilder.typical(Machine.X86_64, name)
                .withoutModInfo("vermagic")
                .modInfo("vermagic=" + RELEASE + " SMP preempt mod_unload modversions ");
    }

    /** Writes an archive like {@code docker save}, and returns its path. */
    private String image(String name, TarWriter... layers) throws Exception {
        TarWriter image = new TarWriter();
        StringBuilder names = new StringBuilder();
        StringBuilder digests = new StringBuilder();
        for (TarWriter layer : layers) {
            byte[] bytes = layer.bytes();
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(bytes);
            String hex = HexFormat.of().formatHex(digest);
            image.file(hex + ".tar", bytes);
            names.append(names.isEmpty() ? "\"" : ",\"").append(hex).append(".tar\"");
            digests.append(digests.isEmpty() ? "\"" : ",\"").append("sha256:" + hex + "\"");
        }
        String config =
                "{\"architecture\":\"amd64\",\"os\":\"linux\",\"config\":{},\"rootfs\":{\"type\":\"layers\",\"diff_ids\":["
                        + digests
                        + "]}}";
        image.file("config.json", config.getBytes(StandardCharsets.UTF_8));
        String manifest = "[{\"Config\":\"config.json\",\"RepoTags\":[\"example:1\"],\"Layers\":[" + names + "]}]";
        image.file("manifest.json", manifest.getBytes(StandardCharsets.UTF_8));
        return Files.write(directory.resolve(name), image.bytes()).toString();
    }

    private WholeRun check(String modules, String kernel) throws IOException {
        Path root = Files.createDirectories(directory.resolve("root"));
        return WholeRun.of("check", "--root", root.toString(), modules, "--kernel", kernel, "--format", "preflight");
    }

    @Test
    void reportsAnImagesModulesLikePreflightValidation() throws IOException {
        WholeRun run = check(driver, release);
        assertThat(run.err()).isEmpty();
        assertThat(run.status()).isEqualTo(1);
        assertThat(run.out())
                .isEqualTo(
                        "{\"apiVersion\":\"kmm.sigs.x-k8s.io/v1beta2\",\"kind\":\"PreflightValidation\",\"spec\":{\"kernelVersion\":\""
                                + RELEASE
                                + "\"},\"status\":{\"modules\":["
                                + "{\"name\":\"bad\",\"verificationStage\":\"Image\",\"verificationStatus\":\"Failure\",\"statusReason\":\"symbol-crc: kfree: symbol version (CRC) mismatch (wanted 0x00000006; vmlinux offers 0x00000005); loading fails with EINVAL\"},"
                                + "{\"name\":\"good\",\"verificationStage\":\"Done\",\"verificationStatus\":\"Success\",\"statusReason\":\"would load\"}"
                                + "]}}\n");
    }

    /** {@code ostree container encapsulate} makes such images, in which files are hard links to their objects. */
    @Test
    void readsTheSameKernelFromAnOstreeImage() throws Exception {
        String objects = "sysroot/ostree/repo/objects/";
        byte[] own = module("own").build();
        String encapsulated = image(
                "ostree.tar",
                new TarWriter()
                        .file(objects + "9d/2a.file", symvers())
                        .file(objects + "0c/b1.file", own)
                        .hardlink(KERNEL + "symvers", objects + "9d/2a.file")
                        .hardlink(KERNEL + "kernel/own.ko", objects + "0c/b1.file")
                        .hardlink(KERNEL + "kernel/same.ko", objects + "0c/b1.file"));
        WholeRun run = check(driver, encapsulated);
        assertThat(run.out()).isEqualTo(check(driver, release).out());
        assertThat(run.status()).isEqualTo(1);
        WholeRun modules = check(encapsulated, release);
        assertThat(modules).isEqualTo(new WholeRun(0, """
                {"apiVersion":"kmm.sigs.x-k8s.io/v1beta2","kind":"PreflightValidation","spec":{"kernelVersion":"5.14.0-570.el9.x86_64"},"status":{"modules":[{"name":"own","verificationStage":"Done","verificationStatus":"Success","statusReason":"would load"},{"name":"own","verificationStage":"Done","verificationStatus":"Success","statusReason":"would load"}]}}
                """, ""));
        String broken = image("broken.tar", new TarWriter().hardlink(KERNEL + "m.ko", objects + "ff/ff.file"));
        assertThat(check(broken, release).messages())
                .containsExactly(
                        broken + "!/" + KERNEL + "m.ko: a hard link to a file that is not in its layer; left out");
    }

    /** The first image has the kernel's name but a build for another kernel. The second image lacks a module. */
    @Test
    void usesTheFittingCachedImage() throws Exception {
        Path cache = Files.createDirectory(directory.resolve("cache"));
        String top = "opt/lib/modules/" + RELEASE + "/";
        byte[] one = module("one").importing("kfree", 0x5).build();
        byte[] two = module("two").importing("kfree", 0x5).build();
        byte[] other = module("one").importing("kfree", 0x6).build();
        image("cache/" + RELEASE + ".tar", new TarWriter().file(top + "one.ko", other));
        image("cache/half.tar", new TarWriter().file(top + "one.ko", one));
        image("cache/whole.tar", new TarWriter().file(top + "one.ko", one).file(top + "two.ko", two));
        WholeRun run = best(cache, "one", "two");
        assertThat(run.err()).isEmpty();
        assertThat(run.out().replace(cache + "/", "")).isEqualTo("""
            install       whole.tar
                          2 modules would load; built for this kernel
            incomplete    half.tar
                          1 module would load; built for this kernel; lacks two, which other builds have
            refused       5.14.0-570.el9.x86_64.tar
                          1 of 1 module would be refused; built for this kernel; one: symbol-crc: kfree: symbol version (CRC) mismatch (wanted 0x00000006; vmlinux offers 0x00000005); loading fails with EINVAL; lacks two, which other builds have
            """);
        assertThat(run.status()).isZero();
        Files.delete(cache.resolve("whole.tar"));
        WholeRun none = best(cache, "one", "two");
        assertThat(none.at(directory)).isEqualTo(new WholeRun(1, """
                install       DIR/cache/half.tar
                              1 module would load; built for this kernel
                refused       DIR/cache/5.14.0-570.el9.x86_64.tar
                              1 of 1 module would be refused; built for this kernel; one: symbol-crc: kfree: symbol version (CRC) mismatch (wanted 0x00000006; vmlinux offers 0x00000005); loading fails with EINVAL
                No build marked 'install' contains two.
                """, ""));
    }

    private WholeRun best(Path cache, String... modules) throws IOException {
        Path root = Files.createDirectories(directory.resolve("root"));
        List<String> words = new ArrayList<>(List.of("matrix", "--best", cache.toString()));
        words.addAll(List.of(modules));
        words.addAll(List.of("--root", root.toString(), "--kernel", release));
        return WholeRun.of(words.toArray(new String[0]));
    }

    @Test
    void failsForAnUnreadableImage() throws IOException {
        byte[] image = Files.readAllBytes(Path.of(driver));
        String cut = directory.resolve("cut.tar").toString();
        Files.write(Path.of(cut), Arrays.copyOf(image, 1000));
        WholeRun run = check(cut, release);
        assertThat(run.at(directory))
                .isEqualTo(new WholeRun(2, """
                {"apiVersion":"kmm.sigs.x-k8s.io/v1beta2","kind":"PreflightValidation","spec":{"kernelVersion":"5.14.0-570.el9.x86_64"},"status":{"modules":[{"name":"DIR/cut.tar","verificationStage":"Image","verificationStatus":"Failure","statusReason":"truncated: the tar archive ends too early"}]}}
                """, "weaklink: DIR/cut.tar: truncated: the tar archive ends too early\n"));
    }

    /** The real skopeo writes archives and directories, with gzip and with zstd. */
    @Test
    void readsTheFormatsOfSkopeoAlike() throws Exception {
        ExternalTool skopeo = ExternalTool.orSkip("skopeo");
        String expected = check(driver, release).out();
        String layout = directory.resolve("layout").toString();
        for (List<String> forms : List.of(
                List.of("oci-archive:" + directory.resolve("oci.tar"), "gzip"),
                List.of("oci:" + layout + ":1", "zstd"),
                List.of("docker-archive:" + directory.resolve("again.tar") + ":example:2", "gzip"))) {
            skopeo.run(
                    "copy",
                    "--insecure-policy",
                    "--dest-compress-format=" + forms.get(1),
                    "docker-archive:" + driver,
                    forms.get(0));
        }
        for (String name : List.of("oci.tar", "layout", "again.tar")) {
            assertThat(check(directory.resolve(name).toString(), release).out()).isEqualTo(expected);
        }
    }
}
