package dev.weaklink.rebuild;

import org.jspecify.annotations.Nullable;

/** Which distribution is given to Mellanox's script as the one it runs on. Pure. */
public final class DistroChoice {
  private DistroChoice() {}

  /**
   * The distribution the image was made for, where this is a later or earlier release of the same
   * major version: a script does not know those that came after it. The option exists for RPM only.
   *
   * @return null to let the script look by itself
   */
  public static @Nullable String of(Bundle bundle, Platform platform) {
    String made = bundle.distro();
    String ours = platform.bundleName();
    if (made == null || ours == null || bundle.debian() || made.equals(ours)) {
      return null;
    }
    return Preflight.major(made).equals(Preflight.major(ours)) ? made : null;
  }
}
