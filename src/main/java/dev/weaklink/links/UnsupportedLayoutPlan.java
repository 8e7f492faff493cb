package dev.weaklink.links;

import dev.weaklink.links.plan.Plan;
import dev.weaklink.sys.InputProblem;
import dev.weaklink.sys.Root;
import dev.weaklink.sys.ShellWord;
import dev.weaklink.system.InstalledKernels;
import java.io.IOException;
import java.util.List;

/** What is planned where no links are known: nothing, and who says more. */
final class UnsupportedLayoutPlan {
  private UnsupportedLayoutPlan() {}

  /**
   * Nothing, and for each kernel that is meant what this plan cannot say.
   *
   * @param problems what was met so far; takes kernels that are not there
   * @throws IOException if the modules' directory cannot be listed
   */
  static PlanResult plan(PlanRequest request, Root root, List<InputProblem> problems)
      throws IOException {
    List<String> releases = InstalledKernels.list(root);
    List<String> kernels = request.among(releases, root, releases, problems);
    for (String kernel : kernels) {
      problems.add(new InputProblem(kernel, advice(kernel, root)));
    }
    return new PlanResult(root, new Plan(List.of()), !kernels.isEmpty(), false, problems);
  }

  private static String advice(String kernel, Root root) {
    String words =
        " --kernel "
            + ShellWord.of(kernel)
            + (root.isHost() ? "" : " --root " + ShellWord.of(root.toString()));
    return "on OpenWrt modules belong to one kernel, so there is nothing to link; use"
        + " 'weaklink check MODULE"
        + words
        + "' to see whether one loads, and 'weaklink rebuild"
        + words
        + "' to see what has to be built";
  }
}
