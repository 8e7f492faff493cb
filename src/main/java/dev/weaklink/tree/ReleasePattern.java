package dev.weaklink.tree;

import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

/**
 * The KERNELVERSION of a depmod.d(5) line: {@code *}, or a POSIX extended regular expression that
 * is looked for anywhere in the release.
 */
final class ReleasePattern {
  /** Bounds the recursion of the compiler and of the matcher. */
  private static final int MAX_LENGTH = 256;

  /** Characters looked at before a match is given up; an honest one needs a few hundred. */
  private static final int MAX_STEPS = 100_000;

  private ReleasePattern() {}

  /**
   * Whether a release matches.
   *
   * @throws IllegalArgumentException with the reason if the pattern cannot be used
   */
  static boolean matches(String pattern, String release) {
    if (pattern.equals("*")) {
      return true;
    }
    if (pattern.length() > MAX_LENGTH) {
      throw new IllegalArgumentException("kernel version pattern is too long");
    }
    try {
      Pattern compiled = Pattern.compile(PosixExpression.toJava(pattern));
      return compiled.matcher(new BudgetedText(release)).find();
    } catch (PatternSyntaxException e) {
      throw new IllegalArgumentException("kernel version is not a regular expression", e);
    }
  }

  /** Text that may be looked at only so often: no pattern can make the matcher run away. */
  private static final class BudgetedText implements CharSequence {
    private final String text;
    private int stepsLeft = MAX_STEPS;

    BudgetedText(String text) {
      this.text = text;
    }

    @Override
    public int length() {
      return text.length();
    }

    @Override
    public char charAt(int index) {
      if (stepsLeft-- == 0) {
        throw new IllegalArgumentException("kernel version pattern takes too long to match");
      }
      return text.charAt(index);
    }

    @Override
    public CharSequence subSequence(int start, int end) {
      return text.subSequence(start, end);
    }

    @Override
    public String toString() {
      return text;
    }
  }
}
