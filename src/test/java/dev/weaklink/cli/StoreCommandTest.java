package dev.weaklink.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.weaklink.format.archive.TarWriter;
import dev.weaklink.testing.SymversBuilder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Damaged stores and libraries, and names of packages. The cases of commands cover the rest. */
class StoreCommandTest {
    private static final String RELEASE = "6.1.0-9-test";

    @TempDir
    Path directory;

    private Path store;

    @BeforeEach
    void name() {
        store = directory.resolve("store");
    }

    /** Writes a kernel's package that contains only a symvers file. */
    private String kernelPackage() throws IOException {
        byte[] symvers = new SymversBuilder(SymversBuilder.Layout.NAMESPACE_LAST)
                .kernel("module_layout", SymversBuilder.Kind.EXPORT_SYMBOL, 0x11223344)
                .kernel("_printk", SymversBuilder.Kind.EXPORT_SYMBOL, 5)
                .bytes();
        TarWriter tar = new TarWriter().file("./lib/modules/" + RELEASE + "/symvers", symvers);
        return Files.write(directory.resolve("kernel.tar"), tar.bytes()).toString();
    }

    private WholeRun run(String... words) {
        return WholeRun.of(words);
    }

    private void keep() throws IOException {
        WholeRun run = run("store", "add", "--store", store.toString(), kernelPackage());
        assertThat(run.status()).as(run.err()).isZero();
    }

    private Path entry() throws IOException {
        try (Stream<Path> files = Files.list(store)) {
            List<Path> all =
                    files.filter(file -> file.toString().endsWith(".zip")).toList();
            assertThat(all).hasSize(1);
            return all.get(0);
        }
    }

    @Test
    void namesAndSkipsACorruptKernel() throws IOException {
        keep();
        Path entry = entry();
        byte[] bytes = Files.readAllBytes(entry);
        bytes[bytes.length / 2] ^= 1;
        Files.write(entry, bytes);
        WholeRun list = run("store", "list", "--store", store.toString());
        assertThat(list)
                .isEqualTo(new WholeRun(
                        2,
                        "",
                        "weaklink: " + entry
                                + ": is truncated or corrupt; skipped; remove the file with 'weaklink store prune"
                                + " --store " + store + "'\n"));
        run("store", "prune", "--store", store.toString());
        assertThat(entry).doesNotExist();
    }

    @Test
    void removesNothingIfANamedKernelIsUnknown() throws IOException {
        keep();
        WholeRun prune = run("store", "prune", RELEASE, "9.9", "--store", store.toString());
        assertThat(prune.status()).isEqualTo(2);
        assertThat(prune.err())
                .isEqualTo(
                        "weaklink: 9.9: no such kernel in " + store + "\nweaklink: nothing was removed; 'weaklink store"
                                + " list --store " + store + "' lists the kernels\n");
        assertThat(entry()).exists();
    }

    @Test
    void doesNotRemoveAnUnreadableKernel() throws IOException {
        keep();
        Files.setPosixFilePermissions(entry(), PosixFilePermissions.fromString("---------"));
        assumeThat(Files.isReadable(entry())).as("running as root").isFalse();
        assertThat(run("matrix", "m.ko", "--store", store.toString()).err())
                .contains(entry() + ": permission denied; skipped\n");
        run("store", "prune", "--store", store.toString());
        assertThat(entry()).exists();
    }

    @Test
    void refusesALayerWithAnotherDigest() throws IOException {
        keep();
        Path layout = directory.resolve("layout");
        String elsewhere = directory.resolve("elsewhere").toString();
        run("store", "push", "oci:" + layout, "--store", store.toString());
        try (Stream<Path> blobs = Files.list(layout.resolve("blobs/sha256"))) {
            for (Path blob : blobs.toList()) {
                byte[] bytes = Files.readAllBytes(blob);
                if (bytes[0] == 'P') { // The zip file with the kernel begins with PK.
                    bytes[bytes.length / 2] ^= 1;
                    Files.write(blob, bytes);
                }
            }
        }
        WholeRun pull = run("store", "pull", "oci:" + layout, "--store", elsewhere);
        String said = entry().getFileName() + " does not match its digest; not added\n";
        assertThat(pull).isEqualTo(new WholeRun(2, "", "weaklink: oci:" + layout + ": " + said));
        assertThat(run("store", "list", "--store", elsewhere).out()).isEmpty();
    }

