package dev.weaklink.module;

import static java.util.Comparator.comparingInt;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.module.Allocation.Measured;
import dev.weaklink.module.ElfFields.Header;
import dev.weaklink.module.ElfFields.Section;
import dev.weaklink.testing.Machine;
import dev.weaklink.testing.ModuleArbitraries;
import dev.weaklink.testing.ModuleSpec;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** Reads random bytes. Reading must return facts, and use memory in proportion to the bytes. */
class HostileModuleProperties {
    /** The maximum number of bytes of memory for each byte of the file, garbage included. */
    private static final int FACTOR = 40;

    private static final int BASE = 64 * 1024;

    /** A change to the bytes of a module. */
    record Mutation(String name, Change change) {
        byte[] apply(Machine machine, byte[] bytes) {
            return change.apply(machine, bytes);
        }

        @Override
        public String toString() {
            return name;
        }
    }

    private interface Change {
        byte[] apply(Machine machine, byte[] bytes);
    }

    @Provide
    Arbitrary<ModuleSpec> modules() {
        return ModuleArbitraries.modules();
    }

    @Provide
    Arbitrary<List<Mutation>> mutations() {
        return Arbitraries.oneOf(truncations(), headerFields(), sectionFields(), sectionCopies(), scribbles())
                .list()
                .ofMinSize(1)
                .ofMaxSize(6);
    }

    @Property(tries = 2000)
    void readsADamagedModuleWithBoundedWork(
            @ForAll("modules") ModuleSpec spec, @ForAll("mutations") List<Mutation> mutations) {
        byte[] bytes = spec.toBytes();
        for (Mutation mutation : mutations) {
            bytes = mutation.apply(spec.machine(), bytes);
        }

        assertBounded(bytes);
    }

    @Property
    void readsFactsFromAnyBytes(@ForAll byte[] bytes) {
        assertThat(assertBounded(bytes).defects()).isNotEmpty();
    }

    @Property
    void readsFactsFromAnyBytesBehindAnElfHeader(@ForAll("modules") ModuleSpec spec, @ForAll byte[] rest) {
        byte[] bytes = Arrays.copyOf(spec.toBytes(), 64 + rest.length);
        System.arraycopy(rest, 0, bytes, 64, rest.length);

        assertBounded(bytes);
        assertBounded(new ElfFields(spec.machine(), bytes)
                .set(Header.SHOFF, 64)
                .set(Header.SHNUM, 2)
                .bytes());
    }

    private static KernelModule assertBounded(byte[] bytes) {
        Measured<KernelModule> measured = measured(() -> read(bytes));

        assertThat(measured.bytes()).isLessThan(BASE + (long) FACTOR * bytes.length);
        assertThat(measured.result().name()).isNotNull();
        assertThat(measured(() -> ModuleReader.readRelocations(bytes, bytes.length))
                        .bytes())
                .isLessThan(BASE + (long) FACTOR * bytes.length);
        Measured<ModuleData> data = measured(() -> ModuleDataReader.read(bytes, bytes.length));
        assertThat(data.bytes()).isLessThan(BASE + (long) FACTOR * bytes.length);
        assertSound(data.result());
        return measured.result();
    }

    private static void assertSound(ModuleData data) {
        assertThat(data.variables()).allSatisfy(one -> {
            assertThat(one.slots()).isSortedAccordingTo(comparingInt(DataObject.Slot::offset));
            assertThat(one.slots())
                    .allMatch(slot -> slot.offset() >= 0 && slot.offset() <= one.size() - 8)
                    .allMatch(slot -> slot.variable() < data.variables().size());
        });
    }

    /** Measures the second run, because the first run may load classes. */
    private static <T> Measured<T> measured(Supplier<T> reader) {
        assertThat(reader.get()).isNotNull();
        return Allocation.of(reader);
    }

    private static KernelModule read(byte[] bytes) {
        return ModuleReader.read(Origin.file("m.ko"), bytes, bytes.length);
    }

    private static Arbitrary<Mutation> truncations() {
        return Arbitraries.integers()
                .between(0, 100)
                .map(percent -> new Mutation(
                        "cut to " + percent + " %",
                        (machine, bytes) -> Arrays.copyOf(bytes, bytes.length * percent / 100)));
    }

