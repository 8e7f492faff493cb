package dev.weaklink.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.sys.ExternalCommand;
import dev.weaklink.sys.ExternalCommand.Result;
import dev.weaklink.testing.Compression;
import dev.weaklink.testing.ExternalTool;
import dev.weaklink.testing.Machine;
import dev.weaklink.testing.ModuleBuilder;
import dev.weaklink.testing.SymversBuilder;
import dev.weaklink.testing.TreeBuilder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The effect of the pins on the real apt, in its own root and with its own repository. */
class HoldAptTest {
    private static final Duration LIMIT = Duration.ofMinutes(1);
    private static final String OLD = "6.1.0-8-amd64";
    private static final String PINS = "etc/apt/preferences.d/weaklink-hold.pref";

    @TempDir
    Path directory;

    private Path root;
    private Path repository;

    @BeforeEach
    void install() throws IOException {
        for (String tool : List.of("apt-get", "dpkg-deb", "dpkg-scanpackages")) {
            ExternalTool.orSkip(tool);
        }
        root = Files.createDirectory(directory.resolve("root"));
        repository = Files.createDirectory(directory.resolve("repository"));
        for (String path : List.of(
                "etc/apt/apt.conf.d",
                "etc/apt/preferences.d",
                "etc/weaklink",
                "var/lib/apt/lists/partial",
                "var/cache/apt/archives/partial",
                "var/lib/dpkg")) {
            Files.createDirectories(root.resolve(path));
        }
        Files.writeString(root.resolve("etc/apt/sources.list"), "deb [trusted=yes] copy:" + repository + " ./\n");
        Files.writeString(root.resolve("etc/weaklink/weaklink.conf"), "hold = yes\n");
        StringBuilder status = new StringBuilder();
        for (String line : List.of("linux-image-" + OLD + " 6.1.8-1", "linux-image-amd64 6.1.8-1", "libc6 1")) {
            String[] words = line.split(" ", 2);
            status.append("Package: " + words[0] + "\nStatus: install ok installed\n");
            status.append("Architecture: amd64\nMaintainer: x <x@x>\nDescription: x\n");
            status.append("Version: " + words[1] + "\n\n");
        }
        Files.writeString(root.resolve("var/lib/dpkg/status"), status.toString());
        TreeBuilder tree = TreeBuilder.in(root);
        for (String place : List.of("kernel/own.ko", "updates/acme.ko")) {
            String name = place.contains("own") ? "own" : "acme";
            byte[] module = ModuleBuilder.typical(Machine.X86_64, name)
                    .withoutModInfo("vermagic")
                    .modInfo("vermagic=" + OLD + " SMP mod_unload modversions ")
                    .importing("_printk", 5)
                    .build();
            tree.module(OLD, place, module, Compression.NONE);
        }
        tree.symvers(TreeBuilder.SymversPlace.values()[0], OLD, symvers(5));
        offer("libc6", "2", "");
    }

    private static SymversBuilder symvers(int printk) {
        return new SymversBuilder(SymversBuilder.Layout.NAMESPACE_LAST)
                .kernel("module_layout", SymversBuilder.Kind.EXPORT_SYMBOL, 0x11223344)
                .kernel("_printk", SymversBuilder.Kind.EXPORT_SYMBOL, printk);
    }

    private static Result run(List<String> words) throws IOException {
        return ExternalCommand.of(words, LIMIT).withOutputLimit(1 << 20).run();
    }

    /** Adds a package to the repository. */
    private void offer(String name, String version, String depends) throws IOException {
        Path tree = Files.createDirectories(directory.resolve("build/" + name + version));
        pack(tree, name, version, depends);
    }

    private void pack(Path tree, String name, String version, String depends) throws IOException {
        Files.createDirectories(tree.resolve("DEBIAN"));
        Files.writeString(
                tree.resolve("DEBIAN/control"),
                "Package: "
                        + name
                        + "\nVersion: "
                        + version
                        + "\nArchitecture: amd64\nMaintainer: x <x@x>\nDescription: x\n"
                        + (depends.isEmpty() ? "" : "Depends: " + depends + "\n"));
        Result built = run(List.of("dpkg-deb", "-b", tree.toString(), repository.toString()));
        assertThat(built.succeeded()).as(built.output()).isTrue();
    }

