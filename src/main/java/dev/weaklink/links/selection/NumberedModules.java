package dev.weaklink.links.selection;

import dev.weaklink.links.selection.MaximalSubset.SubsetQuestion;
import dev.weaklink.module.KernelModule;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/**
 * The numbered modules of a {@link SubsetQuestion}: the candidates in their order, then the target's own readable
 * modules. The modules' names are numbered too, in alphabetical order.
 */
final class NumberedModules {
    private static final int[] NONE = new int[0];

    private final SubsetQuestion question;
    private final List<KernelModule> modules = new ArrayList<>();
    private final List<String> names;
    private final Map<String, Integer> numbers = new HashMap<>();
    private final Map<String, List<Integer>> groups = new HashMap<>();
    private final int[] nameOf;
    private final int[][] nativesOf;

    NumberedModules(SubsetQuestion question) {
        this.question = question;
        for (Candidate candidate : question.candidates()) {
            if (candidate.group() != null) {
                groups.computeIfAbsent(candidate.group(), g -> new ArrayList<>())
                        .add(modules.size());
            }
            modules.add(candidate.module());
        }
        for (KernelModule module : question.inTreeModules()) {
            if (!question.unreadable().contains(module.name())) {
                modules.add(module);
            }
        }
        TreeSet<String> sorted = new TreeSet<>();
        modules.forEach(module -> sorted.add(module.name()));
        names = new ArrayList<>(sorted);
        for (int n = 0; n < names.size(); n++) {
            numbers.put(names.get(n), n);
        }
        nameOf = new int[modules.size()];
        nativesOf = new int[names.size()][];
        Arrays.fill(nativesOf, NONE);
        for (int b = 0; b < nameOf.length; b++) {
            Integer number = numbers.get(modules.get(b).name());
            nameOf[b] = number == null ? -1 : number;
            if (!isCandidate(b)) {
                append(nativesOf, nameOf[b], b);
            }
        }
    }

    private static void append(int[][] lists, int index, int value) {
        int[] longer = Arrays.copyOf(lists[index], lists[index].length + 1);
        longer[longer.length - 1] = value;
        lists[index] = longer;
    }

    SubsetQuestion question() {
        return question;
    }

    int size() {
        return modules.size();
    }

    List<KernelModule> modules() {
        return modules;
    }

    KernelModule module(int build) {
        return modules.get(build);
    }

    boolean isCandidate(int build) {
        return build < question.candidates().size();
    }

    Candidate candidate(int build) {
        return question.candidates().get(build);
    }

    int names() {
        return names.size();
    }

    String name(int number) {
        return names.get(number);
    }

    int nameOf(int build) {
        return nameOf[build];
    }

    int number(String name) {
        return numbers.getOrDefault(name, -1);
    }

    /** Returns the target's own modules of a name: usually at most one module, several if module files are misnamed. */
    int[] nativesOf(int name) {
        return nativesOf[name];
    }

    /**
     * Returns the candidates that must be linked together with this candidate: its group, or only the candidate itself.
     */
    List<Integer> unit(int build) {
        String group = candidate(build).group();
        return group == null ? List.of(build) : groups.getOrDefault(group, List.of());
    }
}
