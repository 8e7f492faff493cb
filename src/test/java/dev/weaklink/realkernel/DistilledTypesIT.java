package dev.weaklink.realkernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.weaklink.kernel.image.ImageReader;
import dev.weaklink.module.ModuleReader;
import dev.weaklink.module.ModuleReader.ModuleTypes;
import dev.weaklink.sys.UnreadableException;
import dev.weaklink.testing.ExternalTool;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Builds a module out of tree for two kernels, with types as pahole and libbpf write them for such modules
 * ({@code .BTF.base}). weaklink must explain the CRC that genksyms computes for the module's export.
 */
class DistilledTypesIT {
    private static final List<String> RELEASES = List.of("6.1.0-53-amd64", "6.1.0-54-amd64");

    /** The packages of pahole with its libraries. Version 1.28 is the first that distills types. */
    private static final List<String> PAHOLE = List.of(
            "libc6", "zlib1g", "libelf1t64", "libdw1t64", "libbpf1", "liblzma5", "libbz2-1.0", "libzstd1", "pahole");

    /** A header with a struct: genksyms knows only the name of a struct that a .c file defines. */
    private static final String HEADER = """
      struct relay {
      	struct net_device *device;
      	int count;
      };

      int relay_count(struct relay *relay);
      """;

    private static final String SOURCE = """
      #include <linux/module.h>
      #include <linux/netdevice.h>
      #include "relay.h"

      int relay_count(struct relay *relay)
      {
      	return relay->device ? relay->count : 0;
      }
      EXPORT_SYMBOL(relay_count);
      MODULE_LICENSE("GPL");
      """;

    @TempDir
    Path scratch;

    private final RealKernels kernels = RealKernels.atDefault();

    @Test
    void explainsTheExportsOfAnOutOfTreeModule() throws Exception {
        ExternalTool make = ExternalTool.orSkip("make");
        Optional<Path> tools = SuitePackages.unpacked("pahole", "trixie", PAHOLE);
        assumeThat(tools).as("pahole of trixie").isPresent();
        Path root = Files.createDirectory(scratch.resolve("root"));
        for (String release : RELEASES) {
            install(build(make, release, tools.orElseThrow()), release, root);
        }
        WeaklinkRunner.Run run = WeaklinkRunner.run(List.of(
                "explain",
                "relay_count",
                "--root",
                root.toString(),
                "--from",
                RELEASES.get(0),
                "--to",
                RELEASES.get(1),
                "--format",
                "ndjson"));
        assertThat(run.stdout()).hasSize(1);
        JsonNode cause = new ObjectMapper().readTree(run.stdout().get(0)).get("cause");
        assertThat(cause).isNotNull();
        assertThat(cause.get("name").asText()).isEqualTo("net_device");
        assertThat(cause.get("path").toString()).isEqualTo("[\"relay_count\",\"struct relay\",\"struct net_device\"]");
    }

    private Kernel kernel(String release) {
        Optional<Kernel> kernel = kernels.find(release);
        assumeThat(kernel).as(release).isPresent();
        return kernel.orElseThrow();
    }

    /** Builds the module, and returns the directory of the build. */
    private Path build(ExternalTool make, String release, Path tools) throws IOException, InterruptedException {
        Path headers = BuildTree.orSkip(release).directory();
        Path build = Files.createDirectory(scratch.resolve("build-" + release));
        Files.writeString(build.resolve("relay.h"), HEADER);
        Files.writeString(build.resolve("relay.c"), SOURCE);
        Files.writeString(build.resolve("Kbuild"), "obj-m := relay.o\n");
        make.run("-s", "-C", headers.toString(), "M=" + build, "modules");
        Path module = build.resolve("relay.ko");
        distill(tools, typesOf(image(kernel(release))), module);
        byte[] bytes = Files.readAllBytes(module);
        ModuleTypes types = Objects.requireNonNull(ModuleReader.types(bytes, bytes.length));
        assertThat(types.base()).as(".BTF.base").isNotNull();
        return build;
    }

    private static Path image(Kernel kernel) {
        return kernel.root().resolve("boot/vmlinuz-" + kernel.release());
    }

    private Path typesOf(Path image) throws IOException {
        try {
            byte[] bytes = Files.readAllBytes(image);
            ByteBuffer section = Objects.requireNonNull(
                    ImageReader.types(bytes, bytes.length, false).section());
            byte[] types = new byte[section.remaining()];
            section.duplicate().get(types);
            return Files.write(scratch.resolve("vmlinux.btf"), types);
        } catch (UnreadableException e) {
            throw new AssertionError(image + " " + e.getMessage(), e);
        }
    }

    /** Runs pahole with the libraries of its suite. */
    private static void distill(Path tools, Path base, Path module) throws IOException, InterruptedException {
        Process pahole = new ProcessBuilder(
                        tools.resolve("lib64/ld-linux-x86-64.so.2").toString(),
                        "--library-path",
                        tools.resolve("usr/lib/x86_64-linux-gnu").toString(),
                        tools.resolve("usr/bin/pahole").toString(),
                        "-J",
                        "--btf_features=default,distilled_base",
                        "--btf_base",
                        base.toString(),
                        module.toString())
                .inheritIO()
                .start();
        assertThat(pahole.waitFor()).as("pahole").isZero();
    }

    /** Installs the module, with the vendor's symvers beside the kernel's, as an administrator would. */
    private void install(Path build, String release, Path root) throws IOException {
        Kernel kernel = kernel(release);
        Path extra = Files.createDirectories(root.resolve("lib/modules/" + release + "/extra"));
        Files.copy(build.resolve("relay.ko"), extra.resolve("relay.ko"));
        Path boot = Files.createDirectories(root.resolve("boot"));
        Files.copy(image(kernel), boot.resolve("vmlinuz-" + release));
        Path headers = Files.createDirectories(root.resolve("usr/src/linux-headers-" + release));
        Path symvers = Files.copy(kernel.symvers(), headers.resolve("Module.symvers"));
        Files.write(symvers, Files.readAllBytes(build.resolve("Module.symvers")), StandardOpenOption.APPEND);
    }
}
