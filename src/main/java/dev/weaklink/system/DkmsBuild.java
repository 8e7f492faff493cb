package dev.weaklink.system;

import java.util.List;

/**
 * A package in DKMS's tree and how it stands with one kernel.
 *
 * @param name the package
 * @param version its version
 * @param kernel the release; empty for the package itself
 * @param state how it stands
 * @param remark the kernel whose build is linked where the state is {@link State#WEAK}; else empty
 * @param modules names of the modules that were built for that kernel, sorted
 */
public record DkmsBuild(
    String name, String version, String kernel, State state, String remark, List<String> modules) {
  public DkmsBuild {
    modules = List.copyOf(modules);
  }

  /** How a package stands with a kernel, in the words of {@code dkms status}. */
  public enum State {
    ADDED,
    BUILT,
    INSTALLED,
    WEAK,
    BROKEN
  }

  /** {@code name/version}. */
  public String label() {
    return name + "/" + version;
  }
}
