package dev.weaklink.compat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Goes through all packages for one kernel, the newest version of each first, until nothing more
 * fits: what has been put in may be needed by what did not fit before.
 */
final class KmpWalk {
  private final SuseLog log;
  private final KmpLinkSimulation trial;
  private final Set<Kmp> done = new HashSet<>();

  KmpWalk(SuseLog log, KmpLinkSimulation trial) {
    this.log = log;
    this.trial = trial;
  }

  /** {@code installed} is sorted by name, and the versions of one package from new to old. */
  void run(List<Kmp> installed) throws IOException {
    for (Kmp kmp : trial.refused()) {
      trial.remove(kmp);
      String line = "Package " + kmp.id() + " removed from kernel " + trial.release();
      if (trial.isWronglySigned(kmp)) {
        log.say(line);
      } else {
        log.note(line);
      }
    }
    List<Kmp> open = new ArrayList<>();
    List<Kmp> older = new ArrayList<>();
    for (Kmp kmp : installed) {
      if (!trial.isPresent(kmp)) {
        open.add(kmp);
      } else if (open.stream().anyMatch(kmp::isVersionOf)) {
        older.add(kmp); // a newer one may take its place
      } else {
        notNeeded(kmp);
      }
    }
    boolean progress = true;
    while (progress) {
      open.removeIf(done::contains);
      progress = round(open);
    }
    older.stream().filter(trial::isPresent).forEach(this::notNeeded);
  }

  private void notNeeded(Kmp kmp) {
    log.note("Package " + kmp.id() + " does not need to be added to kernel " + trial.release());
  }

  /** Each package's versions from new to old, one version of all packages at a time. */
  private boolean round(List<Kmp> open) throws IOException {
    boolean progress = false;
    List<Kmp> untried = new ArrayList<>(open);
    while (!untried.isEmpty()) {
      List<Kmp> level = newest(untried);
      untried.removeAll(level);
      List<Kmp> fresh = new ArrayList<>();
      for (Kmp kmp : level) {
        Kmp linked = trial.linkedVersionOf(kmp);
        if (linked == null) {
          fresh.add(kmp);
        } else if (linked.isOlderThan(kmp)) {
          progress |= replace(linked, kmp);
        }
      }
      for (Kmp kmp : trial.addAll(fresh, log)) {
        log.note("Package " + kmp.id() + " added to kernel " + trial.release());
        done.add(kmp);
        progress = true;
      }
    }
    return progress;
  }

  private boolean replace(Kmp old, Kmp kmp) throws IOException {
    List<String> objections = trial.add(kmp);
    log.explain(objections);
    if (!objections.isEmpty()) {
      return false;
    }
    done.add(kmp);
    log.note(
        "Package "
            + old.id()
            + " replaced by package "
            + kmp.id()
            + " in kernel "
            + trial.release());
    return true;
  }

  private static List<Kmp> newest(List<Kmp> kmps) {
    List<Kmp> newest = new ArrayList<>();
    for (Kmp kmp : kmps) {
      if (newest.isEmpty() || !newest.get(newest.size() - 1).isVersionOf(kmp)) {
        newest.add(kmp);
      }
    }
    return newest;
  }
}
