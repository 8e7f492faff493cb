package dev.weaklink.loader;

import dev.weaklink.kernel.LoaderRule;
import dev.weaklink.kernel.LoaderRules;
import dev.weaklink.kernel.TargetKernel;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * What verdicts rest on of their target, but for rows of its exports. Filled while modules are
 * judged ({@link LoadSet#together}); not for several threads at once.
 */
public final class TargetReads {
  private long asked;
  private final Set<String> releases = new TreeSet<>();

  void add(TargetView view) {
    asked |= view.asked();
    releases.addAll(view.releases());
  }

  /** A rule of a target, recorded. */
  public LoaderRules.Setting setting(TargetKernel kernel, LoaderRule rule) {
    asked |= TargetView.bit(rule);
    return kernel.rules().setting(rule);
  }

  /** Facts and rules that were asked for; equal numbers mean the same ones. */
  public long asked() {
    return asked;
  }

  /** Releases that the target's was compared with, sorted. */
  public List<String> releases() {
    return List.copyOf(releases);
  }

  /** What a kernel answers to all that was asked: equal lists mean kernels that are the same. */
  public static List<@Nullable Object> answers(long asked, TargetKernel kernel) {
    List<@Nullable Object> answers = new ArrayList<>();
    for (LoaderRule rule : LoaderRule.values()) {
      if ((asked & TargetView.bit(rule)) != 0) {
        LoaderRules.Setting setting = kernel.rules().setting(rule);
        answers.add(setting.assumed() ? setting.value() + " assumed" : setting.value());
      }
    }
    for (TargetFact fact : TargetFact.values()) {
      if ((asked & TargetView.bit(fact)) != 0) {
        answers.add(fact.of(kernel));
      }
    }
    return answers;
  }

  /** For each release compared with, whether it is the kernel's, and whether its vermagic's. */
  public static String matches(List<String> releases, TargetKernel kernel) {
    String vermagic = kernel.vermagic();
    String built = vermagic == null ? null : TargetView.release(vermagic);
    StringBuilder matches = new StringBuilder();
    for (String release : releases) {
      int bits = (release.equals(kernel.release()) ? 1 : 0) | (release.equals(built) ? 2 : 0);
      matches.append((char) ('0' + bits));
    }
    return matches.toString();
  }

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
}
