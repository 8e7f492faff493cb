package dev.weaklink.explain;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.format.btf.Btf;
import dev.weaklink.format.btf.TypeGraph;
import dev.weaklink.loader.CrcCause;
import dev.weaklink.sys.UnreadableException;
import dev.weaklink.testing.BtfBuilder;
import dev.weaklink.testing.BtfBuilder.Member;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

/** Random types with one edit: the finder must name this edit as the cause, and no other change. */
class CauseProperties {
    /** A model of types. A struct's member is the number of the struct that it points to, or -1 for a number. */
    private record Model(List<List<Integer>> structs, List<Integer> functions) {}

    private enum Edit {
        ADD,
        REMOVE,
        RETYPE
    }

    private static Model model(Random random, int size) {
        List<List<Integer>> structs = new ArrayList<>();
        for (int i = 0; i < size; i++) {
            List<Integer> members = new ArrayList<>();
            for (int j = random.nextInt(4); j >= 0; j--) {
                members.add(random.nextInt(3) == 0 ? -1 : random.nextInt(size));
            }
            structs.add(members);
        }
        List<Integer> functions = new ArrayList<>();
        for (int i = 0; i < size; i++) {
            functions.add(random.nextInt(size));
        }
        return new Model(structs, functions);
    }

    /** Builds the types. The ids of the structs follow the ids of the pointers to them. */
    private static TypeGraph build(Model model, int edited, Edit edit) throws UnreadableException {
        BtfBuilder builder = new BtfBuilder();
        int number = builder.integer("int", 4);
        int wide = builder.integer("long", 8);
        int size = model.structs.size();
        int firstStruct = wide + 1 + size;
        for (int i = 0; i < size; i++) {
            builder.pointer(firstStruct + i);
        }
        for (int i = 0; i < size; i++) {
            List<Member> members = new ArrayList<>();
            List<Integer> targets = model.structs.get(i);
            for (int j = 0; j < targets.size(); j++) {
                int type = targets.get(j) < 0 ? number : wide + 1 + targets.get(j);
                boolean here = i == edited && j == 0;
                if (here && edit == Edit.RETYPE) {
                    type = wide;
                }
                if (!here || edit != Edit.REMOVE) {
                    members.add(new Member("m" + j, type, 64 * j));
                }
            }
            if (i == edited && edit == Edit.ADD) {
                members.add(new Member("added", number, 64 * targets.size()));
            }
            builder.struct("s" + i, 64, members.toArray(new Member[0]));
        }
        for (int i = 0; i < size; i++) {
            int proto = builder.prototype(number, wide + 1 + model.functions.get(i));
            builder.function("f" + i, proto);
        }
        return TypeGraph.of(Btf.read(ByteBuffer.wrap(builder.build(ByteOrder.BIG_ENDIAN))));
    }

    private static Map<String, CrcCause> causes(TypeGraph before, TypeGraph after, int functions) {
        List<String> names =
                IntStream.range(0, functions).mapToObj(i -> "f" + i).toList();
        return new CauseFinder(before, after, null, true).find(names, List.of(), 2);
    }

    private static boolean reaches(Model model, int from, int to) {
        Set<Integer> seen = new HashSet<>();
        List<Integer> open = new ArrayList<>(List.of(from));
        while (!open.isEmpty()) {
            int struct = open.remove(open.size() - 1);
            if (struct >= 0 && seen.add(struct)) {
                open.addAll(model.structs.get(struct));
            }
        }
        return seen.contains(to);
    }

    @Property(tries = 300)
    void findsTheSingleChangedType(@ForAll long seed, @ForAll @IntRange(min = 1, max = 30) int size, @ForAll Edit edit)
            throws UnreadableException {
        Random random = new Random(seed);
        Model model = model(random, size);
        int edited = random.nextInt(size);
        TypeGraph before = build(model, -1, edit);
        Map<String, CrcCause> causes = causes(before, build(model, edited, edit), size);
        for (int i = 0; i < size; i++) {
            CrcCause cause = causes.get("f" + i);
            if (reaches(model, model.functions.get(i), edited)) {
                assertThat(cause).isNotNull();
                assertThat(cause.change().name()).isEqualTo("s" + edited);
                assertThat(cause.path()).startsWith("f" + i).endsWith("struct s" + edited);
                assertThat(cause.certainty()).isEqualTo(CrcCause.Certainty.ONLY);
            } else {
                assertThat(cause).isNull();
            }
        }
    }

    @Property(tries = 100)
    void equalTypesHaveNoCause(@ForAll long seed, @ForAll @IntRange(min = 1, max = 30) int size)
            throws UnreadableException {
        Model model = model(new Random(seed), size);
        TypeGraph graph = build(model, -1, Edit.ADD);
        assertThat(causes(graph, build(model, -1, Edit.ADD), size)).isEmpty();
    }
}
