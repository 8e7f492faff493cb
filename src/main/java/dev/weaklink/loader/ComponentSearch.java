package dev.weaklink.loader;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;

/**
 * Decides variables of a {@link ConstraintProblem} that have to be decided together: branch and bound, in which what
 * falls apart after a decision is solved apart, and what costs nothing is decided at once. First the worth of the best
 * solution is found, then the first of those that have it.
 */
final class ComponentSearch {
    private static final long NONE = -1;

    /** So deep, the stack could end before the limit is reached. */
    private static final int DEEPEST = 1000;

    private final CandidateDomains domains;
    private final Simplification simplification;
    private final int[] variables;
    private final int[] solution;
    private final long limit;
    private final long last;
    private boolean complete = true;
    private int depth;

    /**
     * A search.
     *
     * @param variables rising
     * @param limit amount of {@link CandidateDomains#work} at which it ends
     */
    ComponentSearch(CandidateDomains domains, int[] variables, long limit) {
        this.domains = domains;
        this.simplification = new Simplification(domains);
        this.variables = variables;
        this.limit = limit;
        this.last = limit + Math.max(0, limit - domains.work());
        this.solution = new int[domains.variables()];
    }

    /**
     * Decides all variables.
     *
     * @return whether no other solution is worth more
     */
    boolean solve() {
        int start = domains.mark();
        if (!settleGreedily((domains.work() + limit) / 2)) {
            domains.undo(start);
            chooseNothing();
        }
        record(variables);
        long reached = worth(variables);
        int[] best = values(variables);
        domains.undo(start);
        long found = search(variables, reached + 1);
        best = found == NONE ? best : values(variables);
        domains.undo(start);
        boolean isBest = complete;
        settleFirst(best, Math.max(found, reached));
        return isBest;
    }

    /** Of all solutions of this worth the one that has the preferred value of the first name. */
    private void settleFirst(int[] best, long worth) {
        int[] known = best;
        for (int i = 0; i < variables.length; i++) {
            int variable = variables[i];
            for (int rank = 1; !domains.isDecided(variable); rank++) {
                int value = domains.value(variable, rank);
                int mark = domains.mark();
                if (domains.isGone(value)) {
                    continue;
                }
                boolean possible = domains.assign(value);
                if (known[i] != value && complete) {
                    int inner = domains.mark();
                    possible = possible && search(variables, worth) != NONE;
                    known = possible ? values(variables) : known;
                    domains.undo(inner);
                } else {
                    possible = known[i] == value;
                }
                if (!possible) {
                    domains.undo(mark);
                }
            }
        }
    }

    private int[] values(int[] some) {
        int[] values = new int[some.length];
        for (int i = 0; i < some.length; i++) {
            values[i] = solution[some[i]];
        }
        return values;
    }

    private void record(int[] some) {
        for (int variable : some) {
            solution[variable] = domains.best(variable);
        }
    }

    private long worth(int[] some) {
        long worth = 0;
        for (int variable : some) {
            worth += domains.worth(domains.best(variable));
        }
        return worth;
    }

    /** What satisfies all demands in any case. */
    private void chooseNothing() {
        for (int variable : variables) {
            domains.assign(domains.own(variable));
        }
    }

    /** Gives the variable the fewest demands stand against its best value; false in a dead end. */
    private boolean settleGreedily(long end) {
        int[] open = variables;
        while (simplification.of(open)) {
            open = open(open);
            if (open.length == 0) {
                return true;
            }
            int variable = domains.work() > end ? open[0] : simplification.leastContested(open);
            int mark = domains.mark();
            for (int rank = 1; !domains.isDecided(variable); rank++) {
                if (rank > domains.size(variable)) {
                    return false;
                }
                int value = domains.value(variable, rank);
                if (domains.isGone(value) || !domains.assign(value)) {
                    domains.undo(mark);
                }
            }
        }
        return false;
    }

