package dev.weaklink.explain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import dev.weaklink.format.btf.Btf;
import dev.weaklink.format.btf.TypeGraph;
import dev.weaklink.kernel.ExportTableBuilder;
import dev.weaklink.module.DataObject;
import dev.weaklink.module.DataObject.Slot;
import dev.weaklink.module.Program;
import dev.weaklink.module.ProgramReader;
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
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/** Whatever types and variables say, what a module does with them is told in time. */
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
            objects.add(new DataObject(name, size, slots, random.nextInt(100)));
        }
        return objects;
    }

    /** What a compiler may write in any order: loads, stores, calls, jumps back and forth. */
    private static final List<String> CODE = List.of(
            "488b4708",
            "48894710",
            "4889fb",
            "488d7b08",
            "53",
            "5b",
            "c3",
            "75 f0",
            "74 08",
            "eb02",
            "e8 >add",
            "e8 >del",
            "e8 >one",
            "48c7c7 =ops",
            "488b05 =ops",
            "4883ec10",
            "48893c24",
            "488b3c24",
            "488904c7",
            "480f44fb",
            "31ff",
            "ffd0",
            "c7473007000000",
            "488d3c24",
            "e8");

    /** The same on arm64. */
    private static final List<String> ARM64 = List.of(
            "f9400400",
            "f9000800",
            "aa0003f3",
            "aa1303e0",
            "91002000",
            "a9bf7bf3",
            "a8c17bf3",
            "d65f03c0",
            "54ffff80",
            "b4000040",
            "14000002",
            ">add",
            ">del",
            ">one",
            "=ops",
            "d10043ff",
            "f90003e0",
            "f94003e0",
            "f8627820",
            "9a930000",
            "d2800000",
            "d63f0020",
            "d61f0020",
            "910003e0",
            "91004000",
            "8b010c00",
            "c8027c61");

    private static Program program(Random random) {
        boolean arm64 = random.nextBoolean();
        ModuleBuilder module = ModuleBuilder.minimal(arm64 ? Machine.AARCH64 : Machine.X86_64, "m")
                .importing("add", 1)
                .importing("del", 1);
        module.table(new ModuleSpec.Table("ops", 24, Map.of(0, "one", 8, "two")));
        for (String name : List.of("one", "two")) {
            List<String> words = new ArrayList<>();
            for (int i = random.nextInt(40); i > 0; i--) {
                List<String> all = arm64 ? ARM64 : CODE;
                String code = all.get(random.nextInt(all.size()));
                words.addAll(List.of(code.split(" ")));
                if (random.nextInt(20) == 0) {
                    int other = arm64 ? random.nextInt() : random.nextInt(1 << 16);
                    words.add(String.format(Locale.ROOT, arm64 ? "%08x" : "%04x", other));
                }
            }
            module.function(new ModuleSpec.Code(name, words));
        }
        byte[] bytes = module.build();
        Program read = ProgramReader.read(bytes, bytes.length);
        List<DataObject> variables = random.nextBoolean() ? read.variables() : objects(random);
        return new Program(variables, read.functions(), read.references(), read.convention());
    }

    /** The bytes of types, some of them others; null if that makes no BTF. */
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
    void anyTypesAndVariablesGiveAnAnswer(@ForAll long seed) {
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
        byte[] debug = kernel(random).build(ByteOrder.LITTLE_ENDIAN);
        TypeGraph whole = random.nextBoolean() ? damaged(debug, random, null) : null;
        List<TypeGraph> modules = own == null ? List.of() : List.of(own);

        DriverReport report = assertTimeoutPreemptively(
                Duration.ofSeconds(20),
                () -> DriverReport.of(
                        "m",
                        new KernelSide(before, modules, new ExportTableBuilder(0).build()),
                        new KernelSide(after, List.of(), new ExportTableBuilder(0).build()),
                        random.nextBoolean() ? own : whole,
                        null,
                        program(random),
                        List.of("add", "del"),
                        new KernelDifference(0, List.of(), List.of())));

        assertThat(report.uses()).allSatisfy(use -> assertThat(use.change()).isNotNull());
        assertThat(DriverText.lines(report, true)).isEmpty();
    }
}
