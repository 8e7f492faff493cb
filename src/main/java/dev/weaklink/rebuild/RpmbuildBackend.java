package dev.weaklink.rebuild;

import java.util.List;

/** A source package of kernel modules, rebuilt by rpmbuild(8). */
final class RpmbuildBackend implements Backend {
  @Override
  public String id() {
    return "rpmbuild";
  }

  @Override
  public List<Step> steps(Job job) throws UnusableJobException {
    String source = job.source();
    if (source == null || !source.endsWith(".src.rpm")) {
      throw new UnusableJobException("a source package is needed: give it with --source X.src.rpm");
    }
    Words words =
        new Words("rpmbuild", "--rebuild")
            .macro("_topdir", job.place().work())
            .macro("KVERSION", job.place().kernel())
            .macro("kernel_version", job.place().kernel())
            .macro("K_SRC", job.place().buildTree());
    if (job.settings().kmp()) {
      words.macro("KMP", "1");
    }
    return List.of(Step.of("building " + source, words.file(source)));
  }

  @Override
  public Promise promise(Job job) {
    return new Promise.Files(List.of(job.place().work() + "/RPMS"), "", List.of(".rpm"));
  }

  @Override
  public List<String> programs(Job job) {
    return List.of("rpmbuild");
  }

  @Override
  public Privilege privilege() {
    return Privilege.ANY;
  }

  @Override
  public List<String> milestones() {
    return List.of("Executing(", "Processing files:", "Wrote:");
  }
}
