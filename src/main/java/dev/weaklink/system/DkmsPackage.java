package dev.weaklink.system;

import java.util.List;

/**
 * A package in DKMS's tree, as its dkms.conf describes it.
 *
 * @param name the package
 * @param version its version
 * @param autoinstall whether {@code dkms autoinstall} builds it for new kernels
 * @param needs names of the packages that have to be built before it ({@code BUILD_DEPENDS})
 * @param modules names of the modules it says it builds, sorted; what is computed is missing
 */
public record DkmsPackage(
    String name, String version, boolean autoinstall, List<String> needs, List<String> modules) {
  public DkmsPackage {
    needs = List.copyOf(needs);
    modules = List.copyOf(modules);
  }

  /** {@code name/version}. */
  public String label() {
    return name + "/" + version;
  }
}
