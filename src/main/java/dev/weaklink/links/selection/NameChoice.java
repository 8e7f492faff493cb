package dev.weaklink.links.selection;

import java.util.Arrays;
import java.util.BitSet;
import java.util.List;

/**
 * The chosen {@link Candidate} for each module name, if there is one. A chosen candidate replaces the target kernel's
 * own modules of its name. Immutable.
 */
final class NameChoice {
    private static final int OWN = -1;

    private final NumberedModules builds;
    private final int[] chosen;

    private NameChoice(NumberedModules builds, int[] chosen) {
        this.builds = builds;
        this.chosen = chosen;
    }

    static NameChoice none(NumberedModules builds) {
        int[] chosen = new int[builds.names()];
        Arrays.fill(chosen, OWN);
        return new NameChoice(builds, chosen);
    }

    NameChoice with(List<Integer> candidates) {
        int[] more = chosen.clone();
        for (int candidate : candidates) {
            more[builds.nameOf(candidate)] = candidate;
        }
        return new NameChoice(builds, more);
    }

    NameChoice without(List<Integer> candidates) {
        int[] less = chosen.clone();
        for (int candidate : candidates) {
            if (isChosen(candidate)) {
                less[builds.nameOf(candidate)] = OWN;
            }
        }
        return new NameChoice(builds, less);
    }

    boolean isChosen(int candidate) {
        return chosen[builds.nameOf(candidate)] == candidate;
    }

    boolean isReplaced(int name) {
        return chosen[name] != OWN;
    }

    BitSet replacedNames() {
        BitSet names = new BitSet();
        for (int n = 0; n < chosen.length; n++) {
            names.set(n, isReplaced(n));
        }
        return names;
    }

    int candidate(int name) {
        return chosen[name];
    }

    int[] present(int name) {
        return isReplaced(name) ? new int[] {chosen[name]} : builds.nativesOf(name);
    }
}
