package dev.weaklink.system;

import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Which of two files with the same module name depmod keeps (kmod tools/depmod.c,
 * depmod_module_is_higher_priority; observed with kmod 30). The rule is not symmetric: of two files
 * in the same search directory the one met later wins if that directory ranks above {@code
 * built-in}, else the one met first.
 */
final class ModulePriority {
  private static final int LOWEST = Integer.MIN_VALUE;

  private final String base;

  /** How many overrides are stronger, for each. */
  private final Map<String, Integer> overrides = new HashMap<>();

  /**
   * Search steps, the strongest first, with the external directories in the place of their name.
   */
  private final List<Step> steps;

  private record Step(String directory, boolean external) {}

  /** The kernel's directory as seen from inside the root, without a slash at the end. */
  ModulePriority(DepmodConfig config, String base) {
    this.base = base;
    this.steps = steps(config);
    for (String override : config.overrides()) {
      overrides.putIfAbsent(override, overrides.size());
    }
  }

  private static List<Step> steps(DepmodConfig config) {
    Set<Step> steps = new LinkedHashSet<>();
    for (String directory : new LinkedHashSet<>(config.search())) {
      if (directory.equals(DepmodConfig.EXTERNAL)) {
        for (String external : config.externals()) {
          steps.add(new Step(external, true));
        }
      } else {
        steps.add(new Step(directory, false));
      }
    }
    return List.copyOf(steps);
  }

  /** Whether a file met now takes the place of the one met before. */
  boolean replaces(String now, String before) {
    Integer nowOverride = overrides.get(overrideKey(now));
    Integer beforeOverride = overrides.get(overrideKey(before));
    if (nowOverride != null || beforeOverride != null) {
      return beforeOverride == null || (nowOverride != null && nowOverride <= beforeOverride);
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
