package dev.weaklink.check.report;

import dev.weaklink.loader.Verdict;
import dev.weaklink.report.Page;
import dev.weaklink.sys.Numbers;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The layers that could not be checked, with the number of modules. */
final class Unchecked {
  private Unchecked() {}

  static void write(Page page, List<Verdict> verdicts) {
    List<String> words = words(verdicts);
    if (!words.isEmpty()) {
      page.gap();
      page.wrapped(0, "Not checked:", words, ",");
    }
  }

  /** "signature (3 modules)". */
  static List<String> words(List<Verdict> verdicts) {
    List<String> words = new ArrayList<>();
    layers(verdicts)
        .forEach((layer, modules) -> words.add(layer + " (" + Numbers.of(modules, "module") + ")"));
    return words;
  }

  /** By layer the number of modules of which it was not checked. */
  static Map<String, Integer> layers(List<Verdict> verdicts) {
    Map<String, Integer> counts = new TreeMap<>();
    for (Verdict verdict : verdicts) {
      for (String layer : verdict.unchecked()) {
        counts.merge(layer, 1, Integer::sum);
      }
    }
    return counts;
  }
}
