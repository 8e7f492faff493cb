package dev.weaklink.standin;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.testing.ExternalTool;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests the packages that a rebuild by the stand-in contains. */
class StandInPackagesTest {
    private static final String KERNEL = "6.1.0-53-amd64";
    private static final String RELEASE = "OFED\\.24\\.10\\.1\\.1\\.4\\.1";

    @TempDir
    Path tmp;

    private StandInImage image;
    private Map<String, String> switches;

    @BeforeEach
    void makeImage() throws IOException {
        image = StandInImage.make(tmp.resolve("image"));
        switches = new HashMap<>(StandInImage.withoutCompiler(tmp));
    }

    @Test
    void makesAnImageWithTheKernelsModules() throws IOException {
        StandInImage result = rebuilt(image, "first", "--skip-repo");
        assertThat(modulesIn(result.directory()))
                .containsExactly(
                        "lib/modules/6.1.0-53-amd64/extra/mlnx-ofa_kernel/wl_compat.ko",
                        "lib/modules/6.1.0-53-amd64/extra/mlnx-ofa_kernel/wl_core.ko",
                        "lib/modules/6.1.0-53-amd64/extra/wl-en/wl_en.ko");
        assertThat(result.directory().resolve(".supported_kernels")).hasContent(KERNEL);
        assertThat(result.directory().resolve("supported_kernels")).hasContent(KERNEL);
        assertThat(result.directory().resolve(".mlnx")).hasContent("24.10-1.1.4.0");
        assertThat(result.directory().resolve("distro")).hasContent("debian12");
        assertThat(result.script()).isExecutable();
    }

    @Test
    void addsADepmodOverrideOnlyToABuildForAllKernels() throws IOException {
        Path override = Path.of("etc/depmod.d/zz01-wl-en-wl_en.conf");
        StandInImage pinned = rebuilt(image, "first", "--skip-repo");
        assertThat(pinned.directory().resolve(override)).doesNotExist();
        StandInImage kmp = rebuilt(image, "second", "--skip-repo", "--kmp");
        assertThat(kmp.directory().resolve(override))
                .hasContent("override wl_en * weak-updates/wl-en\noverride wl_en * extra/wl-en\n");
    }

    @Test
    void namesPackagesForOneKernelAfterTheKernel() throws IOException {
        packRpms();
        assertThat(packagesOf(rebuilt(image, "first", "--skip-repo")))
                .satisfiesExactly(
                        name -> assertThat(name).matches(pinnedName("mlnx-ofa_kernel")),
                        name -> assertThat(name).matches(pinnedName("wl-en")));
    }

    @Test
    void packagesForAllKernelsHaveAStampAndTheDistribution() throws IOException {
        packRpms();
        StandInImage result = rebuilt(image, "first", "--skip-repo", "--kmp", "--distro", "rhel9.4");
        String rest = "-24\\.10-" + RELEASE + "\\.\\d{12}\\.rhel9u4\\.\\w+\\.rpm";
        assertThat(packagesOf(result))
                .satisfiesExactly(
                        name -> assertThat(name).matches("kmod-mlnx-ofa_kernel" + rest),
                        name -> assertThat(name).matches("kmod-wl-en" + rest));
    }

    @Test
    void reportsASupportedKernelIfItHasPackages() throws IOException {
        packRpms();
        StandInRun again = rebuild(rebuilt(image, "first", "--skip-repo"), "second", "--skip-repo");
        assertThat(again.exitCode()).isEqualTo(30);
        assertThat(again.lastLine())
                .isEqualTo("Required kernel (" + KERNEL + ") is already supported by MLNX_OFED_LINUX");
    }

    @Test
    void replacesPackagesForAllKernels() throws IOException {
        packRpms();
        StandInImage first = rebuilt(image, "first", "--skip-repo", "--kmp");
        Path foreign = first.directory().resolve("RPMS/COMMON/kmod-xpmem-2.7-1.x86_64.rpm");
        Files.writeString(foreign, "a package the script does not know");
        StandInImage second = rebuilt(first, "second", "--skip-repo", "--kmp");
        assertThat(packagesOf(second)).hasSize(2).noneMatch(name -> name.contains("xpmem"));
    }

