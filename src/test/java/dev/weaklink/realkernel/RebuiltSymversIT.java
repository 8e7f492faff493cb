package dev.weaklink.realkernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Compares the exports that a kernel's image and modules show with the headers package of Debian. */
class RebuiltSymversIT {
    private final RealKernels kernels = RealKernels.atDefault();

    @ParameterizedTest
    @ValueSource(
            strings = {
                "6.1.0-47-amd64",
                "6.1.0-53-amd64",
                "6.1.0-55-amd64",
                "6.1.0-56-cloud-amd64",
                "6.12.115+deb12-amd64",
            })
    void everyRowIsThatOfTheHeaders(String release) throws IOException {
        Optional<Kernel> kernel = kernels.find(release);
        if (kernel.isEmpty()) {
            Report.say("KERNEL GONE: " + release + ": its Module.symvers is not rebuilt");
        }
        assumeThat(kernel).isPresent();
        assertRebuilt(kernel.orElseThrow());
    }

    /** Tests all nine architectures of Debian 12, with packed images, raw images and ELF files. */
    @ParameterizedTest
    @EnumSource
    void everyArchitecturesRowsAreThoseOfTheHeaders(DebianArch arch) throws IOException {
        assumeThat(arch.isTestedByDefault())
                .as("only with -Dweaklink.all-arches=true")
                .isTrue();
        Optional<Kernel> newest = kernels.newest(arch);
        assertThat(newest).as("a kernel with headers for " + arch).isPresent();
        assertRebuilt(newest.orElseThrow());
    }

    /** Reads the image without modules. Its rows must be the rows of vmlinux in the headers. */
    @Test
    void theImageAloneGivesTheRowsOfVmlinux() throws IOException {
        Kernel kernel = kernels.newest(DebianArch.AMD64).orElseThrow();
        List<String> rows = symvers(List.of(image(kernel).toString()));
        List<String> expected = headers(kernel).stream()
                .filter(row -> row.contains("\tvmlinux\t"))
                .toList();
        assertThat(rows).isNotEmpty().containsExactlyInAnyOrderElementsOf(expected);
    }

    private static void assertRebuilt(Kernel kernel) throws IOException {
        List<String> rows = symvers(List.of("--root", kernel.root().toString(), "--kernel", kernel.release()));
        List<String> given = symvers(
                List.of(image(kernel).toString(), "--modules", kernel.modules().toString()));
        Report.say(kernel.release() + ": " + rows.size() + " rows rebuilt from image and modules");
        assertThat(sorted(rows)).isEqualTo(sorted(headers(kernel)));
        assertThat(given).isEqualTo(rows);
    }

    private static List<String> symvers(List<String> arguments) {
        List<String> words = new ArrayList<>(List.of("inspect", "--symvers"));
        words.addAll(arguments);
        WeaklinkRunner.Run run = WeaklinkRunner.run(words);
        assertThat(run.stderr()).isEmpty();
        assertThat(run.exitCode()).isZero();
        return run.stdout();
    }

    private static List<String> headers(Kernel kernel) throws IOException {
        return Files.readAllLines(
                kernel.root().resolve("usr/src/linux-headers-" + kernel.release() + "/Module.symvers"));
    }

    private static Path image(Kernel kernel) throws IOException {
        try (Stream<Path> files = Files.list(kernel.root().resolve("boot"))) {
            return files.filter(file -> file.getFileName().toString().startsWith("vmlinu"))
                    .findFirst()
                    .orElseThrow();
        }
    }

    private static List<String> sorted(List<String> rows) {
        return rows.stream().sorted().toList();
    }
}
