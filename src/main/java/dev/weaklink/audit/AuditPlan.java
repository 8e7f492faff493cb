package dev.weaklink.audit;

import java.util.ArrayList;
import java.util.List;

/** How an audit is divided: each part has some sets of modules and some kernels. */
public final class AuditPlan {
  private AuditPlan() {}

  /**
   * Some sets on some kernels.
   *
   * @param index from 1
   * @param from the place of its first set
   * @param to the place after that of its last
   */
  public record Part(int index, int from, int to, List<String> kernels) {}

  /**
   * Divides an audit so that every set is judged on every kernel in one part.
   *
   * @param sets how many there are
   * @param kernels what has to stay together, in lists
   * @param wanted how many parts there should be; there are fewer if so many cannot be made
   * @param byKernels whether all sets have to be judged together on each kernel
   */
  public static List<Part> of(int sets, List<List<String>> kernels, int wanted, boolean byKernels) {
    int columns = columns(kernels.size(), wanted, byKernels);
    int rows = byKernels ? 1 : Math.max(1, Math.min(wanted / columns, sets));
    List<Part> parts = new ArrayList<>();
    for (int row = 0; row < rows; row++) {
      for (int column = 0; column < columns; column++) {
        List<String> own = new ArrayList<>();
        kernels
            .subList(
                share(kernels.size(), column, columns), share(kernels.size(), column + 1, columns))
            .forEach(own::addAll);
        parts.add(
            new Part(parts.size() + 1, share(sets, row, rows), share(sets, row + 1, rows), own));
      }
    }
    return parts;
  }

  /**
   * The greatest divisor up to the square root: a part reads each of its kernels, and holds the
   * tables of each of its sets.
   */
  private static int columns(int kernels, int wanted, boolean byKernels) {
    if (byKernels) {
      return Math.min(kernels, wanted);
    }
    int columns = 1;
    for (int i = 2; i * i <= wanted && i <= kernels; i++) {
      columns = wanted % i == 0 ? i : columns;
    }
    return columns;
  }

  private static int share(int all, int number, int of) {
    return (int) ((long) all * number / of);
  }
}
