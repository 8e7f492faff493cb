package dev.weaklink.system;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.sys.Root;
import dev.weaklink.system.DkmsTree.DkmsPackage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A DKMS tree with the layout of dkms 3, which DkmsIT verifies. */
class DkmsReaderTest {
    private static final String KERNEL = "6.1.0-55-amd64";

    @TempDir
    Path root;

    @BeforeEach
    void prepare() throws IOException {
        Files.createDirectories(root.resolve("lib/modules").resolve(KERNEL));
    }

    private void add(String name, String version, String... conf) throws IOException {
        Path source = Files.createDirectories(root.resolve("usr/src/" + name + "-" + version));
        Files.write(source.resolve("dkms.conf"), List.of(conf));
        Path entry = Files.createDirectories(root.resolve("var/lib/dkms/" + name + "/" + version));
        Files.createSymbolicLink(entry.resolve("source"), Path.of("/usr/src/" + name + "-" + version));
    }

    private void built(String name, String version, String module) throws IOException {
        Path modules = Files.createDirectories(
                root.resolve("var/lib/dkms/" + name + "/" + version + "/" + KERNEL + "/x86_64/module"));
        Files.createFile(modules.resolve(module));
    }

    private void installed(String name, String version) throws IOException {
        Files.createSymbolicLink(
                root.resolve("var/lib/dkms/" + name + "/kernel-" + KERNEL + "-x86_64"),
                Path.of(version, KERNEL, "x86_64"));
    }

    private DkmsTree read() throws IOException {
        return DkmsReader.read(Root.of(root));
    }

    private DkmsPackage only() throws IOException {
        assertThat(read().packages()).hasSize(1);
        return read().packages().get(0);
    }

    /** The name of the other kernel's link begins with the name of this kernel's link, and is sorted before it. */
    @Test
    void tellsKernelsApartWhoseReleasesBeginAlike() throws IOException {
        add("demo", "1.0", "PACKAGE_NAME=demo", "PACKAGE_VERSION=1.0");
        built("demo", "1.0", "demo.ko");
        installed("demo", "1.0");
        Files.createSymbolicLink(
                root.resolve("var/lib/dkms/demo/kernel-" + KERNEL + "-rt-x86_64"),
                Path.of("1.0", KERNEL + "-rt", "x86_64"));

        assertThat(read().builds())
                .filteredOn(build -> build.kernel().equals(KERNEL))
                .extracting(DkmsTree.DkmsBuild::state)
                .containsExactly(DkmsTree.DkmsBuild.DkmsState.INSTALLED);
    }

    @Test
    void dkmsConfSaysWhatAPackageNeedsAndBuilds() throws IOException {
        add(
                "demo",
                "1.0",
                "PACKAGE_NAME=\"demo\"",
                "# AUTOINSTALL=\"no\"",
                "BUILT_MODULE_NAME[0]=\"demo-core\" # first",
                "BUILT_MODULE_NAME[1]='${PACKAGE_NAME}_net'",
                "BUILT_MODULE_NAME[2]=\"$(find . -name '*.ko')\"",
                "BUILD_DEPENDS[0]=\"spl\"",
                "BUILD_DEPENDS[1]=\"other third\"",
                "AUTOINSTALL=\"yes\"");
        assertThat(only())
                .isEqualTo(new DkmsPackage(
                        "demo", "1.0", true, List.of("spl", "other", "third"), List.of("demo_core", "demo_net")));
    }

    @Test
    void readsAnArrayInBrackets() throws IOException {
        add("demo", "1.0", "BUILD_DEPENDS=( \"a\" 'b' )", "BUILD_DEPENDS+=(c)");
        assertThat(only().needs()).containsExactly("a", "b", "c");
        assertThat(only().autoinstall()).isFalse();
        assertThat(only().modules()).containsExactly("demo");
    }

    @Test
    void findsTheVersionInstalledForTheModulesKernel() throws IOException {
        add("acpi-call", "1.9", "BUILT_MODULE_NAME=acpi_call");
        add("acpi-call", "1.10", "BUILT_MODULE_NAME=acpi_call");
        built("acpi-call", "1.9", "acpi_call.ko");
        built("acpi-call", "1.10", "acpi_call.ko");
        installed("acpi-call", "1.9");
        DkmsTree tree = read();
        DkmsPackage owner = tree.ownerOf("/lib/modules/" + KERNEL + "/updates/dkms/acpi_call.ko");
        assertThat(owner).isNotNull();
        assertThat(owner.label()).isEqualTo("acpi-call/1.9");
        assertThat(tree.isInstalled("acpi-call", KERNEL)).isTrue();
        DkmsPackage latest = tree.latest("acpi-call");
        assertThat(latest).isNotNull();
        assertThat(latest.label()).isEqualTo("acpi-call/1.10");
    }

    @Test
    void doesNotOwnAModuleOfAnEqualName() throws IOException {
        add("zfs", "2.2", "BUILT_MODULE_NAME=zfs");
        built("zfs", "2.2", "zfs.ko");
        String file = "/lib/modules/" + KERNEL + "/extra/zfs/zfs.ko.xz";
        assertThat(read().ownerOf(file)).as("built only").isNull();
        installed("zfs", "2.2");
        assertThat(read().ownerOf(file)).as("installed").isNotNull();
        assertThat(read().ownerOf("/lib/modules/5.10.0/extra/zfs/zfs.ko.xz")).isNull();
        assertThat(read().ownerOf("/lib/modules/5.10.0/updates/dkms/zfs.ko")).isNotNull();
        assertThat(read().ownerOf("/opt/zfs.ko")).isNull();
    }
}
