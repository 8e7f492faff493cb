package dev.weaklink.realkernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.weaklink.standin.DkmsSandbox;
import dev.weaklink.testing.ExternalTool;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Debian's own DKMS packages, whose names differ from those of their modules, on two kernels with different module
 * layouts. A further package needs another package that comes after it by name.
 */
class DkmsPackagesIT {
    private static final String OLD = "6.1.0-54-amd64";
    private static final String NEW = "6.1.0-55-amd64";
    private static final List<String> PACKAGES = List.of("openvpn-dco-dkms", "v4l2loopback-dkms");

    @TempDir
    Path root;

    private DkmsSandbox dkms;

    @BeforeEach
    void prepare() throws IOException {
        dkms = DkmsSandbox.orSkip(root);
        Files.createDirectory(root.resolve("etc"));
        Files.writeString(root.resolve("etc/os-release"), "ID=debian\nVERSION_ID=12\n");
        for (String release : List.of(OLD, NEW)) {
            Path headers = BuildTree.orSkip(release).directory();
            Path copy = Files.createDirectories(root.resolve("usr/src/linux-headers-" + release));
            Files.copy(headers.resolve("Module.symvers"), copy.resolve("Module.symvers"));
            Files.copy(headers.resolve(".config"), copy.resolve(".config"));
            Path modules = Files.createDirectories(root.resolve("lib/modules/" + release));
            Files.createFile(modules.resolve("modules.order"));
        }
        add(DkmsSandbox.PACKAGE);
    }

    private void add(String label) throws IOException {
        assertThat(dkms.run("add", "-m", label).exitCode()).as(label).isZero();
    }

    /** Unpacks a Debian package, and adds it as its installation would. */
    private void addDebian(String name) throws IOException {
        Optional<Path> deb = RealKernels.atDefault().packageFile(name);
        assumeThat(deb).as("%s is in the package index", name).isPresent();
        Path tree = Files.createDirectory(root.resolve("tmp").resolve(name));
        ExternalTool.orSkip("dpkg-deb").run("--extract", deb.orElseThrow().toString(), tree.toString());
        try (Stream<Path> sources = Files.list(tree.resolve("usr/src"))) {
            for (Path source : sources.toList()) {
                String directory = source.getFileName().toString();
                Files.move(source, root.resolve("usr/src").resolve(directory));
                int dash = directory.lastIndexOf('-');
                add(directory.substring(0, dash) + "/" + directory.substring(dash + 1));
            }
        }
    }

    /** Adds a package that needs wl-dkms, comes before wl-dkms by name, and has its own module. */
    private void addDependent() throws IOException {
        Path source = Files.createDirectory(root.resolve("usr/src/aa-needs-1.0"));
        for (String file : List.of("dkms.conf", "Kbuild", "wl_dkms.c")) {
            String text = Files.readString(dkms.sources().resolve(file));
            Files.writeString(
                    source.resolve(file.replace("wl_dkms", "aa_needs")),
                    text.replace("wl-dkms", "aa-needs").replace("wl_dkms", "aa_needs"));
        }
        Files.writeString(source.resolve("dkms.conf"), "BUILD_DEPENDS[0]=\"wl-dkms\"\n", StandardOpenOption.APPEND);
        add("aa-needs/1.0");
    }

    private WeaklinkRunner.Run weaklink(String command, String kernel, String... more) {
        List<String> words = new ArrayList<>(List.of(command, "--kernel", kernel, "--root", root.toString()));
        words.addAll(List.of(more));
        return WeaklinkRunner.run(words);
    }

    private WeaklinkRunner.Run rebuild(String kernel) {
        return weaklink("rebuild", kernel, "--install", "--build-tree", "/usr/src/linux-headers-" + kernel);
    }

    @Test
    void debiansPackagesAreBuiltForBothKernelsAndPlanNamesThem() throws IOException {
        for (String name : PACKAGES) {
            addDebian(name);
        }
        WeaklinkRunner.Run first = rebuild(OLD);
        assertThat(first.exitCode()).as(first.stdout() + first.stderr()).isZero();
        assertThat(first.stdout())
                .anyMatch(line -> line.startsWith("  BUILT    ovpn-dco/"))
                .anyMatch(line -> line.startsWith("  BUILT    v4l2loopback/"));
        WeaklinkRunner.Run plan = weaklink("plan", NEW);
        assertThat(plan.stdout())
                .anyMatch(line -> line.contains("weaklink rebuild") && line.contains(" ovpn-dco/"))
                .anyMatch(line -> line.contains("weaklink rebuild") && line.contains(" v4l2loopback/"));
        WeaklinkRunner.Run second = rebuild(NEW);
        assertThat(second.exitCode()).as(second.stdout() + second.stderr()).isZero();
        assertThat(weaklink("plan", NEW).exitCode()).isZero();
    }

    @Test
    void failureAffectsOnlyDependentPackages() throws IOException {
        addDebian("acpi-call-dkms");
        addDependent();
        Path code = dkms.sources().resolve("wl_dkms.c");
        String good = Files.readString(code);
        Files.writeString(code, good.replace("dev_put(", "wl_gone("));
        WeaklinkRunner.Run failed = rebuild(NEW);
        assertThat(failed.exitCode()).isEqualTo(1);
        assertThat(failed.stdout())
                .anyMatch(line -> line.startsWith("  BUILT    acpi-call/"))
                .anyMatch(line -> line.startsWith("  FAILED   wl-dkms/1.0: api-change: "))
                .contains("  SKIPPED  aa-needs/1.0: needs wl-dkms/1.0: failed");
        assertThat(root.resolve("lib/modules/" + NEW + "/updates/dkms/acpi_call.ko"))
                .isRegularFile();
        Files.writeString(code, good);
        WeaklinkRunner.Run all = rebuild(NEW);
        assertThat(all.exitCode()).as(all.stdout() + all.stderr()).isZero();
        List<String> built = all.stdout().stream()
                .filter(line -> line.startsWith("  BUILT "))
                .toList();
        assertThat(built.get(built.size() - 1)).isEqualTo("  BUILT    aa-needs/1.0");
    }
}
