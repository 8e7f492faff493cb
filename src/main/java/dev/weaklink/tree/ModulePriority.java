package dev.weaklink.tree;

import java.util.ArrayList;
import java.util.List;

/**
 * Which of two files with the same module name depmod keeps (kmod tools/depmod.c,
 * depmod_module_is_higher_priority; observed with kmod 30). The rule is not symmetric: of two files
 * in the same search directory the one met later wins if that directory ranks above {@code
 * built-in}, else the one met first.
 */
final class ModulePriority {
  private static final int LOWEST = Integer.MIN_VALUE;

  private final String base;
  private final List<String> overrides;

  /**
   * Search steps, the strongest first, with the external directories in the place of their name.
   */
  private final List<Step> steps;

  private record Step(String directory, boolean external) {}

  /** The kernel's directory as seen from inside the root, without a slash at the end. */
  ModulePriority(DepmodConfig config, String base) {
    this.base = base;
    this.overrides = config.overrides();
    this.steps = steps(config);
  }

  private static List<Step> steps(DepmodConfig config) {
    List<Step> steps = new ArrayList<>();
    for (String directory : config.search()) {
      if (directory.equals(DepmodConfig.EXTERNAL)) {
        for (String external : config.externals()) {
          steps.add(new Step(external, true));
        }
      } else {
        steps.add(new Step(directory, false));
      }
    }
    return steps;
  }

  /** Whether a file met now takes the place of the one met before. */
  boolean replaces(String now, String before) {
    String nowKey = overrideKey(now);
    String beforeKey = overrideKey(before);
    for (String override : overrides) {
      if (override.equals(nowKey)) {
        return true;
      }
      if (override.equals(beforeKey)) {
        return false;
      }
    }
    return ranksAbove(now, before);
  }

  private boolean ranksAbove(String now, String before) {
    int builtIn = LOWEST;
    int nowRank = LOWEST;
    int beforeRank = LOWEST;
    for (int i = steps.size() - 1; i >= 0; i--) {
      Step step = steps.get(i);
      int rank = -i;
      if (!step.external() && step.directory().equals(DepmodConfig.BUILT_IN)) {
        builtIn = rank;
        continue;
      }
      boolean holdsNow = holds(step, now);
      nowRank = holdsNow ? rank : nowRank;
      // An ordinary directory that holds both counts for the newcomer alone.
      boolean countsForBefore = step.external() || !holdsNow;
      beforeRank = countsForBefore && holds(step, before) ? rank : beforeRank;
    }
    return (nowRank == LOWEST ? builtIn : nowRank) > (beforeRank == LOWEST ? builtIn : beforeRank);
  }

  private boolean holds(Step step, String file) {
    String directory = step.external() ? step.directory() : base + "/" + step.directory();
    return isBelow(file, directory);
  }

  private static boolean isBelow(String file, String directory) {
    return file.length() > directory.length()
        && file.charAt(directory.length()) == '/'
        && file.startsWith(directory);
  }

  /** The path below the kernel's directory up to the name's first dot, dashes kept. */
  private String overrideKey(String file) {
    if (!isBelow(file, base)) {
      return "";
    }
    int dot = file.indexOf('.', file.lastIndexOf('/') + 1);
    return file.substring(base.length() + 1, dot < 0 ? file.length() : dot);
  }
}
