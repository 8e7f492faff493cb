package dev.weaklink.kernel;

import dev.weaklink.module.KernelModule;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What loader rules are concluded from.
 *
 * @param release the kernel's release, null if not known
 * @param config its build configuration, null if not at hand
 * @param symvers its Module.symvers, null if not at hand
 * @param ownModule one of its own modules, null if unavailable
 * @param traces what its image shows, null if that is not at hand
 * @param given settings by the user, rule key to value; they go before everything
 */
public record LoaderEvidence(
    @Nullable String release,
    @Nullable KernelConfig config,
    @Nullable Symvers symvers,
    @Nullable KernelModule ownModule,
    @Nullable LoaderTraces traces,
    Map<LoaderRule, String> given) {

  /** Without an image. */
  public LoaderEvidence(
      @Nullable String release,
      @Nullable KernelConfig config,
      @Nullable Symvers symvers,
      @Nullable KernelModule ownModule,
      Map<LoaderRule, String> given) {
    this(release, config, symvers, ownModule, null, given);
  }
}
