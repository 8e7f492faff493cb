package dev.weaklink.format.archive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weaklink.format.archive.PackageEntry.EntryType;
import dev.weaklink.format.archive.PackageInfo.PackageKind;
import dev.weaklink.format.archive.PackageInfo.PackageRelation;
import dev.weaklink.format.archive.PackageReader.PackageLimits;
import dev.weaklink.format.archive.RpmPackage.RpmTag;
import dev.weaklink.sys.UnreadableException;
import dev.weaklink.testing.Packing;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class RpmPackageTest {
    private static final String DIRECTORY = "/lib/modules/6.1/extra/";
    private static final byte[] MODULE = "the module".getBytes(StandardCharsets.US_ASCII);

    @TempDir
    Path temp;

    private Path file(byte[] bytes) throws IOException {
        return Files.write(temp.resolve("package"), bytes);
    }

    private static PackageInfo info(Path file) throws IOException {
        try (PackageFile open = PackageReader.open(file, PackageLimits.DEFAULT)) {
            return open.info();
        }
    }

    private static RpmWriter listingOneModule() {
        return RpmWriter.named("kmod-m").files(DIRECTORY, List.of("m.ko"), MODULE.length);
    }

    private static byte[] payload() {
        return new CpioWriter().file("." + DIRECTORY + "m.ko", MODULE).bytes();
    }

    @ParameterizedTest
    @EnumSource
    void payloadsAreReadInEveryPacking(Packing packing) throws IOException {
        Path file = file(listingOneModule().bytes(packing.pack(payload())));
        assertThat(Visited.all(file).contents).containsOnlyKeys(DIRECTORY + "m.ko");
        assertThat(Visited.all(file).text(DIRECTORY + "m.ko")).isEqualTo("the module");
    }

    @Test
    void symbolVersionsAreAmongRequiresAndProvides() throws IOException {
        RpmWriter writer = listingOneModule()
                .ints(RpmTag.EPOCH, 3)
                .string(RpmTag.SOURCE_RPM, "m-driver-1.0-2.src.rpm")
                .strings(RpmTag.REQUIRE_NAME, List.of("kernel(printk)", "ksym(x)", "/bin/sh", "k"))
                .ints(RpmTag.REQUIRE_FLAGS, 8, 8, 0, 12)
                .strings(RpmTag.REQUIRE_VERSION, List.of("0x92997ed8", "0x00000001", "", "5.14"));
        assertThat(info(file(writer.bytes(payload()))))
                .isEqualTo(new PackageInfo(
                        PackageKind.RPM,
                        "kmod-m",
                        "3:1.0-2",
                        "m-driver",
                        List.of(
                                new PackageRelation("kernel(printk)", "=", "0x92997ed8"),
                                new PackageRelation("ksym(x)", "=", "0x00000001"),
                                new PackageRelation("/bin/sh", "", ""),
                                new PackageRelation("k", ">=", "5.14"))));
    }

    @Test
    void givesContentsOfHardLinksToTheFirstWantedName() throws IOException {
        byte[] payload = new CpioWriter()
                .entry("./a/m.ko", CpioWriter.FILE, 7, 3, 0, new byte[0])
                .entry("./b/m.ko", CpioWriter.FILE, 7, 3, 0, new byte[0])
                .entry("./z", CpioWriter.FILE, 7, 3, MODULE.length, MODULE)
                .entry("./empty", CpioWriter.FILE, 8, 2, 0, new byte[0])
                .bytes();
        Path file = file(listingOneModule().bytes(payload));
        Visited all = Visited.all(file);
        assertThat(all.contents).containsOnlyKeys("/a/m.ko", "/empty");
        assertThat(all.text("/a/m.ko")).isEqualTo("the module");
        assertThat(all.entries.get("/z"))
                .isNotNull()
                .extracting(PackageEntry::type, PackageEntry::target)
                .containsExactly(EntryType.HARDLINK, "/a/m.ko");

        Visited some = Visited.wanting(path -> !path.equals("/a/m.ko")).of(file);
        assertThat(some.text("/b/m.ko")).isEqualTo("the module");
    }

    @Test
    void strippedPayloadsTakeNamesAndSizesFromTheHeader() throws IOException {
        byte[] payload = new CpioWriter()
                .stripped(1, MODULE)
                .stripped(0, "one".getBytes(StandardCharsets.US_ASCII))
                .bytes();
        Path file = file(RpmWriter.named("kmod-m")
                .files(DIRECTORY, List.of("a.ko", "b.ko"), 3, MODULE.length)
                .bytes(Packing.ZSTD.pack(payload)));
        Visited visited = Visited.all(file);
        assertThat(visited.text(DIRECTORY + "a.ko")).isEqualTo("one");
        assertThat(visited.text(DIRECTORY + "b.ko")).isEqualTo("the module");
    }

    @Test
    void refusesAStrippedEntryThatTheHeaderDoesNotList() throws IOException {
        Path file = file(
                listingOneModule().bytes(new CpioWriter().stripped(1, MODULE).bytes()));
        assertThatThrownBy(() -> Visited.all(file))
                .hasMessage(file + ": corrupt rpm package: its header lists no file number 1");
    }

    @Test
    void doesNotReadThePayloadIfNoFileIsWanted() throws IOException {
        byte[] rpm = listingOneModule().bytes(Packing.GZIP.pack(payload()));
        Path file = file(Arrays.copyOf(rpm, rpm.length - 20));
        assertThatThrownBy(() -> Visited.all(file)).hasMessage(file + ": truncated gzip data");
        assertThat(Visited.wanting(path -> path.endsWith(".conf")).of(file).entries)
                .isEmpty();
    }

    @Test
    void refusesUnsupportedPayloads() throws IOException {
        Path drpm =
                file(listingOneModule().string(RpmTag.PAYLOAD_FORMAT, "drpm").bytes(payload()));
        assertThatThrownBy(() -> info(drpm)).hasMessageContaining("payload is not a cpio archive");
        Path aligned = file(listingOneModule()
                .strings(RpmTag.REQUIRE_NAME, List.of("rpmlib(PayloadAlignment)"))
                .bytes(payload()));
        assertThatThrownBy(() -> info(aligned)).hasMessageContaining("aligned payload");
    }

    @Test
    void refusesFormat6WithAdvice() throws IOException {
        Path sixth = file(listingOneModule().ints(RpmTag.RPM_FORMAT, 6).bytes(payload()));
        assertThatThrownBy(() -> info(sixth))
                .hasMessage(sixth
                        + ": unsupported rpm format 6; convert the package with 'rpm2archive', then name the tar"
                        + " archive");
        Path fourth = file(listingOneModule().ints(RpmTag.RPM_FORMAT, 4).bytes(payload()));
        assertThat(info(fourth).name()).isEqualTo("kmod-m");
    }

    @Test
    void detectsEveryTruncation() throws IOException {
        byte[] rpm = listingOneModule().bytes(payload());
        for (int length = 4; length < rpm.length; length += 7) {
            Path file = file(Arrays.copyOf(rpm, length));
            assertThatThrownBy(() -> Visited.all(file))
                    .as("%d of %d bytes", length, rpm.length)
                    .isInstanceOf(UnreadableException.class)
                    .hasMessageStartingWith(file + ": truncated");
        }
    }

    @Test
    void refusesInconsistentHeaders() throws IOException {
        Path outside =
                file(RpmWriter.named("k").tag(RpmTag.EPOCH, 4, 9, new byte[4]).bytes(payload()));
        assertThatThrownBy(() -> info(outside)).hasMessageEndingWith("tag 1003 is outside the header");
        Path many = file(
                RpmWriter.named("k").tag(RpmTag.EPOCH, 4, 1 << 30, new byte[4]).bytes(payload()));
        assertThatThrownBy(() -> info(many)).hasMessageContaining("tag 1003 has 1073741824 values");
        Path typed = file(RpmWriter.named("k").string(RpmTag.EPOCH, "1").bytes(payload()));
        assertThatThrownBy(() -> info(typed)).hasMessageEndingWith("tag 1003 has an unexpected type");
        byte[] huge = RpmWriter.named("k").bytes(payload());
        Arrays.fill(huge, 96 + 12, 96 + 16, (byte) 0x7f);
        Path store = file(huge);
        assertThatThrownBy(() -> info(store)).hasMessageEndingWith("a header has more than 65535 entries or 64 MiB");
    }
}