    @Test
    void listsPackagesThreeTimesAndGroupPackages() throws IOException {
        packRpms();
        ExternalTool.orSkip("createrepo_c");
        StandInRun run = rebuild(image, "first", "--kmp");
        assertThat(run.exitCode()).as(run.output()).isZero();
        assertThat(run.lines()).contains("Creating metadata-rpms for " + KERNEL + " ...");
        Path rpms = StandInImage.unpack(run.created(), tmp).directory().resolve("RPMS");
        assertThat(rpms.resolve("repodata/repomd.xml")).isRegularFile();
        for (String repository : List.of("MLNX_LIBS", "UPSTREAM_LIBS")) {
            assertThat(rpms.resolve(repository).resolve("repodata/repomd.xml")).isRegularFile();
            assertThat(rpms.resolve(repository).resolve("mlnx-ofed-kernel-only-24.10-1.1.4.0.noarch.rpm"))
                    .isRegularFile();
        }
    }

    /**
     * Tests the arguments that the vendor's scripts from version 5.0 on pass; none of these scripts is available here.
     */
    @Test
    void acceptsTheArgumentsOfTheVendorsScripts() throws IOException {
        packRpms();
        ExternalTool perl = ExternalTool.orSkip("perl");
        Path source = Files.createDirectory(tmp.resolve("source"));
        ExternalTool.orSkip("cp").run("-R", StandInImage.FIXTURE + "/source/.", source.toString());
        List<String> build = new ArrayList<>(List.of(source + "/install.pl", "--tmpdir", tmp + "/logs"));
        build.addAll(List.of("--kernel-only", "--kernel", KERNEL, "--kernel-sources", "/none"));
        build.addAll(List.of("--builddir", tmp + "/build", "--force", "--without-x", "--build-only"));
        build.addAll(List.of("--kmp", "--bump-kmp-version", "202611241200"));
        StandInRun built = StandInRun.of(build, switches);
        assertThat(built.exitCode()).as(built.output() + built.stderr()).isZero();
        Path common = image.directory().resolve("RPMS/COMMON");
        ExternalTool.orSkip("cp").run("-R", source + "/RPMS/.", common.toString());

        String maker =
                image.directory().resolve("create_mlnx_ofed_installers.pl").toString();
        Path into = image.directory().resolve("RPMS/UPSTREAM_LIBS");
        perl.run((maker
                        + " --with-hpc --tmpdir "
                        + tmp
                        + " --mofed "
                        + image.directory()
                        + " --rpms-tdir "
                        + into
                        + " --output "
                        + image.directory()
                        + " --build-num 7 --ignore-groups eth-only"
                        + " --upstream-libs --rpms-path "
                        + common)
                .split(" "));
        assertThat(into).isDirectoryContaining("glob:**/mlnx-ofed-kernel-only-24.10-1.1.4.0.7.noarch.rpm");
        assertThat(image.directory().resolve("comps.xml")).isRegularFile();
    }

    @Test
    void keepsOnlyTheResultOfASuccessfulRun() throws IOException {
        Path result = rebuild(image, "first", "--skip-repo").created();
        try (Stream<Path> left = Files.list(tmp.resolve("first"))) {
            assertThat(left).containsExactly(result);
        }
    }

    @Test
    void theInstallerRebuildsAndNamesTheNewImage() throws IOException {
        Path into = Files.createDirectory(tmp.resolve("first"));
        StandInRun run = installer("--add-kernel-support-build-only", "--tmpdir", into.toString());
        assertThat(run.exitCode()).as(run.output()).isZero();
        Path expected = into.resolve("MLNX_OFED_LINUX-24.10-1.1.4.0-" + KERNEL)
                .resolve("MLNX_OFED_LINUX-24.10-1.1.4.0-debian12-ext.tgz");
        assertThat(run.lastLine()).isEqualTo("New image ready at: " + expected);
        assertThat(expected).isRegularFile();
    }

