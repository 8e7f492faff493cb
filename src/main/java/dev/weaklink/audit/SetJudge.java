package dev.weaklink.audit;

import java.util.List;

/** Finds what is wrong with a set of modules on its kernel; asked once for each distinct set. */
public interface SetJudge {
  /** What is wrong, in any order; empty if nothing is. */
  List<Defect> judge(ModuleSet set);
}
