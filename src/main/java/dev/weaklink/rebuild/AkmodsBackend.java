package dev.weaklink.rebuild;

import dev.weaklink.system.ModuleNames;
import java.util.List;

/** akmods of Fedora and RPM Fusion; it builds packages and installs them in one go. */
final class AkmodsBackend implements Backend {
  @Override
  public String id() {
    return "akmods";
  }

  @Override
  public List<Step> steps(Job job) throws UnusableJobException {
    if (job.place().root() != null) {
      throw new UnusableJobException(
          "akmods does not support --root; run weaklink inside the image");
    }
    Arguments words = new Arguments("akmods", "--force").option("--kernels", job.place().kernel());
    for (String name : job.packages()) {
      words.option("--akmod", name);
    }
    return List.of(Step.of("building and installing", words));
  }

  @Override
  public Promise promise(Job job) {
    return new Promise.Files(
        List.of("/lib/modules/" + job.place().kernel() + "/extra"), "", ModuleNames.ENDINGS);
  }

  @Override
  public List<String> programs(Job job) {
    return List.of("akmods", "rpmbuild");
  }

  @Override
  public List<String> logDirectories(Job job) {
    return List.of("/var/cache/akmods");
  }

  @Override
  public List<String> ownLogs(Job job) {
    return job.packages().stream().map(name -> "/var/cache/akmods/" + name).toList();
  }

  @Override
  public List<String> milestones() {
    return List.of("Building ", "Installing ");
  }
}