    /** The most that these can be worth, if it is that much; their values are then recorded. */
    private long search(int[] some, long wanted) {
        if (depth > DEEPEST || domains.work() > last) {
            complete = false;
            return NONE;
        }
        depth++;
        try {
            if (!simplification.of(some)) {
                return NONE;
            }
            int[] open = open(some);
            List<int[]> demands = demands(open);
            if (worth(some) < wanted) {
                return NONE;
            }
            long settled = worth(some) - worth(open);
            long found = open.length == 0 ? 0 : apart(open, demands, wanted - settled);
            if (found != NONE) {
                int[] values = values(open);
                record(some);
                put(open, values);
            }
            return found == NONE ? NONE : settled + found;
        } finally {
            depth--;
        }
    }

    private void put(int[] some, int[] values) {
        for (int i = 0; i < some.length; i++) {
            solution[some[i]] = values[i];
        }
    }

    private int[] open(int[] some) {
        return Arrays.stream(some)
                .filter(variable -> !domains.isDecided(variable))
                .toArray();
    }

    /** Constraints that are not met yet, each once; all they are about is open. */
    private List<int[]> demands(int[] open) {
        BitSet found = new BitSet();
        for (int variable : open) {
            for (int value = domains.own(variable); value < domains.end(variable); value++) {
                for (int demand : domains.isGone(value) ? new int[0] : domains.demandsOf(value)) {
                    found.set(demand);
                }
            }
        }
        List<int[]> demands = new ArrayList<>();
        for (int d = found.nextSetBit(0); d >= 0; d = found.nextSetBit(d + 1)) {
            domains.worked(1);
            if (!domains.isMet(domains.demand(d))) {
                demands.add(domains.demand(d));
            }
        }
        return demands;
    }

    /** Solves each component by itself; what others cannot be worth, it has to be. */
    private long apart(int[] open, List<int[]> demands, long wanted) {
        List<int[]> components = Components.of(domains, open, demands);
        if (components.size() == 1) {
            return branch(open, wanted);
        }
        long rest = worth(open);
        long sum = 0;
        for (int[] component : components) {
            rest -= worth(component);
            int mark = domains.mark();
            long found = search(component, wanted - sum - rest);
            domains.undo(mark);
            if (found == NONE) {
                return NONE;
            }
            sum += found;
        }
        return sum;
    }

    /** Tries the values of the variable that the most demands stand against. */
    private long branch(int[] open, long wanted) {
        int variable = simplification.mostContested(open);
        long most = NONE;
        int[] best = new int[0];
        for (int rank = 1; rank <= domains.size(variable); rank++) {
            int value = domains.value(variable, rank);
            int mark = domains.mark();
            if (domains.isGone(value)) {
                continue;
            }
            long least = Math.max(wanted, most + 1);
            long found = domains.assign(value) ? search(open, least) : NONE;
            if (found != NONE) {
                most = found;
                best = values(open);
            }
            domains.undo(mark);
            if (domains.work() > limit) {
                complete = false;
                if (most != NONE) {
                    break;
                }
            }
        }
        put(most == NONE ? new int[0] : open, best);
        return most;
    }

    /** Decides variables whose best value no better solution can be without. */
    private record Simplification(CandidateDomains domains) {
        private static final int NONE = -1;
        private static final int SEVERAL = -2;

        /** Decides as many of these as it can; false if the demands contradict each other. */
        boolean of(int[] variables) {
            boolean changed = true;
            while (changed) {
                changed = false;
                for (int variable : variables) {
                    if (!domains.isDecided(variable) && !isContested(variable)) {
                        changed = true;
                        if (!domains.assign(domains.best(variable))) {
                            return false;
                        }
                    }
                }
            }
            return true;
        }

        /** Of open variables the one whose best value has the most demands against it. */
        int mostContested(int[] open) {
            return contested(open, 1);
        }

        /** Of open variables the one whose best value has the fewest demands against it. */
        int leastContested(int[] open) {
            return contested(open, -1);
        }

        private int contested(int[] open, int sign) {
            int variable = open[0];
            int most = Integer.MIN_VALUE;
            for (int candidate : open) {
                int count = sign * count(candidate);
                if (count > most) {
                    most = count;
                    variable = candidate;
                }
            }
            return variable;
        }

