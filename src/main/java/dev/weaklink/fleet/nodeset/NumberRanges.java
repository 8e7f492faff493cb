package dev.weaklink.fleet.nodeset;

import java.util.List;

/** Numbers as ranges: {@code 001-412,500}. */
final class NumberRanges {
  private NumberRanges() {}

  /**
   * Longer ones are names that happen to end in digits: they stand alone, in no range. These fit a
   * long.
   */
  static final int MAX_DIGITS = 18;

  /**
   * Folds numbers. Those with zeros in front are padded: a range of them has one length, while a
   * range without padding may grow from 9 to 10.
   *
   * @param sorted decimal digits, by length and then by value, none of them twice
   */
  static String fold(List<String> sorted) {
    StringBuilder ranges = new StringBuilder();
    int start = 0;
    for (int i = 1; i <= sorted.size(); i++) {
      String first = sorted.get(start);
      if (i < sorted.size() && follows(sorted.get(i), sorted.get(i - 1), isPadded(first))) {
        continue;
      }
      append(ranges, first, sorted.get(i - 1));
      start = i;
    }
    return ranges.toString();
  }

  private static void append(StringBuilder ranges, String first, String last) {
    if (ranges.length() > 0) {
      ranges.append(',');
    }
    ranges.append(first);
    if (!first.equals(last)) {
      ranges.append('-').append(last);
    }
  }

  static boolean isPadded(String number) {
    return number.length() > 1 && number.charAt(0) == '0';
  }

  private static boolean follows(String number, String before, boolean padded) {
    boolean isTooLong = number.length() > MAX_DIGITS;
    if (isTooLong || (padded && number.length() != before.length())) {
      return false;
    }
    return !(isPadded(number) && !padded) && number.equals(next(before));
  }

  /** The number after this one, as long as this one if that is possible. */
  private static String next(String number) {
    char[] digits = number.toCharArray();
    for (int i = digits.length - 1; i >= 0; i--) {
      if (digits[i] != '9') {
        digits[i]++;
        return new String(digits);
      }
      digits[i] = '0';
    }
    return "1" + new String(digits);
  }
}
