package dev.weaklink.loader;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.loader.BestSubset.SubsetQuestion;
import dev.weaklink.module.KernelModule;
import dev.weaklink.testing.Machine;
import dev.weaklink.testing.ModuleBuilder;
import dev.weaklink.testing.ModuleSpec.Export;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Many modules, of which some cannot be had with others: the largest choice is the largest independent set of a graph,
 * which is found in another way here.
 */
class ConflictingModulesTest {
    private static final int OLD = 1;
    private static final int NEW = 2;

    @ParameterizedTest
    @CsvSource({"60, 3, 1", "100, 8, 2", "150, 4, 5", "150, 4, 6", "200, 3, 7", "250, 3, 8", "300, 3, 10"})
    void noneOfTheLargestChoiceIsMissing(int modules, int conflicts, int seed) {
        BitSet[] graph = graph(modules, conflicts, new Random(seed));

        Selection selection = choose(graph);

        assertThat(selection.chosen()).hasSize(largest(graph));
        assertThat(selection.largest()).isTrue();
    }

    @Test
    void aChoiceThatMayNotBeTheLargestSaysSo() {
        BitSet[] graph = graph(300, 14, new Random(12));

        Selection selection = choose(graph);

        assertThat(selection.largest()).isFalse();
        assertThat(selection.chosen()).hasSizeGreaterThan(60);
    }

    /** Random conflicts, so many for each module on average. */
    private static BitSet[] graph(int modules, int conflicts, Random random) {
        BitSet[] graph = new BitSet[modules];
        for (int i = 0; i < modules; i++) {
            graph[i] = new BitSet();
        }
        for (int edge = 0; edge < modules * conflicts / 2; edge++) {
            int one = random.nextInt(modules);
            int other = random.nextInt(modules);
            if (one != other) {
                graph[one].set(other);
                graph[other].set(one);
            }
        }
        return graph;
    }

    /** One module of each pair takes a symbol of the kernel's own build of the other. */
    private static Selection choose(BitSet[] graph) {
        Kernels kernel = Kernels.version("6.1");
        List<Candidate> candidates = new ArrayList<>();
        List<KernelModule> natives = new ArrayList<>();
        for (int i = 0; i < graph.length; i++) {
            ModuleBuilder module = exporting(i, OLD);
            for (int other = graph[i].nextSetBit(i); other >= 0; other = graph[i].nextSetBit(other + 1)) {
                module.importing("s" + other, NEW);
            }
            candidates.add(Candidate.of(Judged.read(module.spec())));
            natives.add(Judged.read(exporting(i, NEW).spec()));
        }
        SubsetQuestion question = new SubsetQuestion(kernel.build(), candidates, natives, Set.of(), Set.of());
        return BestSubset.choose(question, new KernelRows(question.target().exports()), 1);
    }

    private static ModuleBuilder exporting(int name, int crc) {
        return ModuleBuilder.typical(Machine.X86_64, "m" + name).exporting("s" + name, Export.Table.NORMAL, crc);
    }

    private static int largest(BitSet[] graph) {
        BitSet all = new BitSet();
        all.set(0, graph.length);
        return largest(graph, all);
    }

    /** Takes a vertex with one neighbour at most, else tries one with most with and without. */
    private static int largest(BitSet[] graph, BitSet left) {
        int most = -1;
        int degree = -1;
        for (int v = left.nextSetBit(0); v >= 0; v = left.nextSetBit(v + 1)) {
            BitSet neighbours = (BitSet) graph[v].clone();
            neighbours.and(left);
            if (neighbours.cardinality() <= 1) {
                return 1 + largest(graph, without(left, v, neighbours));
            }
            if (neighbours.cardinality() > degree) {
                degree = neighbours.cardinality();
                most = v;
            }
        }
        if (most < 0) {
            return 0;
        }
        if (degree > 2) {
            BitSet part = part(graph, left, most);
            if (part.cardinality() < left.cardinality()) {
                BitSet rest = (BitSet) left.clone();
                rest.andNot(part);
                return largest(graph, part) + largest(graph, rest);
            }
        }
        int with = 1 + largest(graph, without(left, most, graph[most]));
        return degree == 2 ? with : Math.max(with, largest(graph, without(left, most, new BitSet())));
    }

    private static BitSet part(BitSet[] graph, BitSet left, int start) {
        BitSet part = new BitSet();
        part.set(start);
        for (int before = 0; before < part.cardinality(); ) {
            before = part.cardinality();
            ((BitSet) part.clone()).stream().forEach(v -> part.or(graph[v]));
            part.and(left);
        }
        return part;
    }

    private static BitSet without(BitSet left, int vertex, BitSet others) {
        BitSet less = (BitSet) left.clone();
        less.clear(vertex);
        less.andNot(others);
        return less;
    }
}