        private int count(int variable) {
            int best = domains.best(variable);
            int count = 0;
            for (int value = domains.own(variable); value < domains.end(variable); value++) {
                if (value != best && !domains.isGone(value)) {
                    for (int d : domains.demandsOf(value)) {
                        count += isAgainst(domains.demand(d), best) ? 1 : 0;
                    }
                }
            }
            return count;
        }

        private boolean isAgainst(int[] demand, int value) {
            domains.worked(1);
            return Arrays.binarySearch(demand, value) < 0 && !domains.isMet(demand);
        }

        /** Whether the best value may have to be given up for others. */
        private boolean isContested(int variable) {
            int against = against(variable);
            return against == SEVERAL || (against != NONE && !isWorthIt(variable, domains.demand(against)));
        }

        /** The one demand that the best value makes harder to meet; or none, or several. */
        private int against(int variable) {
            int best = domains.best(variable);
            int found = NONE;
            for (int value = domains.own(variable); value < domains.end(variable); value++) {
                if (value != best && !domains.isGone(value)) {
                    for (int d : domains.demandsOf(value)) {
                        if (d != found && isAgainst(domains.demand(d), best)) {
                            if (found != NONE) {
                                return SEVERAL;
                            }
                            found = d;
                        }
                    }
                }
            }
            return found;
        }

        /**
         * Whether no more is lost by meeting that demand with another variable, which nobody else needs to be
         * otherwise: then a solution without the best value is no better than one with it.
         */
        private boolean isWorthIt(int variable, int[] demand) {
            int other = NONE;
            int instead = NONE;
            for (int value : demand) {
                int owner = domains.variableOf(value);
                if (domains.isGone(value) || owner == variable) {
                    continue;
                }
                if (other != NONE && other != owner) {
                    return false;
                }
                other = owner;
                if (instead == NONE || domains.worth(value) > domains.worth(instead)) {
                    instead = value;
                }
            }
            return instead != NONE && gain(variable) >= domains.loss(instead) && isHarmless(other, instead);
        }

        /** How much less the second best value is worth. */
        private long gain(int variable) {
            int best = domains.best(variable);
            long second = 0;
            for (int value = domains.own(variable); value < domains.end(variable); value++) {
                if (value != best && !domains.isGone(value)) {
                    second = Math.max(second, domains.worth(value));
                }
            }
            return domains.worth(best) - second;
        }

        /** Whether a value meets all open demands that any value of its variable meets. */
        private boolean isHarmless(int variable, int instead) {
            for (int value = domains.own(variable); value < domains.end(variable); value++) {
                if (value != instead && !domains.isGone(value)) {
                    for (int d : domains.demandsOf(value)) {
                        if (isAgainst(domains.demand(d), instead)) {
                            return false;
                        }
                    }
                }
            }
            return true;
        }
    }

    /** Variables that no demand connects, directly or through others, can be decided apart. */
    static final class Components {
        private Components() {}

        /**
         * Groups of variables, in the order of their first ones.
         *
         * @param variables rising
         * @param demands on these and no others
         */
        static List<int[]> of(CandidateDomains domains, int[] variables, List<int[]> demands) {
            int[] leader = new int[variables.length];
            Arrays.setAll(leader, i -> i);
            for (int[] demand : demands) {
                int first = -1;
                for (int value : demand) {
                    domains.worked(1);
                    if (!domains.isGone(value)) {
                        int at = leader(leader, Arrays.binarySearch(variables, domains.variableOf(value)));
                        first = first < 0 ? at : first;
                        int low = Math.min(first, at);
                        leader[Math.max(first, at)] = low;
                        first = low;
                    }
                }
            }
            List<List<Integer>> groups = new ArrayList<>();
            for (int i = 0; i < leader.length; i++) {
                groups.add(new ArrayList<>(0));
                groups.get(leader(leader, i)).add(variables[i]);
            }
            List<int[]> components = new ArrayList<>();
            for (List<Integer> group : groups) {
                if (!group.isEmpty()) {
                    components.add(group.stream().mapToInt(Integer::intValue).toArray());
                }
            }
            return components;
        }

        private static int leader(int[] leader, int i) {
            int l = i;
            while (leader[l] != l) {
                leader[l] = leader[leader[l]];
                l = leader[l];
            }
            return l;
        }
    }
}
