package dev.weaklink.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.weaklink.testing.Compression;
import dev.weaklink.testing.KernelSpec;
import dev.weaklink.testing.KernelSpec.Export;
import dev.weaklink.testing.KernelWriter;
import dev.weaklink.testing.Machine;
import dev.weaklink.testing.ModuleBuilder;
import dev.weaklink.testing.Packing;
import dev.weaklink.testing.Payloads;
import dev.weaklink.testing.RealPackages;
import dev.weaklink.testing.SigningKey;
import dev.weaklink.testing.TreeBuilder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Signed modules in packages made by the distributions' tools. The results must be the same as for plain files. */
class PackagedSignaturesTest {
    private static final String RELEASE = "6.1.0-7-test";
    private static final SigningKey BUILD = SigningKey.rsa("build key");
    private static final SigningKey OWNER = SigningKey.ec("machine owner");

    @TempDir
    Path directory;

    private Path root;
    private Path extra;
    private String certificate;

    @BeforeEach
    void install() throws IOException {
        byte[] unpacked = Payloads.concat(KernelWriter.elf(kernel(), true), new byte[5], BUILD.certificate());
        root = TreeBuilder.in(Files.createDirectory(directory.resolve("root")))
                .file("boot/vmlinuz-" + RELEASE, Payloads.bzImage(Packing.GZIP.packWithSize(unpacked)))
                .file("lib/modules/" + RELEASE + "/kernel/own.ko", BUILD.sign(module("own")))
                .root();
        extra = Files.createDirectories(directory.resolve("tree/lib/modules/" + RELEASE + "/extra/deep"));
        byte[] changed = BUILD.sign(module("changed"));
        changed[changed.length - 60] ^= 1;
        Files.write(extra.resolve("plain.ko"), module("plain"));
        Files.write(extra.resolve("built.ko"), BUILD.sign(module("built")));
        Files.write(extra.resolve("changed.ko"), changed);
        Files.write(extra.resolve("owned.ko.xz"), Compression.XZ_CRC32.compress(OWNER.sign(module("owned"))));
        Files.write(extra.resolve("packed.ko.gz"), Compression.GZIP.compress(BUILD.sign(module("packed"))));
        certificate =
                Files.write(directory.resolve("owner.der"), OWNER.certificate()).toString();
    }

    private static KernelSpec kernel() {
        return KernelSpec.of(Machine.X86_64)
                .exporting(List.of(new Export("module_layout", false, 0x11223344, "")))
                .saying(List.of(
                        "%s: no symbol version for %s",
                        "%s: module verification failed: signature and/or required key missing",
                        "%s: PKCS#7 signature info has unexpected non-zero params",
                        "version magic '%s' should be '%s'"));
    }

    private static byte[] module(String name) {
        return ModuleBuilder.typical(Machine.X86_64, name)
                .withoutModInfo("vermagic")
                .modInfo("vermagic=" + RELEASE + " SMP mod_unload modversions ")
                .build();
    }

    /** Returns verdict, errno and findings of each module. */
    private Map<String, String> outcomes(Path place, String... options) throws IOException {
        Stream<String> words = Stream.of("check", "--root", root.toString(), "--format", "ndjson", "--alone");
        words = Stream.concat(words, Stream.of(options));
        words = Stream.concat(words, Stream.of(place.toString()));
        WholeRun run = WholeRun.of(words.toArray(String[]::new));
        Map<String, String> outcomes = new TreeMap<>();
        ObjectMapper mapper = new ObjectMapper();
        for (String line : run.out().split("\n")) {
            JsonNode json = mapper.readTree(line);
            if (json.path("schema").asText().equals("weaklink.verdict/1")) {
                outcomes.put(
                        json.path("module").asText(),
                        json.path("verdict").asText()
                                + " "
                                + json.path("errno").asText()
                                + " "
                                + json.path("findings")
                                + json.path("unchecked"));
            }
        }
        return outcomes;
    }

    private void assertSameAsFiles(Path packaged) throws IOException {
        for (String policy : List.of("permissive", "enforced", "lockdown")) {
            Map<String, String> files = outcomes(extra, "--signature-policy", policy);
            assertThat(files.get("changed")).startsWith("INCOMPATIBLE EKEYREJECTED");
            assertThat(files.get("packed")).startsWith("COMPATIBLE");
            assertThat(outcomes(packaged, "--signature-policy", policy))
                    .hasSize(5)
                    .isEqualTo(files);
        }
        assertThat(outcomes(packaged, "--signature-policy", "enforced").get("owned"))
                .startsWith("INCOMPATIBLE EKEYREJECTED");
        assertThat(outcomes(packaged, "--signature-policy", "enforced", "--cert", certificate)
                        .get("owned"))
                .startsWith("COMPATIBLE");
    }

    @Test
    void verifiesAnRpm() throws IOException {
        assertSameAsFiles(RealPackages.rpm(directory, directory.resolve("tree")));
    }

    @Test
    void verifiesADeb() throws IOException {
        assertSameAsFiles(RealPackages.deb(directory, directory.resolve("tree")));
    }
}
