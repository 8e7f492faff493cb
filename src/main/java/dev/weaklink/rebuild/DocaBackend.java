package dev.weaklink.rebuild;

import dev.weaklink.sys.NotDoneException;
import java.util.List;

/** {@code doca-kernel-support} of NVIDIA's DOCA-Host, which leaves its result below /tmp. */
final class DocaBackend implements Backend {
  static final String TOOL = "/opt/mellanox/doca/tools/doca-kernel-support";

  @Override
  public String id() {
    return "doca";
  }

  @Override
  public List<Step> steps(Job job) throws NotDoneException {
    if (job.place().root() != null) {
      throw new NotDoneException(
          "doca-kernel-support does not support --root; run weaklink inside the image");
    }
    Arguments words = new Arguments(TOOL).option("-k", job.place().kernel());
    words.further(job.settings().further());
    return List.of(Step.of("building DOCA for " + job.place().kernel(), words));
  }

  @Override
  public boolean takesWords() {
    return true;
  }

  @Override
  public ExpectedOutput expected(Job job) {
    return new ExpectedOutput.Files(List.of("/tmp"), "doca-kernel-repo-", List.of(".rpm", ".deb"));
  }

  @Override
  public List<String> programs(Job job) {
    return List.of(TOOL);
  }

  @Override
  public long space(Job job) {
    return 2L << 30;
  }

  @Override
  public List<String> logDirectories(Job job) {
    return List.of("/tmp");
  }

  @Override
  public List<String> milestones() {
    return List.of("Building ", "Missing package");
  }
}
