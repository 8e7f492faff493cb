package dev.weaklink.tree;

import dev.weaklink.tree.PosixExpression.Choice;
import dev.weaklink.tree.PosixExpression.Node;
import dev.weaklink.tree.PosixExpression.OneOf;
import dev.weaklink.tree.PosixExpression.Place;
import dev.weaklink.tree.PosixExpression.Repeat;
import dev.weaklink.tree.PosixExpression.Sequence;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Matches the KERNELVERSION of depmod.d(5) lines against one release: {@code *}, or a POSIX
 * extended regular expression that is looked for anywhere in it. An expression becomes an automaton
 * whose states are all followed at once, so that time is at most states times characters; every
 * step of making and following it is counted.
 */
final class ReleasePattern {
  /** Bounds the recursion of parser and compiler. */
  private static final int MAX_LENGTH = 256;

  /** For one expression; an honest one needs a few hundred. */
  private static final int MAX_STEPS = 200_000;

  /** For all expressions of a configuration. */
  private static final int MAX_STEPS_TOGETHER = 100 * MAX_STEPS;

  private final String release;
  private final State match = new State(null, null, null);
  private int stepsTogether;
  private int steps;

  ReleasePattern(String release) {
    this.release = PosixExpression.bytes(release);
  }

  /** Takes a byte, requires a place, or leads to two others for nothing. */
  private static final class State {
    final @Nullable Node takes;
    @Nullable State next;
    final @Nullable State other;

    /** The last position at which it was reached. */
    int reached = -1;

    State(@Nullable Node takes, @Nullable State next, @Nullable State other) {
      this.takes = takes;
      this.next = next;
      this.other = other;
    }
  }

  /**
   * Whether the release matches.
   *
   * @throws IllegalArgumentException with the reason if the pattern cannot be used
   */
  boolean matches(String pattern) {
    if (pattern.equals("*")) {
      return true;
    }
    if (pattern.length() > MAX_LENGTH) {
      throw new IllegalArgumentException("kernel version pattern is too long");
    }
    steps = 0;
    match.reached = -1;
    return isFound(compiled(PosixExpression.parse(pattern), match));
  }

  private void step() {
    if (++steps > MAX_STEPS || ++stepsTogether > MAX_STEPS_TOGETHER) {
      throw new IllegalArgumentException("kernel version pattern takes too long to match");
    }
  }

  /** The state to begin at for a node that is followed by this state. */
  private State compiled(Node node, State next) {
    step();
    if (node instanceof Sequence sequence) {
      State start = next;
      for (int i = sequence.parts().size() - 1; i >= 0; i--) {
        start = compiled(sequence.parts().get(i), start);
      }
      return start;
    }
    if (node instanceof Choice choice) {
      return new State(null, compiled(choice.left(), next), compiled(choice.right(), next));
    }
    return node instanceof Repeat repeat ? repeated(repeat, next) : new State(node, next, null);
  }

  private State repeated(Repeat repeat, State next) {
    State start = next;
    if (repeat.max() < 0) {
      State loop = new State(null, null, next);
      loop.next = compiled(repeat.node(), loop);
      start = loop;
    }
    for (int i = repeat.min(); i < repeat.max(); i++) {
      start = new State(null, compiled(repeat.node(), start), next);
    }
    for (int i = 0; i < repeat.min(); i++) {
      start = compiled(repeat.node(), start);
    }
    return start;
  }

  private boolean isFound(State start) {
    List<State> states = new ArrayList<>();
    for (int at = 0; at <= release.length(); at++) {
      List<State> taking = new ArrayList<>();
      follow(start, at, taking);
      for (State state : states) {
        follow(state, at, taking);
      }
      if (match.reached >= 0) {
        return true;
      }
      states = at == release.length() ? states : taken(taking, release.charAt(at));
    }
    return false;
  }

  private static List<State> taken(List<State> taking, char b) {
    List<State> states = new ArrayList<>();
    for (State state : taking) {
      if (state.takes instanceof OneOf one && one.bytes().get(b) && state.next != null) {
        states.add(state.next);
      }
    }
    return states;
  }

  /** Collects the states that take a byte among those that are reached without taking one. */
  private void follow(State start, int at, List<State> taking) {
    Deque<State> open = new ArrayDeque<>();
    open.push(start);
    while (!open.isEmpty()) {
      State state = open.pop();
      step();
      if (state.reached == at) {
        continue;
      }
      state.reached = at;
      if (state.takes instanceof OneOf) {
        taking.add(state);
      } else if (!(state.takes instanceof Place place) || isAt(place.kind(), at)) {
        push(state.other, open);
        push(state.next, open);
      }
    }
  }

  private static void push(@Nullable State state, Deque<State> open) {
    if (state != null) {
      open.push(state);
    }
  }

  private boolean isAt(char kind, int at) {
    boolean before = at > 0 && PosixExpression.isWord(release.charAt(at - 1));
    boolean after = at < release.length() && PosixExpression.isWord(release.charAt(at));
    return switch (kind) {
      case '^' -> at == 0;
      case '$' -> at == release.length();
      case '<' -> !before && after;
      case '>' -> before && !after;
      default -> (before != after) == (kind == 'b');
    };
  }
}
