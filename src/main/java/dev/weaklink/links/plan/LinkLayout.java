package dev.weaklink.links.plan;

import dev.weaklink.system.ModuleBuilds.ModuleBuild;
import dev.weaklink.system.WeakUpdates;

/** Where below {@code weak-updates} the link to a build belongs. */
public enum LinkLayout {
  /** As Red Hat's weak-modules has it: without the first directory, extra or updates. */
  RED_HAT {
    @Override
    public String place(ModuleBuild build) {
      return WeakUpdates.NAME + build.place().substring(build.place().indexOf('/'));
    }
  },
  /** As SUSE's weak-modules2 has it: the whole path below the kernel's directory. */
  SUSE {
    @Override
    public String place(ModuleBuild build) {
      return WeakUpdates.NAME + "/" + build.place();
    }
  };

  /** The link's path below the kernel's directory, such as {@code weak-updates/a/a.ko}. */
  public abstract String place(ModuleBuild build);
}
