package dev.weaklink.loader;

import java.util.Arrays;

/** Decides variables whose best value no better solution can be without. */
final class Simplification {
  private static final int NONE = -1;
  private static final int SEVERAL = -2;

  private final Domains domains;

  Simplification(Domains domains) {
    this.domains = domains;
  }

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
   * Whether no more is lost by meeting that demand with another variable, which nobody else needs
   * to be otherwise: then a solution without the best value is no better than one with it.
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
