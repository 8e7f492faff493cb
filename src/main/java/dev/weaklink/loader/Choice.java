package dev.weaklink.loader;

import java.util.Arrays;
import java.util.BitSet;
import java.util.List;

/** For each name the candidate that stands in the target's place, if any. Immutable. */
final class Choice {
    private static final int OWN = -1;

    private final Builds builds;
    private final int[] chosen;

    private Choice(Builds builds, int[] chosen) {
        this.builds = builds;
        this.chosen = chosen;
    }

    /** No candidate: the target as it is. */
    static Choice none(Builds builds) {
        int[] chosen = new int[builds.names()];
        Arrays.fill(chosen, OWN);
        return new Choice(builds, chosen);
    }

    /** These candidates, of different names, apart from those there are. */
    Choice with(List<Integer> candidates) {
        int[] more = chosen.clone();
        for (int candidate : candidates) {
            more[builds.nameOf(candidate)] = candidate;
        }
        return new Choice(builds, more);
    }

    /** Without these candidates. */
    Choice without(List<Integer> candidates) {
        int[] less = chosen.clone();
        for (int candidate : candidates) {
            if (isChosen(candidate)) {
                less[builds.nameOf(candidate)] = OWN;
            }
        }
        return new Choice(builds, less);
    }

    boolean isChosen(int candidate) {
        return chosen[builds.nameOf(candidate)] == candidate;
    }

    /** Whether a candidate of this name is chosen. */
    boolean isReplaced(int name) {
        return chosen[name] != OWN;
    }

    /** Returns the names that have a chosen candidate. */
    BitSet replacedNames() {
        BitSet names = new BitSet();
        for (int n = 0; n < chosen.length; n++) {
            names.set(n, isReplaced(n));
        }
        return names;
    }

    /** The chosen candidate of a name that has one. */
    int candidate(int name) {
        return chosen[name];
    }

    /** The modules of this name that exist: the chosen candidate, or the target's own. */
    int[] present(int name) {
        return isReplaced(name) ? new int[] {chosen[name]} : builds.nativesOf(name);
    }
}
