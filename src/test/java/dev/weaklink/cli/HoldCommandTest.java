package dev.weaklink.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;

import dev.weaklink.sys.LockFile;
import dev.weaklink.sys.RootText;
import dev.weaklink.testing.Compression;
import dev.weaklink.testing.Machine;
import dev.weaklink.testing.ModuleBuilder;
import dev.weaklink.testing.Packing;
import dev.weaklink.testing.SymversBuilder;
import dev.weaklink.testing.TreeBuilder;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The reading of apt's lists and of the kept state. The cases of commands cover the held kernels. */
class HoldCommandTest {
    private static final String OLD = "6.1.0-8-amd64";
    private static final String BAD = "6.1.0-9-amd64";
    private static final String LIST = "var/lib/apt/lists/deb_dists_x_main_binary-amd64_Packages";
    private static final String PINS = "etc/apt/preferences.d/weaklink-hold.pref";
    private static final String OFFERED = """
      Package: linux-image-6.1.0-9-amd64
      Version: 6.1.9-1

      Package: linux-headers-6.1.0-9-amd64
      Version: 6.1.9-1
      """;

    @TempDir
    Path directory;

    private Path root;

    @BeforeEach
    void install() throws IOException {
        root = Files.createDirectory(directory.resolve("root"));
        TreeBuilder tree = TreeBuilder.in(root);
        for (String file : List.of("kernel/own.ko", "updates/acme.ko")) {
            byte[] module = ModuleBuilder.typical(
                            Machine.X86_64, file.substring(file.indexOf('/') + 1, file.length() - 3))
                    .withoutModInfo("vermagic")
                    .modInfo("vermagic=" + OLD + " SMP mod_unload modversions ")
                    .importing("_printk", 5)
                    .build();
            tree.module(OLD, file, module, Compression.NONE);
        }
        file("var/lib/dpkg/status", "Package: dpkg\nStatus: install ok installed\nVersion: 1\n");
        file("etc/weaklink/weaklink.conf", "hold = yes\n");
        file(LIST, OFFERED);
        keep();
    }

    private void file(String path, String text) throws IOException {
        Files.createDirectories(root.resolve(path).getParent());
        Files.writeString(root.resolve(path), text);
    }

    /** Adds a kernel that refuses the module to the store, as from its headers. */
    private void keep() throws IOException {
        Path headers = Files.createDirectories(directory.resolve("headers"));
        byte[] symvers = new SymversBuilder(SymversBuilder.Layout.NAMESPACE_LAST)
                .kernel("module_layout", SymversBuilder.Kind.EXPORT_SYMBOL, 0x11223344)
                .kernel("_printk", SymversBuilder.Kind.EXPORT_SYMBOL, 6)
                .bytes();
        Files.write(headers.resolve("Module.symvers"), symvers);
        Files.createDirectories(headers.resolve("include/config"));
        Files.writeString(headers.resolve("include/config/kernel.release"), BAD + "\n");
        WholeRun kept = WholeRun.of("store", "add", "--root", "" + root, "" + headers);
        assertThat(kept.status()).as(kept.err()).isZero();
    }

    private WholeRun hold() {
        return WholeRun.of("hold", "--root", root.toString());
    }

    @Test
    void checksAKernelAgainIfItsStoredFormIsObsolete() throws IOException {
        assertThat(hold().status()).isEqualTo(1);
        for (String name : RootText.names(root.resolve("var/lib/weaklink/kernels"))) {
            Files.writeString(root.resolve("var/lib/weaklink/kernels").resolve(name), "old");
        }
        WholeRun run = hold();
        assertThat(run.out()).isEqualTo("""
            UNKNOWN  6.1.0-9-amd64 (6.1.9-1)
                  its headers (linux-headers-6.1.0-9-amd64) were not read

            no offered kernel is known to fit
            nothing is held
            """);
        assertThat(run.err()).isEmpty();

        keep();
        assertThat(hold().status()).isEqualTo(1);
    }

