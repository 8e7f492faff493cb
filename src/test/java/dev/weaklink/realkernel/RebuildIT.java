package dev.weaklink.realkernel;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.standin.DkmsSandbox;
import dev.weaklink.standin.StandInImage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A new kernel arrives that no build supports. The plan reports this, the rebuild builds against the real headers, and
 * the installed module is one that the kernel's loader accepts. Debian's 6.1.0-55 has another module_layout than
 * 6.1.0-53.
 */
class RebuildIT {
    private static final String OLD = "6.1.0-53-amd64";
    private static final String NEW = "6.1.0-55-amd64";

    @TempDir
    Path directory;

    private Path root;

    @BeforeEach
    void installKernels() throws IOException {
        root = Files.createDirectory(directory.resolve("root"));
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
    }

    private WeaklinkRunner.Run weaklink(String command, String kernel, String... more) {
        List<String> words = new ArrayList<>(List.of(command, "--kernel", kernel, "--root", root.toString()));
        words.addAll(List.of(more));
        return WeaklinkRunner.run(words);
    }

    private WeaklinkRunner.Run rebuild(String kernel, String... more) {
        List<String> words = new ArrayList<>(List.of(more));
        words.add("--install");
        words.add("--build-tree");
        words.add("/usr/src/linux-headers-" + kernel);
        return weaklink("rebuild", kernel, words.toArray(new String[0]));
    }

    @Test
    void rebuildsAnImageForAKernelWithAnotherModuleLayout() throws IOException {
        Path image = StandInImage.make(directory.resolve("bundle")).directory();
        WeaklinkRunner.Run first = rebuild(OLD, "--bundle", image.toString(), "--skip-repo");
        assertThat(first.exitCode()).as(first.stderr()).isZero();

        WeaklinkRunner.Run plan = weaklink("plan", NEW);
        assertThat(plan.exitCode()).as(plan.stderr()).isEqualTo(1);
        assertThat(plan.stdout())
                .contains("    wl_compat, wl_core, wl_en: would be refused, module_layout has changed")
                .anyMatch(line -> line.startsWith("REBUILD for " + NEW + ": 2 modules of extra/mlnx-ofa_kernel"))
                .anyMatch(line -> line.startsWith("  by: mlnx, "));

        WeaklinkRunner.Run second = rebuild(NEW, "--bundle", image.toString(), "--skip-repo");
        assertThat(second.exitCode()).as(second.stderr()).isZero();
        assertThat(second.stdout())
                .contains(
                        NEW + ": 3 modules built, 3 of which the kernel would load",
                        NEW + ": installed; the kernel would load 3 of 3 modules");
        assertThat(weaklink("plan", NEW, "--units").stdout())
                .allMatch(line -> line.startsWith("weaklink: " + NEW + " loads "));
        assertThat(weaklink("check", NEW, "wl_compat", "wl_core", "wl_en").exitCode())
                .isZero();
    }

    @Test
    void buildsAndInstallsADkmsPackage() throws IOException {
        DkmsSandbox dkms = DkmsSandbox.orSkip(root);
        assertThat(dkms.run("add", "-m", DkmsSandbox.PACKAGE).exitCode()).isZero();
        assertThat(rebuild(OLD).exitCode()).isZero();
        WeaklinkRunner.Run plan = weaklink("plan", NEW);
        assertThat(plan.stdout()).anyMatch(line -> line.startsWith("  by: dkms, "));

        WeaklinkRunner.Run second = rebuild(NEW);
        assertThat(second.exitCode()).as(second.stderr()).isZero();
        assertThat(second.stdout())
                .contains("  COMPATIBLE  wl_dkms")
                .anyMatch(line -> line.startsWith("  to undo: dkms uninstall -m wl-dkms -v 1.0 -k " + NEW + " "));
        assertThat(run(NEW).resolve("logs/wl-dkms/1.0/" + NEW + "/x86_64/log/make.log"))
                .isRegularFile();
        assertThat(root.resolve("lib/modules/" + NEW + "/updates/dkms/wl_dkms.ko"))
                .isRegularFile();
        assertThat(weaklink("plan", NEW, "--units").stdout()).containsExactly("weaklink: " + NEW + " loads wl_dkms");
    }

    @Test
    void findsTheCompilersErrorInTheLogOfDkms() throws IOException {
        DkmsSandbox dkms = DkmsSandbox.orSkip(root);
        assertThat(dkms.run("add", "-m", DkmsSandbox.PACKAGE).exitCode()).isZero();
        Path code = dkms.sources().resolve("wl_dkms.c");
        Files.writeString(code, Files.readString(code).replace("dev_put(", "wl_gone("));
        WeaklinkRunner.Run run = rebuild(NEW);
        assertThat(run.exitCode()).isEqualTo(4);
        assertThat(run.stdout())
                .contains(NEW + ": dkms failed: api-change")
                .contains("  in " + run(NEW).resolve("logs/wl-dkms/1.0/build/make.log"))
                .anyMatch(line -> line.contains("error: implicit declaration of function"));
        assertThat(Files.readString(run(NEW).resolve("logs/wl-dkms/1.0/build/make.log")))
                .contains("error: implicit declaration of function");
    }

    /** Returns the directory of the first run for a kernel. */
    private Path run(String kernel) {
        return root.resolve("var/lib/weaklink/rebuilds/" + kernel + "/1");
    }
}