    private static Arbitrary<Mutation> headerFields() {
        return Combinators.combine(Arbitraries.of(Header.class), extremes())
                .as((field, value) -> new Mutation(
                        field + " = " + value,
                        (machine, bytes) -> bytes.length < 64
                                ? bytes
                                : new ElfFields(machine, bytes)
                                        .set(field, value.in(bytes))
                                        .bytes()));
    }

    private static Arbitrary<Mutation> sectionFields() {
        return Combinators.combine(Arbitraries.integers().between(0, 30), Arbitraries.of(Section.class), extremes())
                .as((section, field, value) ->
                        new Mutation("section " + section + " " + field + " = " + value, (machine, bytes) -> {
                            int index = section(machine, bytes, section);
                            return index < 0
                                    ? bytes
                                    : new ElfFields(machine, bytes)
                                            .set(index, field, value.in(bytes))
                                            .bytes();
                        }));
    }

    /** Generates copies of section headers, either of offset and size or of everything except the name. */
    private static Arbitrary<Mutation> sectionCopies() {
        Arbitrary<Integer> sections = Arbitraries.integers().between(0, 30);
        return Combinators.combine(sections, sections, Arbitraries.of(true, false))
                .as((from, to, whole) -> new Mutation("section " + from + " over " + to, (machine, bytes) -> {
                    int source = section(machine, bytes, from);
                    int target = section(machine, bytes, to);
                    return source < 0 || target < 0
                            ? bytes
                            : new ElfFields(machine, bytes)
                                    .copy(source, target, whole)
                                    .bytes();
                }));
    }

    private static Arbitrary<Mutation> scribbles() {
        Arbitrary<byte[]> pieces = Arbitraries.oneOf(
                Arbitraries.bytes().array(byte[].class).ofMaxSize(16),
                Arbitraries.of(new byte[8], new byte[] {-1, -1, -1, -1}, new byte[] {1, 0, 0, 0}));
        return Combinators.combine(Arbitraries.doubles().between(0, 1), pieces)
                .as((place, piece) -> new Mutation(Arrays.toString(piece) + " at " + place, (machine, bytes) -> {
                    byte[] changed = bytes.clone();
                    int at = (int) (place * bytes.length);
                    int count = Math.min(piece.length, bytes.length - at);
                    System.arraycopy(piece, 0, changed, at, count);
                    return changed;
                }));
    }

    /** Returns the index of a section that exists, or -1. */
    private static int section(Machine machine, byte[] bytes, int wanted) {
        if (bytes.length < 64) {
            return -1;
        }
        ElfFields elf = new ElfFields(machine, bytes);
        long count = elf.get(Header.SHNUM);
        int index = count == 0 ? -1 : (int) (wanted % count);
        long start = elf.get(Header.SHOFF);
        return start >= 0 && start <= bytes.length - (index + 1) * 64L ? index : -1;
    }

    /** A number, or the file's length plus a number. */
    private record Extreme(long number, boolean ofLength) {
        long in(byte[] bytes) {
            return ofLength ? bytes.length + number : number;
        }
    }

    private static Arbitrary<Extreme> extremes() {
        Arbitrary<Extreme> numbers = Arbitraries.of(
                        0L,
                        1L,
                        2L,
                        3L,
                        4L,
                        7L,
                        8L,
                        9L,
                        16L,
                        0xffL,
                        0x7fffL,
                        0x8000L,
                        0xfff1L,
                        0xfff2L,
                        0xffffL,
                        0x10000L,
                        0x7fffffffL,
                        0x80000000L,
                        0xffffffffL,
                        0x100000000L,
                        Long.MAX_VALUE,
                        Long.MIN_VALUE,
                        -1L,
                        -8L,
                        0x7fffffffffffffc0L)
                .map(number -> new Extreme(number, false));
        Arbitrary<Extreme> lengths = Arbitraries.integers().between(-65, 65).map(delta -> new Extreme(delta, true));
        return Arbitraries.oneOf(
                numbers, lengths, Arbitraries.longs().between(0, 4096).map(n -> new Extreme(n, false)));
    }
}
