package dev.weaklink.check.userspace;

import dev.weaklink.sys.Root;
import dev.weaklink.sys.RootText;
import dev.weaklink.system.InstalledKernels;
import dev.weaklink.system.ModuleFile;
import dev.weaklink.system.ModuleTree;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Whether kernel modules and libraries are of one vendor. NVIDIA's builds of rdma-core have {@code
 * mlnx} in their versions; its ib_uverbs is out of tree.
 */
final class KernelStack {
  private static final String MODULE = "ib_uverbs";
  private static final String VENDOR = "mlnx";

  private KernelStack() {}

  /**
   * Compares the libraries with the modules that modprobe would choose: for the running kernel, in
   * an image for each installed one.
   *
   * @param owner package and version of libibverbs; nothing is said where it is unknown
   */
  static List<UserspaceFinding> judge(Root root, String library, String owner) {
    List<UserspaceFinding> findings = new ArrayList<>();
    if (owner.isEmpty()) {
      return findings;
    }
    boolean vendorLibrary = owner.contains(VENDOR);
    for (String release : releases(root)) {
      ModuleTree tree = tree(root, release);
      ModuleFile module = tree == null ? null : tree.chosen(MODULE);
      if (tree == null || module == null) {
        continue;
      }
      boolean inbox = module.inside().startsWith(tree.directory().inside() + "/kernel/");
      if (inbox == vendorLibrary) {
        findings.add(
            UserspaceFinding.of(
                UserspaceFinding.Kind.KERNEL_STACK,
                release,
                module.inside()
                    + (inbox ? " is the kernel's own, " : " is out of tree, ")
                    + library
                    + (vendorLibrary ? " is MLNX_OFED's" : " is the distribution's"),
                List.of(library)));
      }
    }
    return findings;
  }

  private static List<String> releases(Root root) {
    String running = new RootText(root).read("/proc/sys/kernel/osrelease", 4096).strip();
    if (!running.isEmpty()) {
      return List.of(running);
    }
    try {
      return InstalledKernels.list(root);
    } catch (IOException e) {
      return List.of();
    }
  }

  private static @Nullable ModuleTree tree(Root root, String release) {
    try {
      return ModuleTree.scan(root, release);
    } catch (IOException e) {
      return null;
    }
  }
}
