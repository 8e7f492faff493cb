package dev.weaklink.kernel.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weaklink.format.elf.ElfIdentity;
import dev.weaklink.kernel.ExportTable;
import dev.weaklink.kernel.ImageFacts;
import dev.weaklink.kernel.ImageFacts.BuiltInModules;
import dev.weaklink.kernel.LoaderBehavior;
import dev.weaklink.kernel.LoaderBehaviorReader;
import dev.weaklink.kernel.LoaderBehaviorReader.LoaderEvidence;
import dev.weaklink.kernel.LoaderRule;
import dev.weaklink.kernel.SymversReader;
import dev.weaklink.kernel.SymversWriter;
import dev.weaklink.kernel.TargetKernel;
import dev.weaklink.kernel.store.KernelStore.StoreListing;
import dev.weaklink.sys.UnreadableException;
import dev.weaklink.testing.Records;
import dev.weaklink.testing.SymversBuilder;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class KernelStoreTest {
    private static final String RELEASE = "6.1.0-9-test";
    private static final String ROW = "0x1\ta\tvmlinux\tEXPORT_SYMBOL\n";

    @TempDir
    Path directory;

    private KernelStore store;

    @BeforeEach
    void open() {
        store = new KernelStore(directory.resolve("kernels"));
    }

    private static TargetKernel kernel(String release, int crc) {
        byte[] rows = new SymversBuilder(SymversBuilder.Layout.NAMESPACE_LAST)
                .kernel("_printk", SymversBuilder.Kind.EXPORT_SYMBOL, crc)
                .kernel("fput", SymversBuilder.Kind.EXPORT_SYMBOL_GPL, 7)
                .bytes();
        LoaderBehavior rules = LoaderBehaviorReader.read(
                new LoaderEvidence(release, null, null, null, Map.of(LoaderRule.FORCE_LOAD, "yes")));
        return Records.of(
                TargetKernel.class,
                "label",
                release,
                "release",
                release,
                "machine",
                new ElfIdentity(ElfIdentity.EM_S390, true, false, -5),
                "vermagic",
                release + " SMP mod_unload ",
                "structModuleSize",
                1234,
                "exports",
                SymversReader.read(rows, rows.length).exports(),
                "exportsComplete",
                true,
                "image",
                ImageFacts.of(new BuiltInModules(Set.of("ext4"), Set.of("loop"), true), null),
                "rules",
                rules);
    }

    /** Returns a kernel with only the exports and the rules of another kernel. */
    private static TargetKernel little(String release, TargetKernel of) {
        return Records.of(
                TargetKernel.class,
                "label",
                release,
                "release",
                release,
                "structModuleSize",
                -1,
                "exports",
                of.exports(),
                "exportsComplete",
                true,
                "image",
                ImageFacts.NONE,
                "rules",
                of.rules());
    }

    private Path only() throws IOException {
        assertThat(store.entries()).hasSize(1);
        return store.entries().get(0).file();
    }

    @Test
    void derivesANewRuleOfAStoredKernelFromItsVersion() throws Exception {
        Path file = given("""
            {"schema":"weaklink.stored-kernel/2","release":"6.1.0-7","builtIn":[],"rules":{
             "version":{"value":"6.1","assumed":false,"evidence":"release 6.1.0-7"},
             "force-load":{"value":"yes","assumed":false,"evidence":"CONFIG_MODULE_FORCE_LOAD"}}}
            """, ROW);

        LoaderBehavior rules = store.read(take(store, file)).rules();
        assertThat(rules.setting(LoaderRule.FORCE_LOAD).evidence()).contains("CONFIG");
        assertThat(rules.setting(LoaderRule.ELF_CHECKS).value()).isEqualTo("sections");
    }

    @Test
    void readsAStoredKernelUnchanged() throws IOException {
        TargetKernel kernel = kernel(RELEASE, 5);
        TargetKernel back = store.read(store.put(kernel, null));
        assertThat(back)
                .usingRecursiveComparison()
                .ignoringFields("exports", "image")
                .isEqualTo(kernel);
        assertThat(back.image().builtIn()).isEqualTo(kernel.image().builtIn());
        assertThat(SymversWriter.write(back.exports())).isEqualTo(SymversWriter.write(kernel.exports()));
    }

    @Test
    void remembersThatNotAllBuiltInNamesAreKnown() throws IOException {
        TargetKernel little = little(RELEASE, kernel(RELEASE, 5));

        TargetKernel back = store.read(store.put(little, null));

        assertThat(little.image().mayBeTaken("kernel")).isTrue();
        assertThat(back.image().mayBeTaken("kernel")).isTrue();
    }

    @Test
    void storesAKernelWithFewKnownFacts() throws IOException {
        TargetKernel full = kernel(RELEASE, 5);
        TargetKernel little = little(RELEASE, full);
        TargetKernel back = store.read(store.put(little, null));
        assertThat(back.machine()).isNull();
        assertThat(back.vermagic()).isNull();
        assertThat(back.structModuleSize()).isEqualTo(-1);
    }

    @Test
    void leavesNoFilesOfAKernelThatCannotBeStored() throws IOException {
        Path file = store.put(kernel(RELEASE, 5), null).file();
        Files.delete(file);
        Files.createDirectories(file.resolve("in the way"));
        List<Path> before = files();
        assertThatThrownBy(() -> store.put(kernel(RELEASE, 5), null)).isInstanceOf(IOException.class);
        assertThat(files()).isEqualTo(before);
    }

    private List<Path> files() throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            return files.sorted().toList();
        }
    }

    @Test
    void storesAKernelOnceAndAnotherOfTheSameReleaseBesidesIt() throws IOException {
        StoreEntry first = store.put(kernel(RELEASE, 5), null);
        assertThat(store.put(kernel(RELEASE, 5), null)).isEqualTo(first);
        StoreEntry second = store.put(kernel(RELEASE, 6), null);
        assertThat(store.named(RELEASE)).containsExactlyInAnyOrder(first, second);
        assertThat(store.named(second.name())).containsExactly(second);
        assertThat(store.named("6.1.0-9")).isEmpty();
    }

    @Test
    void entriesAreListedFromOldToNew() throws IOException {
        for (String release : List.of("6.1.0-10-test", "6.12.1", "6.1.0-9-test")) {
            store.put(kernel(release, 5), null);
        }
        assertThat(store.entries())
                .extracting(StoreEntry::release)
                .containsExactly("6.1.0-9-test", "6.1.0-10-test", "6.12.1");
    }

    @Test
    void treatsAMissingStoreAsEmpty() throws IOException {
        assertThat(store.entries()).isEmpty();
        assertThat(store.directory()).doesNotExist();
    }

    /**
     * Damages each byte of an entry. Some bytes of a zip archive have no meaning, so that not all damage is noticed.
     */
    @Test
    void detectsDamageAndRepairsByStoringAgain() throws IOException {
        StoreEntry entry = store.put(kernel(RELEASE, 5), null);
        byte[] intact = Files.readAllBytes(entry.file());
        Random random = new Random(1);
        int noticed = 0;
        for (int place = 0; place < intact.length; place++) {
            byte[] damaged = intact.clone();
            damaged[place] ^= (byte) (1 + random.nextInt(255));
            Files.write(entry.file(), damaged);
            try {
                byte[] rows = SymversWriter.write(store.read(entry).exports());
                assertThat(rows)
                        .isEqualTo(SymversWriter.write(kernel(RELEASE, 5).exports()));
            } catch (UnreadableException e) {
                noticed++;
            }
        }
        assertThat(noticed).isGreaterThan(intact.length / 2);
        Files.write(entry.file(), Arrays.copyOf(intact, intact.length / 2));
        store.put(kernel(RELEASE, 5), null);
        assertThat(Files.readAllBytes(entry.file())).isEqualTo(intact);
    }

    @Test
    void reportsAnEntryWithAWrongNameAndListsTheOthers() throws IOException {
        StoreEntry other = store.put(kernel("6.1.0-10-test", 5), null);
        Path moved = store.directory().resolve(StoreEntry.fileName(RELEASE, other.digest()));
        Files.copy(other.file(), moved);
        StoreListing listing = store.list();
        assertThat(listing.kernels()).extracting(kept -> kept.entry()).containsExactly(other);
        assertThat(listing.corrupt())
                .extracting(StoreListing.Corrupt::reason)
                .containsExactly("does not match its name");
    }

    @Test
    void ignoresLinksAndOtherFiles() throws IOException {
        StoreEntry entry = store.put(kernel(RELEASE, 5), null);
        Path outside = directory.resolve("outside");
        Files.move(entry.file(), outside);
        Files.createSymbolicLink(entry.file(), outside);
        Files.writeString(store.directory().resolve("readme"), "hello");
        assertThat(store.entries()).isEmpty();
        store.put(kernel(RELEASE, 5), null);
        assertThat(Files.isSymbolicLink(only())).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "../x", "a/b", ".hidden", "a b", "a\nb", "a@b"})
    void refusesAReleaseThatIsNotAPlainName(String release) {
        TargetKernel kernel = kernel(RELEASE, 5);
        TargetKernel renamed = little(release, kernel);
        assertThatThrownBy(() -> store.put(renamed, null)).isInstanceOf(IOException.class);
        assertThat(store.directory()).doesNotExist();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '#', quoteCharacter = '`', textBlock = """
          {}                                                              # 'schema' is missing
          {"schema":"weaklink.stored-kernel/9"}                           # not a kernel stored by
          {"schema":"weaklink.stored-kernel/2","rules":{}}                # 'release' is missing
          HEAD,"rules":{}}                                                # is incomplete
          HEAD,"rules":{"version":{"value":"x"}}}                         # invalid value of version
          HEAD,"rules":{"version":{"value":"6.1"}}}                       # 'evidence' is missing
          HEAD,"machine":{},"rules":RULES}                                # 'machine' is missing
          HEAD,"structModuleSize":"many","rules":RULES}                   # 'structModuleSize' is
          HEAD,"rules":RULES                                              # truncated
          """)
    void factsThatAreNotWholeAreNotTaken(String facts, String reason) throws IOException {
        String text = facts.replace("HEAD", "{\"schema\":\"weaklink.stored-kernel/2\",\"release\":\"6.1\"")
                .replace("RULES", "{\"version\":{\"value\":\"6.1\",\"evidence\":\"x\"}}");
        Path file = given(text, ROW);
        assertThatThrownBy(() -> take(store, file))
                .isInstanceOf(UnreadableException.class)
                .hasMessageContaining(reason);
    }

    @Test
    void refusesInvalidRows() throws IOException {
        TargetKernel kernel = kernel(RELEASE, 5);
        byte[] archive = KernelArchive.of(kernel, null, null).bytes();
        Path file = Files.write(directory.resolve("cut"), Arrays.copyOf(archive, archive.length / 2));
        assertThatThrownBy(() -> take(store, file)).isInstanceOf(UnreadableException.class);
        Path none = Files.write(directory.resolve("none"), new byte[0]);
        assertThatThrownBy(() -> take(store, none)).isInstanceOf(UnreadableException.class);
    }

    @Test
    void namesFilesOfEarlierVersionsWithTheNextStep() throws IOException {
        Path old = store.directory().resolve(RELEASE + "@" + "0".repeat(64) + ".kernel.gz");
        Files.createDirectories(store.directory());
        Files.write(old, new byte[] {0x1f, (byte) 0x8b});
        StoreListing listing = store.list();
        assertThat(listing.kernels()).isEmpty();
        assertThat(listing.corrupt())
                .extracting(StoreListing.Corrupt::reason)
                .first()
                .asString()
                .contains("earlier version")
                .contains("weaklink store add");
    }

    /** Checks the types by the digest in the facts, and the facts by the digest in the file's name. */
    @Test
    void storesTypesIfKnown() throws IOException {
        byte[] types = {(byte) 0x9f, (byte) 0xeb, 1, 0};
        StoreEntry without = store.put(kernel(RELEASE, 5), null);
        assertThat(KernelStore.types(without.file())).isNull();
        assertThat(store.hasTypes(kernel(RELEASE, 5))).isFalse();
        StoreEntry entry = store.put(kernel(RELEASE, 5), types);
        assertThat(store.entries()).containsExactly(entry);
        assertThat(store.hasTypes(kernel(RELEASE, 5))).isTrue();
        assertThat(store.hasTypes(kernel(RELEASE, 6))).isFalse();
        assertThat(KernelStore.types(entry.file())).isEqualTo(types);
        store.put(kernel(RELEASE, 5), null);
        assertThat(KernelStore.types(entry.file())).isEqualTo(types);
        KernelStore other = new KernelStore(directory.resolve("other"));
        assertThat(KernelStore.types(copied(entry, other).file())).isEqualTo(types);
    }

    /** Adds an entry with types, and an entry with further facts, in either order, and from another store. */
    @ParameterizedTest
    @CsvSource({"true, false", "false, false", "true, true", "false, true"})
    void keepsTheTypesOfOneEntryAndTheFactsOfAnother(boolean isTypesFirst, boolean isPulled) throws IOException {
        byte[] types = {(byte) 0x9f, (byte) 0xeb, 1, 0};
        TargetKernel full = kernel(RELEASE, 5);
        TargetKernel less = Records.with(little(RELEASE, full), "machine", full.machine());
        KernelStore other = new KernelStore(directory.resolve("other"));
        StoreEntry first = store.put(isTypesFirst ? less : full, isTypesFirst ? types : null);
        TargetKernel added = isTypesFirst ? full : less;
        byte[] addedTypes = isTypesFirst ? null : types;
        if (isPulled) {
            copy(other.put(added, addedTypes), other, store);
        } else {
            store.put(added, addedTypes);
        }
        StoreEntry both = StoreEntry.of(only());
        assertThat(both).isNotEqualTo(first);
        assertThat(store.read(both).vermagic()).isEqualTo(full.vermagic());
        assertThat(KernelStore.types(both.file())).isEqualTo(types);
    }

    @Test
    void storesOrdinaryFilesWithTheDigestInTheName() throws Exception {
        byte[] types = {(byte) 0x9f, (byte) 0xeb, 1, 0};
        StoreEntry entry = store.put(kernel(RELEASE, 5), types);
        MessageDigest sha256 = MessageDigest.getInstance("SHA-256");
        try (ZipFile zip = new ZipFile(entry.file().toFile())) {
            byte[] facts = zip.getInputStream(zip.getEntry("facts.json")).readAllBytes();
            sha256.update(facts);
            sha256.update(zip.getInputStream(zip.getEntry("crcs")).readAllBytes());
            byte[] rows = zip.getInputStream(zip.getEntry("Module.symvers")).readAllBytes();
            assertThat(HexFormat.of().formatHex(sha256.digest(rows))).isEqualTo(entry.digest());
            assertThat(new String(facts, StandardCharsets.UTF_8))
                    .contains(HexFormat.of().formatHex(sha256.digest(types)));
        }
    }

    /** Stores a kernel with other CRCs, a missing symbol, a new symbol, and a symbol that two modules export. */
    @Test
    void sharesExportsInASeriesWithoutLoss() throws IOException {
        TargetKernel first = kernel(RELEASE, 5);
        StringBuilder rows = new StringBuilder();
        for (int i = 0; i < 50; i++) {
            rows.append("0x0000000" + i % 9 + "\tsymbol" + i + "\tvmlinux\tEXPORT_SYMBOL\tNS\n");
        }
        TargetKernel one = little("6.1.0-10-test", first.exporting(exports(rows.toString())));
        String changed = rows.toString()
                .replace("0x00000003", "0xffffffff")
                .replace("0x00000007\tsymbol7\tvmlinux\tEXPORT_SYMBOL\tNS\n", "")
                .replace("symbol8\tvmlinux\tEXPORT_SYMBOL\t", "symbol8\tvmlinux\tEXPORT_SYMBOL_GPL\t");
        TargetKernel other = little(
                "6.1.0-11-test",
                first.exporting(exports(changed
                        + "0x1\tsymbol0\tdrivers/b\tEXPORT_SYMBOL\n"
                        + "0x2\tnewest\tdrivers/a\tEXPORT_SYMBOL\n")));
        for (TargetKernel kernel : List.of(one, other, first)) {
            TargetKernel back = store.read(store.put(kernel, null));
            assertThat(SymversWriter.write(back.exports())).isEqualTo(SymversWriter.write(kernel.exports()));
        }
        assertThat(shared()).hasSize(2);
        KernelStore elsewhere = new KernelStore(directory.resolve("elsewhere"));
        StoreEntry copy = copied(store.named("6.1.0-11-test").get(0), elsewhere);
        assertThat(SymversWriter.write(elsewhere.read(copy).exports())).isEqualTo(SymversWriter.write(other.exports()));
        store.remove(store.named("6.1.0-10-test").get(0));
        store.remove(store.named("6.1.0-11-test").get(0));
        for (Path file : shared()) {
            Files.setLastModifiedTime(file, FileTime.fromMillis(1));
        }
        store.tidy();
        assertThat(shared()).hasSize(1);
        assertThat(store.list().corrupt()).isEmpty();
    }

    @Test
    void reportsKernelsWithCorruptSharedExports() throws IOException {
        store.put(kernel(RELEASE, 5), null);
        byte[] others = SharedExports.of(kernel(RELEASE, 6).exports()).bytes();
        Files.write(shared().get(0), others);
        assertThat(new KernelStore(store.directory()).list().corrupt())
                .extracting(StoreListing.Corrupt::reason)
                .first()
                .asString()
                .contains("shared exports", "the contents do not match the SHA-256 in the file name");
    }

    private static ExportTable exports(String rows) {
        byte[] bytes = rows.getBytes(StandardCharsets.UTF_8);
        return SymversReader.read(bytes, bytes.length).exports();
    }

    private List<Path> shared() throws IOException {
        try (Stream<Path> files = Files.list(store.directory())) {
            return files.filter(file -> file.toString().endsWith(".symvers.gz")).toList();
        }
    }

    /** Adds a file under the name that its contents determine, as a pull from a library does. */
    private static StoreEntry take(KernelStore store, Path file) throws IOException {
        byte[] bytes = Files.readAllBytes(file);
        KernelArchive archive = KernelArchive.read(
                new ByteArrayInputStream(bytes),
                digest -> {
                    throw new UnreadableException(digest);
                },
                true);
        Files.createDirectories(store.directory());
        store.take(archive.name(), bytes);
        return store.named(archive.release()).get(0);
    }

    private StoreEntry copied(StoreEntry entry, KernelStore other) throws IOException {
        copy(entry, store, other);
        return other.named(entry.release()).get(0);
    }

    private static void copy(StoreEntry entry, KernelStore from, KernelStore to) throws IOException {
        Files.createDirectories(to.directory());
        String shared = SharedExports.fileName(from.open(entry).shared());
        for (Path file : List.of(from.file(shared), entry.file())) {
            to.take(file.getFileName().toString(), Files.readAllBytes(file));
        }
    }

    private Path given(String facts, String rows) throws IOException {
        Path file = directory.resolve("given");
        try (ZipOutputStream zip = new ZipOutputStream(Files.newOutputStream(file))) {
            zip.putNextEntry(new ZipEntry("facts.json"));
            zip.write(facts.getBytes(StandardCharsets.UTF_8));
            zip.putNextEntry(new ZipEntry("Module.symvers"));
            zip.write(rows.getBytes(StandardCharsets.UTF_8));
        }
        return file;
    }

    @Test
    void removesOldDraftsOnly() throws IOException {
        Files.createDirectories(store.directory());
        Path dead = Files.writeString(store.directory().resolve(".new-1"), "x");
        Files.setLastModifiedTime(dead, FileTime.fromMillis(System.currentTimeMillis() - 7_200_000));
        Path alive = Files.writeString(store.directory().resolve(".new-2"), "x");
        store.tidy();
        assertThat(dead).doesNotExist();
        assertThat(alive).exists();
    }
}