    @Test
    void draftsOfInterruptedCommandsAreRemovedWhenNoCommandNeedsThem() throws IOException {
        keep();
        Path layout = directory.resolve("layout");
        Path elsewhere = Files.createDirectory(directory.resolve("elsewhere"));
        Path blobs = Files.createDirectories(layout.resolve("blobs/sha256"));
        List<Path> drafts = List.of(
                blobs.resolve("." + "0".repeat(64) + "-1.tmp"),
                layout.resolve(".index.json-2.tmp"),
                elsewhere.resolve(".new-3.tmp"));
        for (Path draft : drafts) {
            Files.writeString(draft, "half");
        }
        Path others = Files.writeString(layout.resolve(".index.json-backup"), "a person's");
        FileTime old = FileTime.from(Instant.now().minus(Duration.ofHours(2)));
        Files.setLastModifiedTime(others, old);
        for (boolean areOld : new boolean[] {false, true}) {
            run("store", "push", "oci:" + layout, "--store", store.toString());
            run("store", "pull", "oci:" + layout, "--store", elsewhere.toString());
            assertThat(drafts).allMatch(draft -> Files.exists(draft) != areOld);
            for (Path draft : drafts) {
                if (!areOld) {
                    Files.setLastModifiedTime(draft, old);
                }
            }
            try (Stream<Path> kernels = Files.list(elsewhere)) {
                for (Path kernel :
                        kernels.filter(file -> !drafts.contains(file)).toList()) {
                    Files.delete(kernel);
                }
            }
        }
        assertThat(others).exists();
    }

    @Test
    void packagesOfARepositoryAreKernelsByTheirNames() throws IOException {
        Path repository = Files.createDirectories(directory.resolve("mirror/Packages/k"));
        for (String name : List.of(
                "kernel-5.14.0-503.11.1.el9_5.x86_64",
                "kernel-core-5.14.0-503.11.1.el9_5.x86_64",
                "kernel-modules-5.14.0-503.11.1.el9_5.x86_64",
                "kernel-devel-5.14.0-503.11.1.el9_5.x86_64",
                "kernel-doc-5.14.0-503.11.1.el9_5.noarch",
                "kernel-tools-libs-5.14.0-503.11.1.el9_5.x86_64",
                "kernel-rt-debug-core-5.14.0-503.11.1.el9_5.x86_64",
                "kernel-rt-core-4.18.0-553.rt7.342.el8_10.x86_64",
                "kernel-uek-core-5.15.0-300.163.18.el9uek.x86_64",
                "kernel-lt-6.1.100-1.el9.elrepo.x86_64",
                "kernel-64k-devel-5.14.0-503.11.1.el9_5.aarch64",
                "kernel-64k-devel-matched-5.14.0-503.11.1.el9_5.aarch64",
                "kernel-64k-modules-extra-5.14.0-503.11.1.el9_5.aarch64",
                "kernel-modules-extra-5.14.0-570.el9_6.x86_64",
                "kernel-3.10.0-1160.el7.x86_64",
                "kernel-default-6.4.0-150600.23.17.1.aarch64",
                "kernel-default-6.4.0-150600.23.17.1.x86_64",
                "kernel-default-extra-6.4.0-150600.23.17.1.x86_64",
                "kernel-default-base-6.4.0-150600.23.17.1.x86_64")) {
            Files.write(
                    repository.resolve(name + ".rpm"),
                    new byte[] {(byte) 0xed, (byte) 0xab, (byte) 0xee, (byte) 0xdb, 3});
        }
        String place = directory.resolve("mirror").toString();
        WholeRun run = run("store", "add", "--from-repository", place, "--dry-run", "--store", store.toString());
        assertThat(run.err()).isEmpty();
        assertThat(run.out().replace(repository + "/", "")).isEqualTo("""
            3.10.0-1160.el7.x86_64: kernel-3.10.0-1160.el7.x86_64.rpm
            4.18.0-553.rt7.342.el8_10.x86_64: kernel-rt-core-4.18.0-553.rt7.342.el8_10.x86_64.rpm
            5.14.0-503.11.1.el9_5.aarch64+64k: kernel-64k-devel-5.14.0-503.11.1.el9_5.aarch64.rpm
            5.14.0-503.11.1.el9_5.x86_64: kernel-core-5.14.0-503.11.1.el9_5.x86_64.rpm \
            kernel-modules-5.14.0-503.11.1.el9_5.x86_64.rpm
            5.14.0-503.11.1.el9_5.x86_64+rt-debug: \
            kernel-rt-debug-core-5.14.0-503.11.1.el9_5.x86_64.rpm
            5.15.0-300.163.18.el9uek.x86_64: kernel-uek-core-5.15.0-300.163.18.el9uek.x86_64.rpm
            6.1.100-1.el9.elrepo.x86_64: kernel-lt-6.1.100-1.el9.elrepo.x86_64.rpm
            6.4.0-150600.23.17-default: kernel-default-6.4.0-150600.23.17.1.aarch64.rpm
            6.4.0-150600.23.17-default: kernel-default-6.4.0-150600.23.17.1.x86_64.rpm \
            kernel-default-extra-6.4.0-150600.23.17.1.x86_64.rpm
            """);
    }
}