    @Test
    void readsCompressedListsBesideACorruptList() throws IOException {
        byte[] list = OFFERED.getBytes(StandardCharsets.UTF_8);
        Files.delete(root.resolve(LIST));
        for (Packing packing : List.of(Packing.GZIP, Packing.XZ, Packing.ZSTD, Packing.LZ4_FRAME)) {
            byte[] packed = packing.pack(list);
            Files.write(root.resolve(LIST + ".lz4"), packed);
            Files.write(root.resolve(LIST.replace("_x_", "_y_") + ".xz"), Arrays.copyOf(packed, packed.length / 2));
            WholeRun run = hold();
            assertThat(run.status()).as("%s", packing).isEqualTo(1);
            assertThat(run.messages())
                    .singleElement()
                    .matches(line -> line.startsWith("/var/lib/apt/lists/deb_dists_y_main_binary-amd64"));
        }
    }

    @Test
    void advisesUsersWithoutPermissionToRunItAsRoot() throws IOException {
        assertThat(hold().status()).isEqualTo(1);
        Path pins = root.resolve(PINS);
        Files.setPosixFilePermissions(pins.getParent(), PosixFilePermissions.fromString("r-xr-xr-x"));
        assumeThat(Files.isWritable(pins.getParent())).as("root").isFalse();
        assertThat(hold().messages())
                .containsExactly("hold: kernels stay held as before: permission denied; repeat the"
                        + " command as root, or with --dry-run to see what it would hold");
        WholeRun off = WholeRun.of("hold", "--root", "" + root, "--off");
        assertThat(off.messages())
                .containsExactly(pins + ": kernels stay held as before: permission denied; run weaklink as root");
        assertThat(off.status()).isEqualTo(4);
    }

    @Test
    void releasesNoKernelInADryRun() throws IOException {
        assertThat(weaklink("hold", "--off", "--dry-run").out()).isEqualTo("no kernel is held\n");
        assertThat(hold().status()).isEqualTo(1);
        String pins = Files.readString(root.resolve(PINS));
        WholeRun dry = weaklink("hold", "--off", "--dry-run");
        assertThat(dry.out()).isEqualTo("would release all held kernels\n");
        assertThat(dry.status()).isZero();
        assertThat(root.resolve(PINS)).hasContent(pins);
        assertThat(weaklink("hold", "--off").out()).isEqualTo("no kernel is held any more\n");
        assertThat(root.resolve(PINS)).doesNotExist();
    }

    @Test
    void waitsForAnotherHold() throws Exception {
        CompletableFuture<WholeRun> second;
        try (LockFile first = lock()) {
            assertThat(first).isNotNull();
            second = CompletableFuture.supplyAsync(this::hold);
            assertThatThrownBy(() -> second.get(2, TimeUnit.SECONDS)).isInstanceOf(TimeoutException.class);
            assertThat(root.resolve(PINS)).doesNotExist();
        }
        WholeRun run = second.get(1, TimeUnit.MINUTES);
        assertThat(run.status()).as(run.err()).isEqualTo(1);
        assertThat(run.messages()).singleElement(STRING).startsWith("waiting for process ");
        assertThat(root.resolve(PINS)).exists();
    }

    private @Nullable LockFile lock() throws IOException {
        Path file = root.resolve("run/weaklink/hold.lock");
        Files.createDirectories(file.getParent());
        return LockFile.acquire(file, "weaklink hold", Duration.ZERO, holder -> {});
    }

    @Test
    void concurrentHoldsBothSucceed() {
        List<CompletableFuture<WholeRun>> runs = Stream.generate(() -> CompletableFuture.supplyAsync(this::hold))
                .limit(3)
                .toList();
        for (CompletableFuture<WholeRun> run : runs) {
            assertThat(run.join().status()).as(run.join().err()).isEqualTo(1);
        }
        assertThat(root.resolve(PINS)).content().contains("linux-image-" + BAD);
        assertThat(root.resolve("var/lib/weaklink/hold.json")).content().contains("\"done\":true");
    }

    @Test
    void leavesThePreviousHoldsIfWritingFails() throws IOException {
        assertThat(hold().status()).isEqualTo(1);
        String pins = Files.readString(root.resolve(PINS));
        Path motd = root.resolve("etc/motd.d/weaklink-hold");
        Files.delete(motd);
        Files.createDirectories(motd.resolve("full"));
        file(LIST, OFFERED.replace("6.1.9-1", "6.1.9-2"));
        WholeRun run = hold();
        assertThat(run.status()).isEqualTo(4);
        assertThat(run.messages()).singleElement(STRING).startsWith("hold: kernels stay held as before: ");
        assertThat(root.resolve(PINS)).hasContent(pins);
        assertThat(root.resolve("var/lib/weaklink/hold.json")).content().contains("6.1.9-1");
        for (String directory : List.of("etc/apt/preferences.d", "etc/motd.d")) {
            assertThat(RootText.names(root.resolve(directory))).noneMatch(name -> name.startsWith("."));
        }
    }