    @Test
    void reportsAFailedRebuildByTheInstaller() throws IOException {
        switches.put("STANDIN_FAULT", "policy");
        StandInRun run = installer("--add-kernel-support-build-only", "--tmpdir", tmp.toString());
        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.lastLine()).isEqualTo("Failed to build MLNX_OFED_LINUX for " + KERNEL);
    }

    @Test
    void installsNothing() throws IOException {
        assertThat(installer("--add-kernel-support").exitCode()).isEqualTo(1);
        assertThat(installer("--print-distro").lines()).containsExactly("debian12");
        assertThat(installer("--script-version").lines()).containsExactly("Version: 24.10-1.1.4.0-standin");
        assertThat(installer("--no-such-option").exitCode()).isEqualTo(22);
    }

    private void packRpms() {
        ExternalTool.orSkip("rpmbuild");
        switches.remove("STANDIN_PACKING");
    }

    @Test
    void namesDebsAsTheVendorDoes() throws IOException {
        StandInImage result = debs("first", "--skip-repo");
        assertThat(debsOf(result))
                .satisfiesExactly(
                        name -> assertThat(name).matches(debName("mlnx-ofed-kernel")),
                        name -> assertThat(name).matches(debName("wl-en")));
        Path deb =
                result.directory().resolve("DEBS/COMMON").resolve(debsOf(result).get(0));
        assertThat(ExternalTool.orSkip("dpkg-deb").run("--contents", deb.toString()))
                .contains("./lib/modules/" + KERNEL + "/updates/wl_compat.ko")
                .doesNotContain("wl_en");
        assertThat(result.directory().resolve("RPMS")).doesNotExist();
        assertThat(result.directory().resolve("supported_kernels")).doesNotExist();
    }

    @Test
    void makesDebPackagesForGroupsWithTheKernelInTheirNames() throws IOException {
        ExternalTool.orSkip("apt-ftparchive");
        StandInImage result = debs("first");
        assertThat(result.directory().resolve("DEBS/UPSTREAM_LIBS"))
                .isDirectoryContaining("glob:**/mlnx-ofed-kernel-only-" + KERNEL + "_24.10-1.1.4.0_all.deb")
                .isDirectoryContaining("glob:**/Packages");
        StandInRun again = rebuild(result, "second");
        assertThat(again.exitCode()).isEqualTo(30);
    }

    @Test
    void namesTheLogOfDpkgBuildpackageAfterAFailedBuild() throws IOException {
        image = StandInImage.makeDebian(tmp.resolve("debian"));
        switches.put("STANDIN_FAULT", "unmet-dependencies");
        StandInRun run = rebuild(image, "first", "--skip-repo");
        assertThat(run.exitCode()).isEqualTo(1);
        Path log = Path.of(run.lastLine().substring("ERROR: See ".length()));
        List<String> logged = Files.readAllLines(log);
        assertThat(logged).contains("Failed to build mlnx-ofed-kernel DEB");
        String last = logged.get(logged.size() - 1);
        assertThat(last).startsWith("See ").endsWith("/mlnx-ofed-kernel.debbuild.log");
        assertThat(Path.of(last.substring("See ".length())))
                .content()
                .contains("Unmet build dependencies: build-essential:native");
    }

    private StandInImage debs(String into, String... more) throws IOException {
        ExternalTool.orSkip("dpkg-deb");
        switches.remove("STANDIN_PACKING");
        return rebuilt(StandInImage.makeDebian(tmp.resolve("debian")), into, more);
    }

    private static String debName(String base) {
        return base + "-modules_24\\.10\\." + RELEASE + "-1\\.kver\\.6\\.1\\.0-53-amd64_\\w+\\.deb";
    }

    private static List<String> debsOf(StandInImage result) throws IOException {
        try (Stream<Path> list = Files.list(result.directory().resolve("DEBS/COMMON"))) {
            return list.map(path -> path.getFileName().toString()).sorted().toList();
        }
    }

    private StandInImage rebuilt(StandInImage from, String into, String... more) throws IOException {
        StandInRun run = rebuild(from, into, more);
        assertThat(run.exitCode()).as(run.output()).isZero();
        return StandInImage.unpack(run.created(), tmp.resolve(into));
    }

    private StandInRun rebuild(StandInImage from, String into, String... more) throws IOException {
        Path results = Files.createDirectories(tmp.resolve(into));
        List<String> arguments = new ArrayList<>(List.of("-m", from.directory().toString(), "-y"));
        arguments.addAll(List.of("-t", results.toString(), "-k", KERNEL));
        arguments.addAll(List.of(more));
        return from.run(switches, arguments.toArray(String[]::new));
    }

    private StandInRun installer(String... options) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(image.directory().resolve("mlnxofedinstall").toString());
        command.addAll(List.of("-k", KERNEL, "--skip-repo", "--without-fw-update"));
        command.addAll(List.of(options));
        return StandInRun.of(command, switches);
    }

    private static String pinnedName(String base) {
        return base + "-modules-24\\.10-" + RELEASE + "\\.kver\\.6\\.1\\.0_53_amd64\\.\\w+\\.rpm";
    }

    private static List<String> modulesIn(Path directory) throws IOException {
        try (Stream<Path> walk = Files.walk(directory)) {
            return walk.filter(path -> path.toString().endsWith(".ko"))
                    .map(path -> directory.relativize(path).toString())
                    .sorted()
                    .toList();
        }
    }

    private static List<String> packagesOf(StandInImage result) throws IOException {
        try (Stream<Path> list = Files.list(result.directory().resolve("RPMS/COMMON"))) {
            return list.map(path -> path.getFileName().toString()).sorted().toList();
        }
    }
}