    /** Adds a kernel whose printk has this CRC to the repository, and its headers to the store. */
    private void offerKernel(String release, String version, int printk) throws IOException {
        Path headers = Files.createDirectories(directory.resolve("build/headers-" + release));
        Path place = headers.resolve("usr/src/linux-headers-" + release);
        Files.createDirectories(place);
        Files.write(place.resolve("Module.symvers"), symvers(printk).bytes());
        pack(headers, "linux-headers-" + release, version, "");
        offer("linux-image-" + release, version, "");
        offer("linux-image-amd64", version, "linux-image-" + release + " (= " + version + ")");
        String file = "linux-headers-" + release + "_" + version + "_amd64.deb";
        WholeRun kept = WholeRun.of("store", "add", "--root", root.toString(), repository + "/" + file);
        assertThat(kept.status()).as(kept.err()).isZero();
    }

    private Result apt(String... words) throws IOException {
        List<String> command = new ArrayList<>(List.of("apt-get", "-q", "-o", "Dir=" + root));
        for (String option : List.of(
                "Dir::State::status=" + root + "/var/lib/dpkg/status",
                "APT::Architecture=amd64",
                "APT::Sandbox::User=root",
                "Debug::NoLocking=1")) {
            command.addAll(List.of("-o", option));
        }
        command.addAll(List.of(words));
        return run(command);
    }

    private void update() throws IOException {
        Result index = run(List.of("sh", "-c", "cd '" + repository + "' && dpkg-scanpackages -m . > Packages"));
        assertThat(index.succeeded()).as(index.output()).isTrue();
        Result updated = apt("update");
        assertThat(updated.succeeded()).as(updated.output()).isTrue();
    }

    private List<String> upgraded() throws IOException {
        Result shown = apt("-s", "full-upgrade");
        assertThat(shown.succeeded()).as(shown.output()).isTrue();
        return shown.lines().stream()
                .filter(line -> line.startsWith("Inst "))
                .map(line -> line.split(" ", 3)[1])
                .sorted()
                .toList();
    }

    private WholeRun hold() {
        return WholeRun.of("hold", "--root", root.toString());
    }

    @Test
    void upgradesAllButTheKernelUntilAFittingKernelIsOffered() throws IOException {
        offerKernel("6.1.0-9-amd64", "6.1.9-1", 6);
        update();
        assertThat(upgraded()).containsExactly("libc6", "linux-image-6.1.0-9-amd64", "linux-image-amd64");

        assertThat(hold().status()).isEqualTo(1);
        assertThat(upgraded()).containsExactly("libc6");

        offerKernel("6.1.0-10-amd64", "6.1.10-1", 5);
        update();
        assertThat(hold().status()).isEqualTo(1);
        assertThat(upgraded()).containsExactly("libc6", "linux-image-6.1.0-10-amd64", "linux-image-amd64");
    }

    @Test
    void installsTheNewestKernelThatFits() throws IOException {
        offerKernel("6.1.0-9-amd64", "6.1.9-1", 5);
        offerKernel("6.1.0-10-amd64", "6.1.10-1", 6);
        update();

        assertThat(hold().status()).isEqualTo(1);
        assertThat(upgraded()).containsExactly("libc6", "linux-image-6.1.0-9-amd64", "linux-image-amd64");
    }

    @Test
    void upgradesEverythingAfterAKilledHold() throws IOException {
        offerKernel("6.1.0-9-amd64", "6.1.9-1", 6);
        update();
        Files.writeString(
                root.resolve("etc/apt/preferences.d/.weaklink-hold.pref-1.tmp"),
                "Package: linux-image-amd64\nPin: vers");
        assertThat(upgraded()).hasSize(3);

        hold();
        assertThat(upgraded()).containsExactly("libc6");
        WholeRun.of("hold", "--root", root.toString(), "--off");
        assertThat(upgraded()).hasSize(3);
    }
}
