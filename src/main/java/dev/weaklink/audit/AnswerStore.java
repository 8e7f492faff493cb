package dev.weaklink.audit;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Distinct answers, each with a number, from 0. */
public interface AnswerStore {
  /** The number of an answer; it may have been kept before. */
  int keep(SetAnswer answer);

  /** The answer of this number. */
  SetAnswer get(int number);

  /** How many there are. */
  int size();

  /** For those of one part. */
  static AnswerStore inMemory() {
    Map<SetAnswer, Integer> numbers = new HashMap<>();
    List<SetAnswer> answers = new ArrayList<>();
    return new AnswerStore() {
      @Override
      public int keep(SetAnswer answer) {
        Integer known = numbers.putIfAbsent(answer, answers.size());
        if (known == null) {
          answers.add(answer);
        }
        return known == null ? answers.size() - 1 : known;
      }

      @Override
      public SetAnswer get(int number) {
        return answers.get(number);
      }

      @Override
      public int size() {
        return answers.size();
      }
    };
  }
}
