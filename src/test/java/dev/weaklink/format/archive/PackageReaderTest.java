package dev.weaklink.format.archive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weaklink.format.archive.PackageEntry.EntryType;
import dev.weaklink.format.archive.PackageInfo.PackageKind;
import dev.weaklink.format.archive.PackageInfo.PackageRelation;
import dev.weaklink.format.archive.PackageReader.PackageLimits;
import dev.weaklink.testing.Packing;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class PackageReaderTest {
    @TempDir
    Path temp;

    /** Writes a file whose name does not show its format. */
    private Path file(byte[] bytes) throws IOException {
        return Files.write(temp.resolve("package"), bytes);
    }

    private static PackageInfo info(Path file) throws IOException {
        try (PackageFile open = PackageReader.open(file, PackageLimits.DEFAULT)) {
            return open.info();
        }
    }

    @ParameterizedTest
    @EnumSource
    void debsAreReadInEveryPacking(Packing packing) throws IOException {
        Path file = file(Samples.deb(packing, packing));
        Visited visited = Visited.all(file);
        assertThat(visited.text(Samples.MODULE)).isEqualTo(Samples.MODULE_TEXT);
        assertThat(visited.problems).isEmpty();
        assertThat(info(file))
                .isEqualTo(new PackageInfo(
                        PackageKind.DEB,
                        "kmod-m",
                        "1:2.0-1",
                        "kmod-m",
                        List.of(
                                new PackageRelation("libc6", ">=", "2.36"),
                                new PackageRelation("perl", "", ""),
                                new PackageRelation("kernel", "=", "5.15-1-abc"),
                                new PackageRelation("kmod", "", ""))));
    }

    @Test
    void passesEntriesOfEveryTypeWithAbsolutePaths() throws IOException {
        Visited visited = Visited.all(file(Samples.deb(Packing.GZIP, Packing.XZ)));
        assertThat(visited.entries.keySet())
                .containsExactly(
                        "/",
                        "/lib/modules/6.1/build",
                        "/lib/modules/6.1/extra",
                        Samples.MODULE,
                        "/lib/modules/6.1/extra/n.ko");
        PackageEntry module = entry(visited, Samples.MODULE);
        assertThat(module.type()).isEqualTo(EntryType.FILE);
        assertThat(module.size()).isEqualTo(Samples.MODULE_TEXT.length());
        assertThat(module.owner().name()).isEqualTo("kmod-m");
        PackageEntry link = entry(visited, "/lib/modules/6.1/build");
        assertThat(link.type()).isEqualTo(EntryType.SYMLINK);
        assertThat(link.target()).isEqualTo("/usr/src/linux");
        PackageEntry hard = entry(visited, "/lib/modules/6.1/extra/n.ko");
        assertThat(hard.type()).isEqualTo(EntryType.HARDLINK);
        assertThat(hard.target()).isEqualTo(Samples.MODULE);
    }

    private static PackageEntry entry(Visited visited, String member) {
        PackageEntry entry = visited.entries.get(member);
        assertThat(entry).as(member).isNotNull();
        return entry;
    }

    @Test
    void visitsOnlyWantedEntries() throws IOException {
        Visited visited =
                Visited.wanting(path -> path.endsWith("/m.ko")).of(file(Samples.deb(Packing.GZIP, Packing.ZSTD)));
        assertThat(visited.entries.keySet()).containsExactly(Samples.MODULE);
    }

    @Test
    void ipksAreReadWithTheDataInFront() throws IOException {
        Path file = file(Samples.ipk());
        assertThat(info(file).kind()).isEqualTo(PackageKind.IPK);
        assertThat(info(file).requires()).contains(new PackageRelation("kernel", "=", "5.15-1-abc"));
        assertThat(Visited.all(file).text(Samples.MODULE)).isEqualTo(Samples.MODULE_TEXT);
    }

    @Test
    void apksOfTheSecondFormatAreReadOverAllTheirMembers() throws IOException {
        Path file = file(Samples.apk());
        assertThat(info(file))
                .isEqualTo(new PackageInfo(
                        PackageKind.APK,
                        "kmod-m",
                        "2.0-r1",
                        "m",
                        List.of(
                                new PackageRelation("kernel", "=", "5.15.1~abc-r1"),
                                new PackageRelation("so:libc.so", "", ""))));
        Visited visited = Visited.all(file);
        assertThat(visited.entries.keySet()).containsExactly(Samples.MODULE);
        assertThat(visited.text(Samples.MODULE)).isEqualTo(Samples.MODULE_TEXT);
    }

    @ParameterizedTest
    @EnumSource
    void tarArchivesAreReadInEveryPacking(Packing packing) throws IOException {
        Path file = file(packing.pack(Samples.data()));
        assertThat(info(file)).isEqualTo(PackageInfo.unnamed(PackageKind.TAR));
        assertThat(Visited.all(file).text(Samples.MODULE)).isEqualTo(Samples.MODULE_TEXT);
    }

    @Test
    void longAndForeignNamesAreKept() throws IOException {
        String name = "lib/" + "long/".repeat(60) + "mödul.ko";
        Visited visited = Visited.all(file(new TarWriter().file(name, "x").bytes()));
        assertThat(visited.text("/" + name)).isEqualTo("x");
    }

    @Test
    void devicesAreNotHandedOver() throws IOException {
        Visited visited = Visited.all(
                file(new TarWriter().device("dev/null").file("f", "x").bytes()));
        assertThat(visited.entries.keySet()).containsExactly("/f");
    }

    @Test
    void bundlesShowTheEntriesOfTheirPackages() throws IOException {
        byte[] inner =
                Packing.GZIP.pack(new TarWriter().file("DEBS/x.deb", deb()).bytes());
        Path file = file(Packing.GZIP.pack(new TarWriter()
                .file("./OFED/install.pl", "#!/usr/bin/perl")
                .file("./OFED/a.bin", deb())
                .file("./OFED/more.tgz", inner)
                .file("./OFED/k.ipk", Samples.ipk())
                .bytes()));
        Visited visited = Visited.all(file, PackageLimits.DEFAULT);
        String member = "/OFED/a.bin!" + Samples.MODULE;
        assertThat(visited.text(member)).isEqualTo(Samples.MODULE_TEXT);
        assertThat(entry(visited, member).owner().name()).isEqualTo("kmod-m");
        assertThat(entry(visited, member).container()).isEqualTo("/OFED/a.bin");
        assertThat(visited.text("/OFED/install.pl")).isEqualTo("#!/usr/bin/perl");
        assertThat(visited.problems).isEmpty();

        Visited modules = Visited.wanting(path -> path.endsWith(".ko")).of(file);
        assertThat(modules.contents.keySet())
                .containsExactly(
                        member, "/OFED/k.ipk!" + Samples.MODULE, "/OFED/more.tgz!/DEBS/x.deb!" + Samples.MODULE);
    }

    private static byte[] deb() {
        return Samples.deb(Packing.GZIP, Packing.ZSTD);
    }

    @Test
    void passesACompressedFileOfABundleUnchanged() throws IOException {
        byte[] packed = Packing.XZ.pack("module".getBytes(StandardCharsets.US_ASCII));
        Path file = file(new TarWriter()
                .file("lib/m.ko.xz", packed)
                .file("doc.gz", packed)
                .bytes());
        Visited visited = Visited.wanting(path -> path.endsWith(".ko.xz")).of(file);
        assertThat(visited.contents.get("/lib/m.ko.xz")).isEqualTo(packed);
        assertThat(visited.entries).hasSize(1);
        assertThat(visited.problems).isEmpty();
    }

    @Test
    void reportsABrokenPackageInABundleAndReadsTheOthers() throws IOException {
        byte[] broken = "!<arch>\nwhatever".getBytes(StandardCharsets.US_ASCII);
        Path file =
                file(new TarWriter().file("a.deb", broken).file("b.deb", deb()).bytes());
        Visited visited = Visited.all(file);
        assertThat(visited.problems).containsExactly("/a.deb: truncated: the ar archive ends too early");
        assertThat(visited.text("/b.deb!" + Samples.MODULE)).isEqualTo(Samples.MODULE_TEXT);
    }

    @Test
    void rejectsFilesThatAreNotPackages() throws IOException {
        for (String text : List.of("", "x", "some text, and longer than a magic number")) {
            Path file = file(text.getBytes(StandardCharsets.US_ASCII));
            assertThatThrownBy(() -> info(file)).hasMessageStartingWith(file + ": not a package");
            assertThat(PackageReader.isPackage(file)).isFalse();
        }
        Path gzip = file(Packing.GZIP.pack("text".getBytes(StandardCharsets.US_ASCII)));
        assertThatThrownBy(() -> info(gzip)).hasMessageStartingWith(gzip + ": not a package");
        Path ar = file(new ArWriter().member("a.o", "object").bytes());
        assertThatThrownBy(() -> info(ar)).hasMessage(ar + ": an ar archive, but not a Debian package");
        assertThatThrownBy(() -> info(temp)).hasMessage(temp + ": is a directory");
        Path none = temp.resolve("none");
        assertThatThrownBy(() -> info(none)).hasMessage(none + ": no such file");
    }
}
