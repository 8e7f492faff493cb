package dev.weaklink.explain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import dev.weaklink.format.btf.Btf;
import dev.weaklink.format.btf.TypeGraph;
import dev.weaklink.kernel.ExportTableBuilder;
import dev.weaklink.module.DataObject;
import dev.weaklink.module.DataObject.Slot;
import dev.weaklink.module.ModuleData;
import dev.weaklink.module.ModuleDataReader;
import dev.weaklink.sys.UnreadableException;
import dev.weaklink.testing.BtfBuilder;
import dev.weaklink.testing.BtfBuilder.Member;
import dev.weaklink.testing.Machine;
import dev.weaklink.testing.ModuleBuilder;
import dev.weaklink.testing.ModuleSpec;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/** Random and damaged types and variables: the report on a module must always be complete in time. */
class HostileDriverProperties {
    private static final List<String> NAMES = List.of("add", "del", "a_ops", "b_ops", "ops", "dev");

    private static BtfBuilder kernel(Random random) {
        BtfBuilder builder = new BtfBuilder();
        int number = builder.integer("int", 4);
        int dev = builder.struct("dev", 8, new Member("id", number, 0));
        int function = builder.prototype(number, builder.pointer(dev));
        int other = builder.prototype(0, builder.pointer(dev), number);
        int callback = builder.pointer(random.nextBoolean() ? function : other);
        int ops =
                builder.struct("ops", 24, new Member("open", callback, 0), new Member("up", builder.pointer(dev), 64));
        builder.struct("a_ops", 32, new Member("", ops, 0), new Member("more", callback, 192));
        builder.struct("b_ops", 48, new Member("list", builder.array(ops, 2), 0));
        builder.struct("b_ops", 16, new Member("t", builder.typedef("callback", callback), 0));
        builder.function("add", builder.prototype(number, builder.pointer(ops)));
        builder.function("del", random.nextBoolean() ? function : other);
        return builder;
    }

    private static List<DataObject> objects(Random random) {
        List<DataObject> objects = new ArrayList<>();
        for (int i = random.nextInt(6); i > 0; i--) {
            List<Slot> slots = new ArrayList<>();
            for (int j = random.nextInt(5); j > 0; j--) {
                String name = random.nextBoolean() ? null : NAMES.get(random.nextInt(NAMES.size()));
                int offset = random.nextInt(10) == 0 ? random.nextInt() : random.nextInt(6) * 8;
                slots.add(new Slot(offset, random.nextBoolean(), name, random.nextInt(8) - 1));
            }
            long size = random.nextInt(10) == 0 ? random.nextLong() : random.nextInt(7) * 8L;
            String name = NAMES.get(random.nextInt(NAMES.size()));
            objects.add(new DataObject(name, size, slots));
        }
        return objects;
    }

    private static ModuleData data(Random random) {
        ModuleBuilder module = ModuleBuilder.minimal(random.nextBoolean() ? Machine.AARCH64 : Machine.X86_64, "m")
                .importing("add", 1)
                .importing("del", 1);
        module.table(new ModuleSpec.Table("ops", 24, Map.of(0, "one", 8, "two", 16, "del")));
        module.function(new ModuleSpec.Code("one", random.nextBoolean() ? List.of("del") : List.of()));
        byte[] bytes = module.build();
        ModuleData read = ModuleDataReader.read(bytes, bytes.length);
        return random.nextBoolean() ? read : new ModuleData(objects(random), read.usedByCode());
    }

    /** Returns the types with some random bytes changed; null if the result is not valid BTF. */
    private static TypeGraph damaged(byte[] bytes, Random random, TypeGraph base) {
        for (int i = random.nextInt(4); i > 0; i--) {
            bytes[24 + random.nextInt(bytes.length - 24)] = (byte) random.nextInt(24);
        }
        try {
            ByteBuffer section = ByteBuffer.wrap(bytes);
            return base == null
                    ? TypeGraph.of(Btf.read(section))
                    : TypeGraph.split(Btf.readSplit(section, base.btf()), base);
        } catch (UnreadableException e) {
            return null;
        }
    }

    @Property(tries = 3000)
    void answersForAnyTypesAndVariables(@ForAll long seed) {
        Random random = new Random(seed);
        BtfBuilder types = kernel(random);
        TypeGraph before = damaged(types.build(ByteOrder.LITTLE_ENDIAN), random, null);
        TypeGraph after = damaged(kernel(random).build(ByteOrder.LITTLE_ENDIAN), random, null);
        if (before == null || after == null) {
            return;
        }
        BtfBuilder module = types.split();
        module.struct("own", 64, new Member("dev", 2, 0), new Member("ops", 7, 128));
        module.function("one", 4);
        byte[] split = module.build(ByteOrder.LITTLE_ENDIAN);
        TypeGraph own = random.nextBoolean() ? damaged(split, random, before) : null;
        List<TypeGraph> modules = own == null ? List.of() : List.of(own);

        DriverReport report = assertTimeoutPreemptively(
                Duration.ofSeconds(20),
                () -> DriverReport.of(
                        "m",
                        new KernelSide(before, modules, new ExportTableBuilder(0).build()),
                        new KernelSide(after, List.of(), new ExportTableBuilder(0).build()),
                        own,
                        null,
                        data(random),
                        List.of("add", "del"),
                        new KernelDifference(0, List.of(), List.of(), List.of())));

        assertThat(report.uses()).allSatisfy(use -> assertThat(use.change()).isNotNull());
        assertThat(DriverText.lines(report, true)).isEmpty();
    }
}
