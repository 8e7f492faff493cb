package dev.weaklink.audit;

import dev.weaklink.audit.Audit.Gathered;
import dev.weaklink.audit.AuditReport.SetVerdict;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.RandomAccess;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Verdicts by set, then by target. A large fleet has a million of them, so they are kept as columns
 * and made when somebody asks for one.
 */
public final class SetVerdicts extends AbstractList<SetVerdict> implements RandomAccess {
  private static final Comparator<SetVerdict> ORDER =
      Comparator.comparingInt(SetVerdict::set).thenComparingInt(SetVerdict::target);
  private static final SetStatus[] FATES = SetStatus.values();

  private final int[] sets;
  private final int[] targets;
  private final byte[] fates;

  /** By place here. */
  private final IntFunction<SetAnswer> answers;

  private SetVerdicts(int[] sets, int[] targets, byte[] fates, IntFunction<SetAnswer> answers) {
    this.sets = sets;
    this.targets = targets;
    this.fates = fates;
    this.answers = answers;
  }

  /** Those of a list, in any order. */
  public static SetVerdicts of(List<SetVerdict> list) {
    List<SetVerdict> sorted = new ArrayList<>(list);
    sorted.sort(ORDER);
    byte[] fates = new byte[sorted.size()];
    for (int place = 0; place < fates.length; place++) {
      fates[place] = (byte) sorted.get(place).fate().ordinal();
    }
    return new SetVerdicts(
        sorted.stream().mapToInt(SetVerdict::set).toArray(),
        sorted.stream().mapToInt(SetVerdict::target).toArray(),
        fates,
        place -> sorted.get(place).answer());
  }

  /** What targets, in the order of their ids, say to sets. */
  static SetVerdicts of(NodeGroups census, List<TargetAnswers> asked) {
    int size = 0;
    for (TargetAnswers target : asked) {
      size += target.answers().size();
    }
    int[] sets = new int[size];
    int[] targets = new int[size];
    byte[] fates = new byte[size];
    int next = 0;
    for (Gathered gathered : census.gathered()) {
      for (int target = 0; target < asked.size(); target++) {
        SetAnswer answer = asked.get(target).answers().get(gathered.place);
        if (answer != null) {
          sets[next] = gathered.place;
          targets[next] = target;
          fates[next++] =
              (byte) fate(gathered, asked.get(target).target().release(), answer).ordinal();
        }
      }
    }
    return new SetVerdicts(
        sets,
        targets,
        fates,
        place -> {
          SetAnswer answer = asked.get(targets[place]).answers().get(sets[place]);
          if (answer == null) {
            throw new IllegalStateException("an answer is gone");
          }
          return answer;
        });
  }

  private static SetStatus fate(Gathered gathered, @Nullable String release, SetAnswer answer) {
    if (answer.fails() > 0) {
      return gathered.provenance.builds() ? SetStatus.REBUILD : SetStatus.BLOCKED;
    }
    if (answer.undetermined() > 0) {
      return SetStatus.UNDETERMINED;
    }
    return gathered.set.kernel().equals(release) ? SetStatus.FINE : SetStatus.LINK;
  }

  /** The same where several sets have become one: that of the first of them. */
  SetVerdicts joined(int[] ids) {
    int[] places = new int[size()];
    int kept = 0;
    int next = 0;
    for (int set = 0; set < ids.length; set++) {
      if (ids[set] == next) {
        next++;
        for (int place = from(set, 0); place < size() && sets[place] == set; place++) {
          places[kept++] = place;
        }
      }
    }
    int[] joinedSets = new int[kept];
    int[] joinedTargets = new int[kept];
    byte[] joinedFates = new byte[kept];
    for (int i = 0; i < kept; i++) {
      joinedSets[i] = ids[sets[places[i]]];
      joinedTargets[i] = targets[places[i]];
      joinedFates[i] = fates[places[i]];
    }
    return new SetVerdicts(
        joinedSets, joinedTargets, joinedFates, place -> answers.apply(places[place]));
  }

  /** On a set, in the order of targets. */
  List<SetVerdict> of(int set) {
    return subList(from(set, 0), from(set + 1, 0));
  }

  /** What a target says to a set, null if it was not asked. */
  public @Nullable SetVerdict find(int set, int target) {
    int place = from(set, target);
    boolean isThere = place < size() && sets[place] == set && targets[place] == target;
    return isThere ? get(place) : null;
  }

  /** Where those begin that are not before this one. */
  private int from(int set, int target) {
    int low = 0;
    int high = sets.length;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (sets[middle] < set || sets[middle] == set && targets[middle] < target) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  @Override
  public SetVerdict get(int place) {
    return new SetVerdict(sets[place], targets[place], FATES[fates[place]], answers.apply(place));
  }

  @Override
  public int size() {
    return sets.length;
  }
}
