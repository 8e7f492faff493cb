package dev.weaklink.system.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weaklink.format.archive.PackageEntry;
import dev.weaklink.format.archive.PackageEntry.EntryType;
import dev.weaklink.format.archive.PackageInfo;
import dev.weaklink.format.archive.PackageInfo.PackageKind;
import dev.weaklink.format.archive.PackageInfo.PackageRelation;
import dev.weaklink.module.Facts;
import dev.weaklink.module.KernelModule;
import dev.weaklink.module.Origin;
import dev.weaklink.module.PackagedModule;
import dev.weaklink.module.RuntimeNames;
import dev.weaklink.sys.FileIdentity;
import dev.weaklink.sys.UnreadableException;
import dev.weaklink.system.cache.PackageFacts.PackageFactsWriter;
import dev.weaklink.system.cache.PackageSegment.FileSegment;
import dev.weaklink.testing.ModuleArbitraries;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

/** The facts read from a package's cache entry equal the written facts, or the entry is refused. */
class PackageSegmentProperties {
    private static final FileIdentity FILE = Kept.identity(3);
    private static final PackageInfo NAMED =
            new PackageInfo(PackageKind.RPM, "kmod-m", "1-2", "m", List.of(new PackageRelation("ksym(a)", "=", "0x1")));
    private static final RuntimeNames ASKED = new RuntimeNames(List.of("f", "g"));
    private static final PackageInfo BARE = new PackageInfo(PackageKind.TAR, "", "", null, List.of());

    /** The contents of a package; the file's name contains a character that does not fit into one byte. */
    record PackageParts(List<KernelModule> modules, List<byte[]> files, PackageInfo owner) {
        PackageFactsWriter taken() {
            PackageFactsWriter writer = new PackageFactsWriter();
            for (int i = 0; i < modules.size(); i++) {
                writer.unreadable(entry("/m" + i + ".ko"), "forgotten, as another of this name follows");
                writer.module(entry("/m" + i + ".ko"), modules.get(i), ASKED);
            }
            writer.unreadable(entry("/b.ko"), "truncated");
            files.forEach(file -> writer.file(entry("/boot/\u0142"), file));
            writer.problem("", "p");
            return writer;
        }

        private PackageEntry entry(String path) {
            InputStream none = InputStream.nullInputStream();
            return new PackageEntry(owner, "/in.rpm", path, EntryType.FILE, 0, "", none);
        }

        byte[] bytes() {
            return FileSegment.write(PackageSegment.MAGIC, Kept.PROGRAM, FILE, taken().parts());
        }

        List<String> expected() {
            List<String> lines = new ArrayList<>(List.of(" p"));
            modules.forEach(module -> lines.add(Facts.of(module).toString()));
            lines.add("truncated");
            if (!files.isEmpty()) {
                byte[] last = files.get(files.size() - 1);
                lines.add("/in.rpm!/boot/\u0142 /boot/\u0142 " + owner + Arrays.toString(last));
            }
            return lines;
        }
    }

    @Provide
    Arbitrary<PackageParts> packages() {
        Arbitrary<KernelModule> modules = ModuleArbitraries.modules().map(Kept::read);
        Arbitrary<byte[]> bytes = Arbitraries.bytes().array(byte[].class).ofMaxSize(40);
        return Combinators.combine(modules.list().ofMaxSize(3), bytes.list().ofMaxSize(2), Arbitraries.of(NAMED, BARE))
                .as(PackageParts::new);
    }

    private static PackageFacts read(byte[] bytes) throws UnreadableException {
        return PackageSegment.read(bytes, Kept.PROGRAM, FILE, "given");
    }

    private static List<String> lines(PackageFacts facts, PackageInfo owner) {
        List<String> lines = new ArrayList<>();
        facts.problems().forEach(problem -> lines.add(problem.subject() + " " + problem.message()));
        for (PackagedModule module : facts.modules()) {
            assertThat(module.info()).isEqualTo(owner);
            assertThat(module.owner()).isEqualTo(PackageFacts.owner(owner));
            try {
                KernelModule read = module.facts().read();
                assertThat(read.origin()).isEqualTo(new Origin("given", module.member(), module.owner()));
                assertThat(module.runtime()).isEqualTo(ASKED);
                lines.add(Facts.of(read).toString());
            } catch (UnreadableException e) {
                assertThat(module.runtime()).isEqualTo(RuntimeNames.NONE);
                lines.add(e.reason());
            }
        }
        for (PackageFacts.KernelFile file : facts.files()) {
            byte[] bytes = file.bytes().bytes();
            lines.add(file.member() + " " + file.path() + " " + file.info() + Arrays.toString(bytes));
        }
        return lines;
    }

    @Property(tries = 100)
    void readsTheWrittenFacts(@ForAll("packages") PackageParts found) throws UnreadableException {
        PackageFacts facts = read(found.bytes());

        assertThat(lines(facts, found.owner())).isEqualTo(found.expected());
        assertThat(facts.failure()).isNull();
    }

    @Test
    void usesATruncatedPackageButDoesNotCacheIt() throws UnreadableException {
        PackageFactsWriter writer = new PackageParts(List.of(), List.of(), NAMED).taken();
        writer.failure("truncated");
        byte[] bytes = FileSegment.write(PackageSegment.MAGIC, Kept.PROGRAM, FILE, writer.parts());

        assertThat(read(bytes).failure()).isEqualTo("truncated");
        assertThat(read(bytes).modules()).hasSize(1);
        assertThat(writer.isWorthKeeping()).isFalse();
    }

    @Property(tries = 200)
    void detectsAFlippedBit(
            @ForAll("packages") PackageParts found,
            @ForAll @IntRange(min = 0) int place,
            @ForAll @IntRange(max = 7) int bit) {
        byte[] bytes = found.bytes();
        bytes[place % bytes.length] ^= (byte) (1 << bit);

        assertThatThrownBy(() -> read(bytes)).isInstanceOf(UnreadableException.class);
    }

    @Property(tries = 50)
    void comparesEveryPartOfThePackagesIdentity(@ForAll("packages") PackageParts found) {
        byte[] bytes = found.bytes();
        List<FileIdentity> others = List.of(
                new FileIdentity(9, FILE.inode(), FILE.size(), FILE.modified(), FILE.changed()),
                new FileIdentity(8, 1, FILE.size(), FILE.modified(), FILE.changed()),
                new FileIdentity(8, FILE.inode(), 1, FILE.modified(), FILE.changed()),
                new FileIdentity(8, FILE.inode(), FILE.size(), 1, FILE.changed()),
                new FileIdentity(8, FILE.inode(), FILE.size(), FILE.modified(), 1));

        for (FileIdentity other : others) {
            assertThatThrownBy(() -> PackageSegment.read(bytes, Kept.PROGRAM, other, "given"))
                    .isInstanceOf(UnreadableException.class);
        }
        assertThatThrownBy(() -> PackageSegment.read(bytes, Kept.PROGRAM + 1, FILE, "given"))
                .isInstanceOf(UnreadableException.class);
    }
}
