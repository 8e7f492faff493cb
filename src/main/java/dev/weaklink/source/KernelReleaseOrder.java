package dev.weaklink.source;

import java.io.Serial;
import java.io.Serializable;
import java.util.Comparator;

/**
 * Orders kernel releases from old to new, as {@code sort -V} and rpm do: runs of digits by value,
 * runs of letters by character, other characters only separate; digits are newer than letters and a
 * longer release is newer than its beginning. What follows {@code ~}, and {@code rc} with a number,
 * is older than nothing at all: {@code 6.13.0-rc7} comes before {@code 6.13.0}.
 *
 * <p>Consistent with equals: releases that differ in separators alone are ordered as strings.
 */
public final class KernelReleaseOrder implements Comparator<String>, Serializable {
  @Serial private static final long serialVersionUID = 1L;

  public static final KernelReleaseOrder INSTANCE = new KernelReleaseOrder();

  private KernelReleaseOrder() {}

  /**
   * Whose builds are preferred for a kernel: its own, then those of the newest kernel that is not
   * newer, and so on to the oldest; then those of newer kernels, the oldest first.
   */
  public static Comparator<String> preferredFor(String release) {
    return (left, right) -> {
      boolean leftNewer = INSTANCE.compare(left, release) > 0;
      boolean rightNewer = INSTANCE.compare(right, release) > 0;
      if (leftNewer != rightNewer) {
        return leftNewer ? 1 : -1;
      }
      return leftNewer ? INSTANCE.compare(left, right) : INSTANCE.compare(right, left);
    };
  }

  @Override
  public int compare(String left, String right) {
    Runs a = new Runs(left);
    Runs b = new Runs(right);
    while (true) {
      String x = a.next();
      String y = b.next();
      int order = Integer.compare(rank(x), rank(y));
      if (order == 0) {
        order = isNumber(x) ? compareNumbers(x, y) : x.compareTo(y);
      }
      if (order != 0) {
        return order;
      }
      if (x.isEmpty()) {
        return left.compareTo(right);
      }
    }
  }

  /** Pre-release, end, letters, digits: in this order from old to new. */
  private static int rank(String run) {
    if (run.isEmpty()) {
      return 1;
    }
    if (run.equals(Runs.PRE_RELEASE)) {
      return 0;
    }
    return isNumber(run) ? 3 : 2;
  }

  private static boolean isNumber(String run) {
    return !run.isEmpty() && Runs.isDigit(run.charAt(0));
  }

  /** By value, of any length. */
  private static int compareNumbers(String x, String y) {
    String a = withoutLeadingZeros(x);
    String b = withoutLeadingZeros(y);
    return a.length() != b.length() ? Integer.compare(a.length(), b.length()) : a.compareTo(b);
  }

  private static String withoutLeadingZeros(String digits) {
    int start = 0;
    while (start < digits.length() - 1 && digits.charAt(start) == '0') {
      start++;
    }
    return digits.substring(start);
  }

  /** The runs of digits and of letters in a release, one after the other. */
  private static final class Runs {
    /** Stands for a tilde, and before an "rc" that is followed by a number. */
    static final String PRE_RELEASE = "~";

    private final String release;
    private int at;
    private boolean releaseCandidateTold;

    Runs(String release) {
      this.release = release;
    }

    /** The next run, or an empty one at the end. */
    String next() {
      while (at < release.length() && isSeparator(release.charAt(at))) {
        at++;
      }
      if (at == release.length()) {
        return "";
      }
      if (release.charAt(at) == '~') {
        at++;
        releaseCandidateTold = true;
        return PRE_RELEASE;
      }
      int start = at;
      int end = endOfRun();
      if (isReleaseCandidate(start, end) && !releaseCandidateTold) {
        releaseCandidateTold = true;
        return PRE_RELEASE;
      }
      releaseCandidateTold = false;
      at = end;
      return release.substring(start, end);
    }

    private int endOfRun() {
      boolean digits = isDigit(release.charAt(at));
      int end = at;
      while (end < release.length()
          && !isSeparator(release.charAt(end))
          && release.charAt(end) != '~'
          && isDigit(release.charAt(end)) == digits) {
        end++;
      }
      return end;
    }

    private boolean isReleaseCandidate(int start, int end) {
      return release.startsWith("rc", start)
          && end == start + 2
          && end < release.length()
          && isDigit(release.charAt(end));
    }

    private static boolean isSeparator(char c) {
      return !Character.isLetterOrDigit(c) && c != '~';
    }

    static boolean isDigit(char c) {
      return c >= '0' && c <= '9';
    }
  }
}
