package dev.weaklink.rebuild;

import java.util.List;
import java.util.Map;
import java.util.Set;

/** A source package of kernel modules, rebuilt by rpmbuild(8). */
final class RpmbuildBackend implements Backend {
  private static final Set<String> ARCHITECTURES =
      Set.of("x86_64", "aarch64", "ppc64le", "s390x", "ppc64", "i686", "riscv64");

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
    Arguments words =
        new Arguments("rpmbuild", "--rebuild")
            .macro("_topdir", job.place().work())
            .macro("KVERSION", job.place().kernel())
            .macro("kernel_version", job.place().kernel())
            .macro("K_SRC", job.place().buildTree())
            // kmodtool of Red Hat, RPM Fusion and ELRepo
            .macro("kversion", job.place().kernel())
            .macro("kernels", job.place().kernel())
            .macro("kmod_kernel_version", withoutArchitecture(job.place().kernel()));
    if (job.settings().kmp()) {
      words.macro("KMP", "1");
    }
    for (Map.Entry<String, String> define : job.settings().defines().entrySet()) {
      words.given(define.getKey(), define.getValue());
    }
    words.further(job.settings().further());
    return List.of(Step.of("building " + source, words.file(source)));
  }

  /** ELRepo's specs put the architecture behind it themselves. */
  private static String withoutArchitecture(String kernel) {
    int dot = kernel.lastIndexOf('.');
    return dot > 0 && ARCHITECTURES.contains(kernel.substring(dot + 1))
        ? kernel.substring(0, dot)
        : kernel;
  }

  @Override
  public boolean takesWords() {
    return true;
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
