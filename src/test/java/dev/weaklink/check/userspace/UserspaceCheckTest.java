package dev.weaklink.check.userspace;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.sys.Root;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The libraries of test-fixtures/userspace in roots, in matching and in mismatching combinations. */
class UserspaceCheckTest {
    private static final Path BUILT = Path.of("test-fixtures/userspace").toAbsolutePath();
    private static final String PROVIDERS = "usr/lib64/libibverbs/";

    @TempDir
    Path root;

    @BeforeEach
    void buildsOneDriver() throws IOException {
        put("etc/libibverbs.d/wl.driver", "driver wl\n");
    }

    private void put(String inside, String text) throws IOException {
        Path file = root.resolve(inside);
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
    }

    private void library(String inside, String built) throws IOException {
        Path file = root.resolve(inside);
        Files.createDirectories(file.getParent());
        Files.copy(BUILT.resolve(built), file);
    }

    private UserspaceReport look() throws IOException {
        return UserspaceCheck.of(Root.of(root));
    }

    private List<String> findings() throws IOException {
        return look().findings().stream()
                .map(finding -> finding.kind().id() + " " + finding.subject() + ": " + finding.detail())
                .toList();
    }

    @Test
    void librariesOfOneBuildFitTogether() throws IOException {
        library("usr/lib64/libibverbs.so.1.14.44.0", "verbs-34.so");
        Files.createSymbolicLink(root.resolve("usr/lib64/libibverbs.so.1"), Path.of("libibverbs.so.1.14.44.0"));
        library(PROVIDERS + "libwl-rdmav34.so", "wl-34.so");

        UserspaceReport report = look();

        assertThat(report.library()).isEqualTo("/usr/lib64/libibverbs.so.1.14.44.0");
        assertThat(report.privateVersion()).isEqualTo("IBVERBS_PRIVATE_34");
        assertThat(report.providers()).containsExactly("wl");
        assertThat(report.findings()).isEmpty();
    }

    @Test
    void checksNothingWithoutLibibverbs() throws IOException {
        assertThat(look().library()).isNull();
        assertThat(look().isEmpty()).isTrue();
    }

    @Test
    void doesNotFindAProviderOfAnotherVersion() throws IOException {
        library("usr/lib64/libibverbs.so.1", "verbs-34.so");
        library(PROVIDERS + "libwl-rdmav65.so", "wl-65.so");

        assertThat(findings())
                .containsExactly(
                        "userspace.provider-missing wl: /etc/libibverbs.d/wl.driver names it;"
                                + " libwl-rdmav34.so does not exist",
                        "userspace.provider-left-over /usr/lib64/libibverbs/libwl-rdmav65.so:"
                                + " libibverbs loads lib*-rdmav34.so");
        assertThat(look().hasFailures()).isTrue();
    }

    @Test
    void refusesARenamedProviderThatNeedsAnUndefinedVersion() throws IOException {
        library("usr/lib64/libibverbs.so.1", "verbs-34.so");
        library(PROVIDERS + "libwl-rdmav34.so", "wl-65.so");

        assertThat(findings())
                .containsExactly("userspace.version-missing wl: /usr/lib64/libibverbs.so.1: version"
                        + " `IBVERBS_PRIVATE_65' not found (required by"
                        + " /usr/lib64/libibverbs/libwl-rdmav34.so)");
    }

    /** The case of trixie's mlx5 with bookworm's libibverbs, which both have the version IBVERBS_PRIVATE_34. */
    @Test
    void reportsAMissingSymbolDespiteEqualVersions() throws IOException {
        library("usr/lib64/libibverbs.so.1", "verbs-34.so");
        library(PROVIDERS + "libwl-rdmav34.so", "wl-34-newer.so");
        assertThat(findings())
                .containsExactly("userspace.symbol-missing wl: /usr/lib64/libibverbs/libwl-rdmav34.so: undefined"
                        + " symbol: ibv_cmd_create_cq_ex2, version IBVERBS_PRIVATE_34");

        Files.delete(root.resolve("usr/lib64/libibverbs.so.1"));
        library("usr/lib64/libibverbs.so.1", "verbs-34-newer.so");
        assertThat(findings()).isEmpty();
    }

    @Test
    void prefersTheFirstConfiguredDirectory() throws IOException {
        library("usr/lib64/libibverbs.so.1", "verbs-34.so");
        library("opt/ofed/lib/libibverbs.so.1", "verbs-65.so");
        put("etc/ld.so.conf", "include ld.so.conf.d/*.conf\n");
        put("etc/ld.so.conf.d/ofed.conf", "# theirs\n/opt/ofed/lib/\n");
        library(PROVIDERS + "libwl-rdmav65.so", "wl-65.so");

        assertThat(look().library()).isEqualTo("/opt/ofed/lib/libibverbs.so.1");
        assertThat(look().providers()).containsExactly("wl");
        assertThat(findings())
                .containsExactly("userspace.second-library /usr/lib64/libibverbs.so.1: programs load"
                        + " /opt/ofed/lib/libibverbs.so.1");
        assertThat(look().hasFailures()).isFalse();
    }

