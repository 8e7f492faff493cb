package dev.weaklink.realkernel;

import static dev.weaklink.realkernel.KernelSeries.K55;
import static dev.weaklink.realkernel.KernelSeries.K56;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.testing.ExternalTool;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests that every way to build results in modules that a real kernel would load. The ways are the site's own commands,
 * including the real rpmbuild and dpkg-buildpackage, and a vendor's installer.
 */
class PackagedBuildsIT {
    private static final String TREE = "/usr/src/linux-headers-" + K55;
    private static final String BUILT = K55 + ": 1 module built, 1 of which the kernel would load";
    private static final String INSTALLED = K55 + ": installed; the kernel would load 1 of 1 module";

    @TempDir
    Path directory;

    private KernelSeries series;
    private SourcePackages sources;

    @BeforeEach
    void makeRoot() throws IOException {
        ExternalTool.orSkip("depmod");
        series = KernelSeries.orSkip(directory);
        sources = new SourcePackages(Files.createDirectory(directory.resolve("sources")));
    }

    private WeaklinkRunner.Run rebuild(String... words) {
        List<String> all = new ArrayList<>(List.of("--kernel", K55, "--build-tree", TREE));
        all.addAll(List.of(words));
        return series.weaklink("rebuild", all.toArray(String[]::new));
    }

    private void assertBuilt(WeaklinkRunner.Run run) {
        assertThat(run.exitCode()).as(run.stdout() + run.stderr()).isZero();
        assertThat(run.stdout()).contains(BUILT, "  COMPATIBLE  wl_dkms");
    }

    /** Returns the command that the manual page proposes for a source package. */
    private static String[] rpmbuild(Path source, String... options) {
        List<String> words = new ArrayList<>(List.of("--backend", "command"));
        words.addAll(List.of(options));
        words.addAll(List.of("--", "rpmbuild", "--rebuild", "--define", "_topdir {results}"));
        words.addAll(List.of("--define", "KVERSION {kernel}", "--define", "K_SRC {build}"));
        words.add(source.toString());
        return words.toArray(String[]::new);
    }

    private void isRedHat() throws IOException {
        Files.writeString(series.root().resolve("etc/os-release"), "ID=rhel\nVERSION_ID=9.4\n");
    }

    private ExternalTool rpmInRoot() throws IOException {
        ExternalTool rpm = ExternalTool.orSkip("rpm");
        Files.createDirectories(series.root().resolve("var/lib/rpm"));
        rpm.run("--root", series.root().toString(), "--dbpath", "/var/lib/rpm", "--initdb");
        return rpm;
    }

    private String rpm(ExternalTool rpm, String... words) throws IOException {
        List<String> all = new ArrayList<>(List.of("--root", series.root().toString(), "--dbpath", "/var/lib/rpm"));
        all.addAll(List.of(words));
        return rpm.run(all.toArray(String[]::new));
    }

    @Test
    void buildsASourcePackageInstallsItByRpmAndMakesAYumRepository() throws IOException {
        ExternalTool.orSkip("createrepo_c");
        isRedHat();
        ExternalTool rpm = rpmInRoot();
        Path offer = directory.resolve("offer");
        WeaklinkRunner.Run run = rebuild(rpmbuild(sources.rpm(), "--repository", offer.toString(), "--install"));
        assertBuilt(run);
        assertThat(run.stdout())
                .contains(
                        INSTALLED,
                        "  repository: baseurl=file://" + offer,
                        "  repository: then, on each machine: dnf install kmod-wl")
                .anyMatch(line -> line.startsWith("  to undo: rpm --root ") && line.endsWith(" --erase kmod-wl"));
        assertThat(rpm(rpm, "--query", "kmod-wl")).contains("kmod-wl-1.0-1.");
        assertThat(series.module(K55, "extra/wl/wl_dkms.ko")).isRegularFile();
        assertThat(primary(offer)).contains("<name>kmod-wl</name>", "kmod-wl-1.0-1.x86_64.rpm");

        WeaklinkRunner.Run undo = series.weaklink("undo");
        assertThat(undo.exitCode()).isEqualTo(1);
        assertThat(undo.stdout())
                .anyMatch(line -> line.startsWith(
                        "  installed by another program; to remove the modules, run: the package manager, to remove"));
        rpm(rpm, "--erase", "kmod-wl");
        assertThat(series.module(K55, "extra/wl/wl_dkms.ko")).doesNotExist();
    }

    /** Returns the list of packages that createrepo_c wrote. */
    private static String primary(Path repository) throws IOException {
        try (Stream<Path> files = Files.list(repository.resolve("repodata"))) {
            Path primary = files.filter(file -> file.toString().endsWith("-primary.xml.gz"))
                    .findFirst()
                    .orElseThrow();
            try (InputStream in = new GZIPInputStream(Files.newInputStream(primary))) {
                return new String(in.readAllBytes(), StandardCharsets.UTF_8);
            }
        }
    }

