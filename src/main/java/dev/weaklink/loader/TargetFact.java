package dev.weaklink.loader;

import dev.weaklink.kernel.TargetKernel;
import org.jspecify.annotations.Nullable;

/** What steps can ask about a target apart from its rules and exports. */
enum TargetFact {
  MACHINE,
  STRUCT_MODULE_SIZE,
  EXPORTS_COMPLETE,
  OWN_MODULES_KNOWN,
  BUILT_IN,
  OWN_BUILDS,
  /** Whether it is one of RHEL 7, which changed rules under an old version. */
  RED_HAT_7,
  VERMAGIC,
  /** What vermagic has behind the release. */
  VERMAGIC_FLAGS,
  /** The version whose order and words of checks apply. */
  VERSION;

  /** Its value, by which kernels can be compared. */
  @Nullable Object of(TargetKernel kernel) {
    return switch (this) {
      case MACHINE -> kernel.machine();
      case STRUCT_MODULE_SIZE -> kernel.structModuleSize();
      case EXPORTS_COMPLETE -> kernel.exportsComplete();
      case OWN_MODULES_KNOWN -> kernel.ownModulesKnown();
      case BUILT_IN -> kernel.image().builtIn();
      case OWN_BUILDS -> kernel.ownBuilds();
      case RED_HAT_7 -> TargetView.isRedHat7(kernel.release());
      case VERMAGIC -> kernel.vermagic();
      case VERMAGIC_FLAGS -> TargetView.flags(kernel.vermagic());
      case VERSION -> kernel.rules().version();
    };
  }
}
