package dev.weaklink.check;

import dev.weaklink.format.btf.BtfValidity.Answer;
import dev.weaklink.loader.Layer;
import dev.weaklink.loader.LoadSet;
import dev.weaklink.loader.Verdict;
import dev.weaklink.module.KernelModule;
import java.util.BitSet;
import java.util.List;

/** What is read of modules only if nothing else stands against them. */
final class LateExamination {
  private LateExamination() {}

  /**
   * Looks at the relocations and, where it matters, BTF of those modules that pass without, as the
   * loader does last of all.
   *
   * @param types takes what is said of BTF
   * @param judged the verdicts on the readable modules; those that stand are completed
   * @return false if one of them does not pass with them, so that all must be judged again
   */
  static boolean run(OpenTarget target, ModuleFacts reading, Answer[] types, List<Verdict> judged) {
    BitSet passing = new BitSet();
    BitSet typed = new BitSet();
    int next = 0;
    for (int i = 0; i < reading.size(); i++) {
      if (reading.failure(i) == null) {
        Verdict verdict = judged.get(next++);
        passing.set(i, isUnexamined(verdict, target));
        typed.set(i, verdict.errno() == null && verdict.unchecked().contains(Layer.BTF.id()));
      }
    }
    NativeModules natives = typed.isEmpty() ? null : target.natives();
    int firstString = natives == null ? -1 : natives.firstString();
    reading.examine(passing, typed, firstString);
    boolean inOrder = true;
    next = 0;
    for (int i = 0; i < reading.size(); i++) {
      KernelModule module = reading.module(i);
      if (module == null) {
        continue;
      }
      if (typed.get(i)) {
        types[i] = reading.types(i, firstString);
        inOrder &= !types[i].isRefusal();
      }
      if (passing.get(i) && module.relocations().examined()) {
        inOrder &= LoadSet.acceptsRelocations(target.kernel(), module.relocations());
        judged.set(next, judged.get(next).withRelocationsInOrder(module));
      }
      next++;
    }
    return inOrder;
  }

  private static boolean isUnexamined(Verdict verdict, OpenTarget target) {
    return verdict.errno() == null
        && !verdict.module().relocations().examined()
        && LoadSet.looksAtRelocations(target.kernel());
  }
}
