package dev.weaklink.system.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weaklink.module.Facts;
import dev.weaklink.module.KernelModule;
import dev.weaklink.module.Origin;
import dev.weaklink.sys.FileIdentity;
import dev.weaklink.sys.UnreadableException;
import dev.weaklink.testing.ModuleArbitraries;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;

/** The facts read from a segment equal the written facts, or the segment is refused. */
class SegmentProperties {
    @Provide
    Arbitrary<List<KernelModule>> modules() {
        return ModuleArbitraries.modules().map(Kept::read).list().ofMinSize(1).ofMaxSize(4);
    }

    @Property(tries = 100)
    void readsTheFactsThatWereWritten(@ForAll("modules") List<KernelModule> modules) throws UnreadableException {
        Segment segment = Segment.open(Kept.segment(modules), Kept.PROGRAM);

        for (int i = 0; i < modules.size(); i++) {
            assertThat(Facts.of(Kept.module(segment, i))).isEqualTo(Facts.of(modules.get(i)));
        }
    }

    @Property(tries = 100)
    void readSegmentsCanBeWrittenAgain(@ForAll("modules") List<KernelModule> modules) throws UnreadableException {
        byte[] once = Kept.segment(modules);
        Segment segment = Segment.open(once, Kept.PROGRAM);

        List<KernelModule> again = java.util.stream.IntStream.range(0, modules.size())
                .mapToObj(i -> Kept.module(segment, i))
                .toList();

        assertThat(Kept.segment(again)).isEqualTo(once);
    }

    @Property(tries = 300)
    void detectsAFlippedBit(
            @ForAll("modules") List<KernelModule> modules,
            @ForAll @IntRange(min = 0) int place,
            @ForAll @IntRange(max = 7) int bit) {
        byte[] bytes = Kept.segment(modules);
        bytes[place % bytes.length] ^= (byte) (1 << bit);

        assertThatThrownBy(() -> Segment.open(bytes, Kept.PROGRAM)).isInstanceOf(UnreadableException.class);
    }

    @Property(tries = 100)
    void detectsATruncatedOrExtendedSegment(
            @ForAll("modules") List<KernelModule> modules, @ForAll @IntRange(min = 0) int length) {
        byte[] bytes = Kept.segment(modules);
        byte[] other = Arrays.copyOf(bytes, length % (bytes.length + 50));

        if (other.length != bytes.length) {
            assertThatThrownBy(() -> Segment.open(other, Kept.PROGRAM)).isInstanceOf(UnreadableException.class);
        }
    }

    /** Accidents do not produce such bytes, but the bytes must not crash the program either. */
    @Property(tries = 300)
    void damageWithARightChecksumGivesFactsOrNothing(
            @ForAll("modules") List<KernelModule> modules, @ForAll @IntRange(min = 0) int place, @ForAll byte value) {
        byte[] bytes = Kept.segment(modules);
        int body = bytes.length - Segment.CRC_SIZE;
        bytes[place % body] = value;
        int crc = Segment.checksum(bytes, body);
        for (int i = 0; i < Segment.CRC_SIZE; i++) {
            bytes[body + i] = (byte) (crc >> 8 * i);
        }

        try {
            Segment segment = Segment.open(bytes, Kept.PROGRAM);
            for (int i = 0; i < segment.size(); i++) {
                segment.kept(i, Origin.file("m.ko"));
                segment.path(i);
            }
        } catch (UnreadableException e) {
            assertThat(e).hasMessageNotContaining("null");
        }
    }

    @Example
    void refusesAModuleAtTheEndOfTheSegment() throws UnreadableException {
        byte[] bytes =
                Kept.segment(List.of(Kept.read(ModuleArbitraries.modules().sample())));
        ByteBuffer words = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        int table = 24 + words.getInt(16) * Integer.BYTES + words.getInt(20);
        int offset = table + Integer.BYTES + 5 * Long.BYTES;
        int start = offset + Integer.BYTES;
        int body = bytes.length - Segment.CRC_SIZE;
        words.putInt(offset, body - start - 1);
        words.putInt(body, Segment.checksum(bytes, body));
        Segment segment = Segment.open(bytes, Kept.PROGRAM);

        assertThatThrownBy(() -> segment.path(0)).isInstanceOf(UnreadableException.class);
        assertThat(segment.kept(0, Origin.file("m.ko"))).isNull();
    }

    @Property(tries = 50)
    void refusesASegmentOfAnotherProgram(@ForAll("modules") List<KernelModule> modules) {
        assertThatThrownBy(() -> Segment.open(Kept.segment(modules), Kept.PROGRAM + 1))
                .isInstanceOf(UnreadableException.class);
    }

    @Property(tries = 50)
    void comparesEveryPartOfAnIdentity(@ForAll("modules") List<KernelModule> modules) throws UnreadableException {
        Segment segment = Segment.open(Kept.segment(modules), Kept.PROGRAM);
        FileIdentity file = Kept.identity(0);
        List<FileIdentity> others = List.of(
                new FileIdentity(9, file.inode(), file.size(), file.modified(), file.changed()),
                new FileIdentity(8, 1, file.size(), file.modified(), file.changed()),
                new FileIdentity(8, file.inode(), 1, file.modified(), file.changed()),
                new FileIdentity(8, file.inode(), file.size(), 1, file.changed()),
                new FileIdentity(8, file.inode(), file.size(), file.modified(), 1));

        assertThat(segment.find(file)).isNotNegative();
        for (FileIdentity other : others) {
            assertThat(segment.find(other)).isNegative();
        }
    }
}
