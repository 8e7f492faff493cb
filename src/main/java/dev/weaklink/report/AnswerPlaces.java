package dev.weaklink.report;

import dev.weaklink.audit.JudgedParts;
import dev.weaklink.audit.NumberedAnswers;
import dev.weaklink.audit.TargetAnswers;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/** Which sets get an answer, on which targets: in the order in which answers are met. */
final class AnswerPlaces {
  /** Numbers of answers. */
  private final int[] numbers;

  /** Where what belongs to an answer begins; one more than there are answers. */
  private final int[] starts;

  private final int[] targets;
  private final int[] sets;
  private int size;

  private AnswerPlaces(int answers, int places) {
    numbers = new int[answers];
    starts = new int[answers + 1];
    targets = new int[places];
    sets = new int[places];
  }

  static AnswerPlaces of(JudgedParts parts) {
    List<NumberedAnswers> targets = new ArrayList<>();
    int places = 0;
    for (TargetAnswers target : parts.answers()) {
      NumberedAnswers answers = parts.on(target.target());
      targets.add(answers);
      places += answers.size();
    }
    AnswerPlaces all = new AnswerPlaces(parts.store().size(), places);
    all.fill(targets, all.ranks(targets));
    return all;
  }

  /** By number, when an answer is met first, from 1 on; also counts how often it is. */
  private int[] ranks(List<NumberedAnswers> answered) {
    int[] ranks = new int[numbers.length];
    for (NumberedAnswers answers : answered) {
      for (int set = answers.next(0); set >= 0; set = answers.next(set + 1)) {
        int number = answers.number(set);
        if (ranks[number] == 0) {
          numbers[size++] = number;
          ranks[number] = size;
        }
        starts[ranks[number]]++;
      }
    }
    for (int i = 1; i <= size; i++) {
      starts[i] += starts[i - 1];
    }
    return ranks;
  }

  private void fill(List<NumberedAnswers> answered, int[] ranks) {
    int[] next = starts.clone();
    for (int target = 0; target < answered.size(); target++) {
      NumberedAnswers answers = answered.get(target);
      for (int set = answers.next(0); set >= 0; set = answers.next(set + 1)) {
        int place = next[ranks[answers.number(set)] - 1]++;
        targets[place] = target;
        sets[place] = set;
      }
    }
  }

  /** How many answers there are. */
  int size() {
    return size;
  }

  /** The number of one of them. */
  int number(int answer) {
    return numbers[answer];
  }

  /** The sets that get it, by target. */
  SortedMap<Integer, List<Integer>> targets(int answer) {
    SortedMap<Integer, List<Integer>> found = new TreeMap<>();
    for (int place = starts[answer]; place < starts[answer + 1]; place++) {
      found.computeIfAbsent(targets[place], key -> new ArrayList<>()).add(sets[place]);
    }
    return found;
  }
}