    @Test
    void removesFilesOfKilledHolds() throws IOException {
        for (String[] command : new String[][] {{"hold"}, {"hold", "--off"}}) {
            file("etc/motd.d/.weaklink-hold-1.tmp", "half");
            file("etc/apt/preferences.d/.weaklink-hold.pref-1.tmp", "half");
            file("var/lib/weaklink/.hold.json-1.tmp", "half");
            file("var/lib/weaklink/.hold.json-backup", "a person's");
            weaklink(command);
            for (String directory : List.of("etc/motd.d", "etc/apt/preferences.d", "var/lib/weaklink")) {
                assertThat(RootText.names(root.resolve(directory)))
                        .as("%s after %s", directory, command)
                        .noneMatch(name -> name.endsWith(".tmp"));
            }
            assertThat(root.resolve("var/lib/weaklink/.hold.json-backup")).exists();
        }
    }

    private WholeRun weaklink(String... command) {
        List<String> words = new ArrayList<>(List.of(command));
        words.addAll(List.of("--root", root.toString()));
        return WholeRun.of(words.toArray(String[]::new));
    }

    @Test
    void kernelsThatCannotBeReleasedStayHeld() throws IOException {
        assertThat(hold().status()).isEqualTo(1);
        String pins = Files.readString(root.resolve(PINS));
        Path motd = root.resolve("etc/motd.d/weaklink-hold");
        Files.delete(motd);
        Files.createDirectories(motd.resolve("full"));
        WholeRun off = weaklink("hold", "--off");
        assertThat(off.status()).isEqualTo(4);
        assertThat(off.messages()).singleElement(STRING).contains("kernels stay held as before: ");
        assertThat(root.resolve(PINS)).hasContent(pins);
        assertThat(root.resolve("var/lib/weaklink/hold.json")).content().contains("\"done\":true");
    }

    /** Lists of repositories can name any number of packages, each with any number of relations. */
    @Test
    @Timeout(60)
    void listsOfAnySizeAreReadInBoundedMemoryAndTime() throws IOException {
        StringBuilder list = new StringBuilder(OFFERED);
        for (int i = 0; i < 5_000; i++) {
            list.append("\nPackage: linux-image-many\nVersion: " + i + "\nDepends: linux-image-many");
            for (int j = 0; j < 100; j++) {
                list.append(", linux-image-many (= " + (i + j) + ")");
            }
            list.append('\n');
        }
        file(LIST, list.toString());
        file("var/lib/dpkg/status", "Package: linux-image-many\nStatus: install ok installed\nVersion: 1\n");
        WholeRun run = hold();
        assertThat(run.messages())
                .containsExactly(
                        "/var/lib/apt/lists: packages of kernels and drivers, with their dependencies, need more"
                                + " than 64 MiB; some were not read; remove apt sources that this machine does not need");
        assertThat(run.status()).isEqualTo(1);
    }

    /** The newest version of a package that headers need must not be searched again for each kernel. */
    @Test
    @Timeout(60)
    void manyKernelsWhoseHeadersNeedAPackageOfManyVersionsAreReadInBoundedTime() throws IOException {
        StringBuilder list = new StringBuilder(OFFERED);
        for (int i = 0; i < 12_000; i++) {
            String release = "6.1.0-" + (10 + i) + "-amd64";
            list.append("\nPackage: linux-image-" + release + "\nVersion: 1\n")
                    .append("\nPackage: linux-headers-" + release + "\nVersion: 1\n")
                    .append("Depends: linux-kbuild-6.1, linux-kbuild-6.1:any\n")
                    .append("\nPackage: linux-kbuild-6.1\nVersion: 6.1." + i + "\n");
        }
        file(LIST, list.toString());
        assertThat(hold().status()).isEqualTo(1);
        assertThat(root.resolve(PINS)).content().contains("linux-image-" + BAD);
    }
}