    @Test
    void driverFilesAreReadAsTheLibraryReadsThem() throws IOException {
        library("usr/lib64/libibverbs.so.1", "verbs-34.so");
        library("opt/libown-rdmav34.so", "wl-34.so");
        library(PROVIDERS + "libnobody-rdmav34.so", "wl-34.so");
        Files.delete(root.resolve("etc/libibverbs.d/wl.driver"));
        put("etc/libibverbs.d/a", "# nothing\n\n \t driver \t /opt/libown and more\ndrivers x\n");

        assertThat(look().providers()).containsExactly("/opt/libown");
        assertThat(findings())
                .containsExactly(
                        "userspace.configuration /etc/libibverbs.d/a: bad config directive 'drivers' is" + " ignored",
                        "userspace.provider-not-configured /usr/lib64/libibverbs/libnobody-rdmav34.so: no"
                                + " file in /etc/libibverbs.d names it");
    }

    @Test
    void namesAMissingLibrary() throws IOException {
        library("usr/lib64/libibverbs.so.1", "verbs-34.so");
        byte[] provider = Files.readAllBytes(BUILT.resolve("wl-34.so"));
        String text = new String(provider, StandardCharsets.ISO_8859_1);
        put(PROVIDERS + "libwl-rdmav34.so", "");
        Files.write(
                root.resolve(PROVIDERS + "libwl-rdmav34.so"),
                text.replace("libibverbs.so.1", "libibverbs.so.9").getBytes(StandardCharsets.ISO_8859_1));

        assertThat(findings())
                .containsExactly("userspace.library-missing wl: libibverbs.so.9: cannot open shared object file: No"
                        + " such file or directory");
    }

    @Test
    void checksAllProvidersIfOneIsDamaged() throws IOException {
        library("usr/lib64/libibverbs.so.1", "verbs-34.so");
        library(PROVIDERS + "libwl-rdmav34.so", "wl-34.so");
        put("etc/libibverbs.d/cut.driver", "driver cut\n");
        byte[] provider = Files.readAllBytes(BUILT.resolve("wl-34.so"));
        Files.write(root.resolve(PROVIDERS + "libcut-rdmav34.so"), Arrays.copyOf(provider, provider.length / 2));

        assertThat(look().providers()).containsExactly("wl");
        assertThat(findings())
                .containsExactly("userspace.library-unreadable cut: /usr/lib64/libibverbs/libcut-rdmav34.so: section"
                        + " header table outside the file");
    }

    @Test
    void comparesDevicesWithTheirProviders() throws IOException {
        library("usr/lib64/libibverbs.so.1", "verbs-34.so");
        library(PROVIDERS + "libwl-rdmav34.so", "wl-34.so");
        put("sys/class/infiniband_verbs/abi_version", "7\n");
        device("uverbs0", "wl0", 5, "");
        device("uverbs1", "rocep1s0", 4, "pci:v000015B3d00001017sv000015B3sd00000007bc02sc00i00\n");
        device("uverbs2", "other0", 1, "pci:v000015B3d00001018sv000015B3sd00000007bc02sc00i00\n");

        assertThat(look().devices())
                .containsExactly("rocep1s0: ABI 4, wl supports 3 to 4", "other0: ABI 1, provider unknown");
        assertThat(findings())
                .containsExactly(
                        "userspace.kernel-abi /sys/class/infiniband_verbs/abi_version: the kernel's uverbs ABI is 7,"
                                + " and libibverbs supports 3 to 6",
                        "userspace.device-abi wl0: its driver's ABI is 5, wl supports 3 to 4");
    }

    private void device(String name, String device, int abi, String modalias) throws IOException {
        String directory = "sys/class/infiniband_verbs/" + name + "/";
        put(directory + "ibdev", device + "\n");
        put(directory + "abi_version", abi + "\n");
        put(directory + "device/modalias", modalias);
    }

    @Test
    void modulesAndLibrariesOfDifferentVendorsAreAWarning() throws IOException {
        library("usr/lib64/libibverbs.so.1", "verbs-34.so");
        library(PROVIDERS + "libwl-rdmav34.so", "wl-34.so");
        put("var/lib/dpkg/info/libibverbs1:amd64.list", "/.\n/usr/lib64/libibverbs.so.1\n");
        put(
                "var/lib/dpkg/status",
                "Package: libibverbs1\nStatus: install ok installed\nVersion: 2404mlnx51-1.2404066\n");
        put("lib/modules/6.1.0-1-amd64/kernel/ib_uverbs.ko", "");
        put("lib/modules/6.1.0-2-amd64/extra/mlnx-ofa_kernel/ib_uverbs.ko", "");

        UserspaceReport report = look();

        assertThat(report.owner()).isEqualTo("libibverbs1 2404mlnx51-1.2404066");
        assertThat(report.hasFailures()).isFalse();
        assertThat(findings())
                .containsExactly("userspace.kernel-stack 6.1.0-1-amd64: /lib/modules/6.1.0-1-amd64/kernel/ib_uverbs.ko"
                        + " is the kernel's own, /usr/lib64/libibverbs.so.1 is MLNX_OFED's");
        assertThat(report.findings().get(0).packages()).containsExactly("libibverbs1 2404mlnx51-1.2404066");
    }
}