    @Test
    void installsFilesReversiblyWithoutADatabaseOfPackages() throws IOException {
        isRedHat();
        WeaklinkRunner.Run run = rebuild(rpmbuild(sources.rpm(), "--install"));
        assertBuilt(run);
        assertThat(run.stdout()).contains(INSTALLED);
        assertThat(series.root().resolve("etc/depmod.d/zz01-wl.conf")).hasContent("override wl_dkms * extra/wl");
        assertThat(Files.readString(series.module(K55, "modules.dep"))).contains("extra/wl/wl_dkms.ko");
        assertThat(series.weaklink("apply", "--kernel", K56).exitCode()).isZero();
        assertThat(series.weaklink("undo").exitCode()).isZero();
        assertThat(series.weaklink("undo").exitCode()).isZero();
        assertThat(series.module(K55, "extra")).doesNotExist();
        assertThat(series.root().resolve("etc/depmod.d/zz01-wl.conf")).doesNotExist();
    }

    @Test
    void findsTheCompilersErrorInTheOutputOfRpmbuild() throws IOException {
        isRedHat();
        SourcePackages.breakSource(sources.plain("wl-1.0"));
        Path source = sources.rpm();
        WeaklinkRunner.Run run = rebuild(rpmbuild(source));
        assertThat(run.exitCode()).isEqualTo(4);
        assertThat(run.stdout())
                .contains(K55 + ": command failed: api-change")
                .anyMatch(line -> line.contains("error: implicit declaration of function"));
    }

    @Test
    void buildsADebianSourcePackageInstallsItByDpkgAndMakesAnAptRepository() throws IOException {
        ExternalTool.orSkip("dpkg-scanpackages");
        Path status = series.root().resolve("var/lib/dpkg/status");
        Files.createDirectories(status.getParent());
        Files.createFile(status);
        Path offer = directory.resolve("offer");
        WeaklinkRunner.Run run = rebuild(
                "--backend",
                "command",
                "--set",
                "KVERS={kernel}",
                "--set",
                "KSRC={build}",
                "--repository",
                offer.toString(),
                "--install",
                "--",
                "sh",
                "-c",
                "cp -a '%s' source && (cd source && dpkg-buildpackage -us -uc -b) && rm -r source"
                        .formatted(sources.debian()));
        assertBuilt(run);
        assertThat(run.stdout())
                .contains(
                        INSTALLED,
                        "  repository: deb [trusted=yes] file:" + offer + " ./",
                        "  to undo: dpkg --root=" + series.root() + " --remove wl-modules");
        assertThat(Files.readString(status)).contains("Package: wl-modules\nStatus: install ok installed\n");
        assertThat(series.module(K55, "updates/wl_dkms.ko")).isRegularFile();
        assertThat(Files.readString(offer.resolve("Packages")))
                .contains("Package: wl-modules\n", "Filename: ./wl-modules_1.0_amd64.deb\n");
    }

    @Test
    void theInstallerOfAnImageBuildsAndInstallsNothingByItself() {
        WeaklinkRunner.Run run = series.rebuild(K55, Map.of(), "--backend", "mlnx-install", "--skip-repo", "--install");
        assertThat(run.exitCode()).as(run.stdout() + run.stderr()).isZero();
        assertThat(run.stdout())
                .contains(
                        K55 + ": 3 modules built, 3 of which the kernel would load",
                        K55 + ": installed; the kernel would load 3 of 3 modules");
    }

    /** Takes the command from the image's own rules, and runs it because the user requests the rebuild. */
    @Test
    void buildsWithACommandOfTheSitesRules() throws IOException {
        Path source = Files.createDirectories(series.root().resolve("usr/src"));
        new SourcePackages(source).plain("wl");
        Files.writeString(series.root().resolve("etc/weaklink/wl.yaml"), """
        products:
          - id: wl
            recognise: {modules: wl_dkms}
            rebuild:
              backend: command
              command: [make, -C, "{build}", "M={root}/usr/src/wl", modules]
              environment: {KCFLAGS: "-DWL_FOR=1"}
              results: "{root}/usr/src/wl"
        """);
        WeaklinkRunner.Run refused = rebuild("--product", "wl");
        assertThat(refused.exitCode()).isEqualTo(2);
        assertThat(refused.stderr()).contains("run it with --backend command");
        WeaklinkRunner.Run run = rebuild("--product", "wl", "--backend", "command", "--install");
        assertBuilt(run);
        assertThat(run.stdout()).contains(INSTALLED);
        assertThat(series.module(K55, "updates/wl_dkms/wl_dkms.ko")).isRegularFile();
    }
}
