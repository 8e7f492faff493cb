package dev.weaklink.loader;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The choice between builds as a problem of values: each name that has candidates is a variable; its values are the
 * target's own module (or none) and each of its candidates. A demand is a set of values of which at least one has to
 * hold.
 */
final class ConstraintProblem {
    /** A value that always holds: own modules of a name without candidates. */
    static final int ALWAYS = 0;

    private final Builds builds;
    private final int[] ownValue;
    private final int[] valueOf;
    private final int[] variableNames;
    private final int[] firstValues;
    private final List<int[]> demands = new ArrayList<>();
    private final Set<BitSet> known = new HashSet<>();

    ConstraintProblem(Builds builds) {
        this.builds = builds;
        ownValue = new int[builds.names()];
        valueOf = new int[builds.size()];
        int variables = 0;
        int values = ALWAYS + 1;
        for (int n = 0; n < builds.names(); n++) {
            if (builds.candidatesOf(n).length > 0) {
                variables++;
                ownValue[n] = values++;
                for (int candidate : builds.candidatesOf(n)) {
                    valueOf[candidate] = values++;
                }
            }
        }
        variableNames = new int[variables];
        firstValues = new int[variables + 1];
        firstValues[variables] = values;
        for (int n = builds.names() - 1; n >= 0; n--) {
            if (builds.candidatesOf(n).length > 0) {
                variableNames[--variables] = n;
                firstValues[variables] = ownValue[n];
            }
        }
        joinGroups();
    }

    private void joinGroups() {
        for (int c = 0; c < builds.question().candidates().size(); c++) {
            List<Integer> unit = builds.unit(c);
            int next = unit.get((unit.indexOf(c) + 1) % unit.size());
            if (next != c) {
                BitSet satisfying = new BitSet();
                satisfying.set(value(next));
                demand(satisfying, c);
            }
        }
    }

    /** Number of variables. Variables are in the order of their names. */
    int variables() {
        return variableNames.length;
    }

    /** The value of a variable that means the target's own; its candidates follow in order. */
    int firstValue(int variable) {
        return firstValues[variable];
    }

    /** Number of all values. */
    int values() {
        return firstValues[variableNames.length];
    }

    /** The variable that a value belongs to. */
    int variableOf(int value) {
        int found = Arrays.binarySearch(firstValues, value);
        return found >= 0 ? found : -found - 2;
    }

    /** The value that holds if a build is there. */
    int value(int build) {
        return builds.isCandidate(build) ? valueOf[build] : ownValue(builds.nameOf(build));
    }

    /** The value that holds if no candidate of a name is chosen; any number that is no name's: always. */
    int ownValue(int name) {
        return name < 0 ? ALWAYS : ownValue[name];
    }

    /** At least one of these values has to hold if a build is there. */
    void demand(BitSet satisfying, int build) {
        int name = builds.nameOf(build);
        if (ownValue[name] != ALWAYS) {
            addOthers(satisfying, name, value(build));
        }
        demand(satisfying);
    }

    /** Adds all values of a name but one. */
    void addOthers(BitSet values, int name, int but) {
        int first = ownValue[name];
        boolean already = values.get(but);
        values.set(first, first + builds.candidatesOf(name).length + 1);
        values.set(but, already);
    }

    /** At least one of these values has to hold. */
    void demand(BitSet satisfying) {
        if (!satisfying.get(ALWAYS) && !holdsAnyhow(satisfying) && known.add(satisfying)) {
            demands.add(satisfying.stream().toArray());
        }
    }

    /** Whether these are all values of one name, or begin with what always holds. */
    boolean isAnyOf(int[] values, int count) {
        if (count == 0 || values[0] == ALWAYS) {
            return count > 0;
        }
        int variable = variableOf(values[0]);
        int first = firstValues[variable];
        int end = firstValues[variable + 1];
        for (int i = 0; i < count; i++) {
            if (values[i] < first || values[i] >= end) {
                return false;
            }
        }
        // no build is there twice
        return count == end - first && values[count - 1] == first;
    }

    /** Whether all values of some name are in it. */
    private boolean holdsAnyhow(BitSet satisfying) {
        for (int value = satisfying.nextSetBit(0); value >= 0; ) {
            int variable = variableOf(value);
            int end = firstValues[variable + 1];
            if (value == firstValues[variable] && satisfying.nextClearBit(value) >= end) {
                return true;
            }
            value = satisfying.nextSetBit(end);
        }
        return false;
    }

    List<int[]> demands() {
        return demands;
    }

    /** The choice that these values mean, one for each variable. */
    Choice choice(int[] values) {
        List<Integer> chosen = new ArrayList<>();
        for (int v = 0; v < values.length; v++) {
            int rank = values[v] - firstValues[v];
            if (rank > 0) {
                chosen.add(builds.candidatesOf(variableNames[v])[rank - 1]);
            }
        }
        return Choice.none(builds).with(chosen);
    }
}
