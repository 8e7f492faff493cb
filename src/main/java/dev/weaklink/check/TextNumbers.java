package dev.weaklink.check;

import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Numbers for the texts of one list after another, such as the owners of kernels' exports: equal
 * texts have equal numbers. Of lists that are much the same few texts are looked up.
 */
public final class TextNumbers {
  private final Map<String, Integer> known = new HashMap<>();
  private List<String> before = List.of();
  private int[] numbersBefore = new int[0];
  private List<String> texts = List.of();
  private int[] numbers = new int[0];

  /** By number, where its text was when it was last asked for. */
  private int[] places = new int[64];

  /** How far texts stand behind their places in the list before. */
  private int shift;

  /** From now on texts of this list are asked for. */
  public void next(List<String> list) {
    before = texts;
    numbersBefore = numbers;
    texts = list;
    numbers = new int[list.size()];
    shift = 0;
  }

  /** How many different texts were asked for. */
  public int count() {
    return known.size();
  }

  /** The number of a text, from 1 on. */
  public int number(int index) {
    int number = numbers[index];
    if (number == 0) {
      number = find(index);
      numbers[index] = number;
      places[number] = index;
    }
    return number;
  }

  private int find(int index) {
    String text = texts.get(index);
    int likely = index - shift;
    if (likely >= 0
        && likely < numbersBefore.length
        && numbersBefore[likely] != 0
        && before.get(likely).equals(text)) {
      return numbersBefore[likely];
    }
    Integer number = known.get(text);
    if (number != null) {
      shift = index - places[number];
      return number;
    }
    int added = known.size() + 1;
    known.put(text, added);
    if (added == places.length) {
      places = Arrays.copyOf(places, added * 2);
    }
    return added;
  }
}
