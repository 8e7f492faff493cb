package dev.weaklink.rules.yaml;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** Finds the word that somebody meant. */
final class Words {
  /** Longer ones are no slips of the pen. */
  private static final int MAX_LENGTH = 40;

  private Words() {}

  /** "; did you mean 'X'?", or nothing if none is near. */
  static String suggestion(String given, List<String> known) {
    String nearest = nearest(given, known);
    return nearest == null ? "" : "; did you mean '" + nearest + "'?";
  }

  private static @Nullable String nearest(String given, List<String> known) {
    if (given.length() > MAX_LENGTH) {
      return null;
    }
    String nearest = null;
    int least = Math.max(1, given.length() / 3) + 1;
    for (String word : known) {
      int distance = distance(given, word);
      if (distance < least) {
        least = distance;
        nearest = word;
      }
    }
    return nearest;
  }

  /** How many letters have to be put in, left out or replaced (Levenshtein). */
  private static int distance(String a, String b) {
    int[] row = new int[b.length() + 1];
    for (int j = 0; j <= b.length(); j++) {
      row[j] = j;
    }
    for (int i = 1; i <= a.length(); i++) {
      int diagonal = row[0];
      row[0] = i;
      for (int j = 1; j <= b.length(); j++) {
        int replaced = diagonal + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
        diagonal = row[j];
        row[j] = Math.min(replaced, Math.min(row[j], row[j - 1]) + 1);
      }
    }
    return row[b.length()];
  }
}
