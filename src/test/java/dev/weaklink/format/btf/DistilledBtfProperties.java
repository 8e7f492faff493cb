package dev.weaklink.format.btf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weaklink.sys.UnreadableException;
import dev.weaklink.testing.BtfBuilder;
import dev.weaklink.testing.BtfBuilder.Member;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

/** Checks that a module with a distilled base reads like a module that was built with the kernel. */
class DistilledBtfProperties {
    /** The types of a kernel or of a distilled base, by the numbers that these tests use. */
    private static final class Base {
        final BtfBuilder builder = new BtfBuilder();
        final int[] numbers = new int[30];

        /**
         * Adds types in random order: all types of a kernel, or only the distilled types with even numbers of a base.
         */
        Base(Random random, int size, boolean distilled) {
            List<Integer> order = new ArrayList<>();
            for (int i = 0; i < size; i++) {
                if (!distilled || i % 2 == 0) {
                    order.add(i);
                }
            }
            Collections.shuffle(order, random);
            for (int i : order) {
                numbers[i] = distilled ? distilled(i) : whole(i);
            }
        }

        private int whole(int i) {
            int own = i % 5 > 1 ? builder.integer("member" + i, 4) : 0;
            return switch (i % 5) {
                case 0 -> builder.integer("int" + i, 1 << i % 4);
                case 1 -> builder.enumeration("enum" + i, "A" + i, "B" + i);
                case 2 -> builder.union("union" + i, 8 + i, new Member("u", own, 0));
                default -> builder.struct("struct" + i, 8 + i, new Member("s", own, 0));
            };
        }

        private int distilled(int i) {
            return switch (i % 5) {
                case 0 -> builder.integer("int" + i, 1 << i % 4);
                case 1 -> builder.enumeration("enum" + i);
                case 2 -> builder.forward("union" + i, true);
                case 3 -> builder.forward("struct" + i, false);
                default -> builder.struct("struct" + i, 8 + i);
            };
        }
    }

    /** Returns a module's types: a type of each kind, whose members and names refer to the base and to the module. */
    private static BtfBuilder module(Base base, int size) {
        BtfBuilder module = base.builder.split();
        for (int i = 0; i < size; i += 2) {
            int type = base.numbers[i];
            int pointer = module.pointer(type);
            int list = module.array(type, i + 1);
            int own = module.struct("own" + i, 64, new Member("p", pointer, 0), new Member("l", list, 64, 3));
            int alias = module.typedef("alias" + i, module.constant(own));
            module.union("both" + i, 64, new Member("a", alias, 0), new Member("", type, 0));
            module.enumeration("choice" + i, "NO", "YES");
            module.forward("hidden" + i, false);
            module.raw(19, "wide" + i, 1, 8, 0, 1, 2);
            int variable = module.raw(14, "variable" + i, 0, type, 1);
            module.raw(15, ".data" + i, 1, 8, variable, 0, 8);
            module.function("f" + i, module.prototype(0, pointer, alias));
        }
        return module;
    }

    private static ByteBuffer bytes(BtfBuilder builder, boolean little) {
        return ByteBuffer.wrap(builder.build(little ? ByteOrder.LITTLE_ENDIAN : ByteOrder.BIG_ENDIAN));
    }

    @Property(tries = 200)
    void readsAsIfItHadBeenBuiltWithTheKernel(
            @ForAll long seed, @ForAll @IntRange(min = 1, max = 30) int size, @ForAll boolean little)
            throws UnreadableException {
        Random random = new Random(seed);
        Base whole = new Base(random, size, false);
        Base base = new Base(random, size, true);
        Btf kernel = Btf.read(bytes(whole.builder, little));
        Btf expected = Btf.readSplit(bytes(module(whole, size), little), kernel);
        Btf read = DistilledBtf.read(bytes(module(base, size), little), bytes(base.builder, little), kernel);
        assertThat(read.size()).isEqualTo(expected.size());
        TypeGraph below = TypeGraph.of(kernel);
        TypeGraph graph = TypeGraph.split(read, below);
        TypeGraph other = TypeGraph.split(expected, below);
        for (int id = kernel.size(); id < read.size(); id++) {
            assertThat(read.kind(id)).isEqualTo(expected.kind(id));
            assertThat(read.name(id)).isEqualTo(expected.name(id));
            assertThat(read.type(id)).isEqualTo(expected.type(id));
            assertThat(graph.fingerprint(id)).isEqualTo(other.fingerprint(id));
            for (int i = 0; i < read.members(id) && read.kind(id) != BtfKind.DATASEC; i++) {
                assertThat(read.memberName(id, i)).isEqualTo(expected.memberName(id, i));
            }
            for (int edge = graph.firstEdge(id); edge < graph.firstEdge(id + 1); edge++) {
                assertThat(graph.target(edge)).isEqualTo(other.target(edge));
            }
        }
    }

    /** Uses two structs of one name. The module contains a struct of one of the two sizes. */
    @Example
    void sizeDistinguishesTypesOfOneName() throws UnreadableException {
        BtfBuilder kernel = new BtfBuilder();
        kernel.struct("twice", 8);
        int second = kernel.struct("twice", 16);
        BtfBuilder base = new BtfBuilder();
        int sized = base.struct("twice", 16);
        BtfBuilder module = base.split();
        module.pointer(sized);
        Btf below = Btf.read(bytes(kernel, true));
        Btf read = DistilledBtf.read(bytes(module, true), bytes(base, true), below);
        assertThat(read.type(below.size())).isEqualTo(second);
    }

    @Example
    void refusesTypesThatTheKernelLacks() throws UnreadableException {
        Btf kernel = Btf.read(bytes(kernelOf("gone"), true));
        for (int i = 0; i < 5; i++) {
            BtfBuilder base = new BtfBuilder();
            int[] types = {
                base.integer("unknown", 4),
                base.integer("int", 8),
                base.struct("gone", 16),
                base.forward("gone", true),
                base.raw(2, "", 0, 0)
            };
            BtfBuilder module = base.split();
            module.pointer(types[i]);
            assertThatThrownBy(() -> DistilledBtf.read(bytes(module, true), bytes(base, true), kernel))
                    .isInstanceOf(UnreadableException.class)
                    .hasMessageContaining("or defines it differently");
        }
    }

    private static BtfBuilder kernelOf(String struct) {
        BtfBuilder kernel = new BtfBuilder();
        kernel.integer("int", 4);
        kernel.struct(struct, 8);
        return kernel;
    }
}
