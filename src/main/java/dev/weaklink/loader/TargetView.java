package dev.weaklink.loader;

import dev.weaklink.format.elf.ElfIdentity;
import dev.weaklink.kernel.ExportTable;
import dev.weaklink.kernel.ImageFacts;
import dev.weaklink.kernel.KernelVersion;
import dev.weaklink.kernel.LoaderRule;
import dev.weaklink.kernel.LoaderRules;
import dev.weaklink.kernel.TargetKernel;
import dev.weaklink.loader.TargetReads.TargetFact;
import dev.weaklink.module.KernelModule;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * A target as the loader's steps see it. Whatever they ask is recorded: two targets that give the
 * same answers to it, and have the same in their tables of exports by the names that the modules
 * import and export, get the same verdict.
 */
final class TargetView {
  private static final int RULES = LoaderRule.values().length;

  private final TargetKernel kernel;
  private long asked;
  private Set<String> releases = Set.of();

  TargetView(TargetKernel kernel) {
    this.kernel = kernel;
  }

  static long bit(TargetFact fact) {
    return 1L << RULES + fact.ordinal();
  }

  static long bit(LoaderRule rule) {
    return 1L << rule.ordinal();
  }

  private TargetKernel ask(TargetFact fact) {
    asked |= bit(fact);
    return kernel;
  }

  /** Facts and rules that were asked for, a bit each. */
  long asked() {
    return asked;
  }

  /** Releases that the target's was compared with. */
  Set<String> releases() {
    return releases;
  }

  /** The target, for looking up what the modules import and export; not recorded. */
  ExportTable exports() {
    return kernel.exports();
  }

  LoaderRules.Setting setting(LoaderRule rule) {
    asked |= bit(rule);
    return kernel.rules().setting(rule);
  }

  /** As {@link LoaderRules#is}. */
  boolean is(LoaderRule rule, String value) {
    asked |= bit(rule);
    return kernel.rules().is(rule, value);
  }

  /** As {@link LoaderRules#atLeast}. */
  boolean atLeast(LoaderRule rule, String value) {
    asked |= bit(rule);
    return kernel.rules().atLeast(rule, value);
  }

  KernelVersion version() {
    return ask(TargetFact.VERSION).rules().version();
  }

  @Nullable ElfIdentity machine() {
    return ask(TargetFact.MACHINE).machine();
  }

  long structModuleSize() {
    return ask(TargetFact.STRUCT_MODULE_SIZE).structModuleSize();
  }

  boolean exportsComplete() {
    return ask(TargetFact.EXPORTS_COMPLETE).exportsComplete();
  }

  boolean ownModulesKnown() {
    return ask(TargetFact.OWN_MODULES_KNOWN).ownModulesKnown();
  }

  /** As {@link ImageFacts}. */
  ImageFacts image() {
    return ask(TargetFact.BUILT_IN).image();
  }

  boolean isRedHat7() {
    return isRedHat7(ask(TargetFact.RED_HAT_7).release());
  }

  static boolean isRedHat7(@Nullable String release) {
    return release != null && release.contains(".el7");
  }

  /** As {@link TargetKernel#isOwn}. */
  boolean isOwn(KernelModule module) {
    return ask(TargetFact.OWN_BUILDS).isOwn(module);
  }

  @Nullable String vermagic() {
    return ask(TargetFact.VERMAGIC).vermagic();
  }

  /** What vermagic has behind the release; null if it is not known. */
  @Nullable String vermagicFlags() {
    return flags(ask(TargetFact.VERMAGIC_FLAGS).vermagic());
  }

  /** Whether the target has this release. */
  boolean isRelease(String release) {
    compare(release);
    return release.equals(kernel.release());
  }

  /** Whether its vermagic is this one. */
  boolean isVermagic(String vermagic) {
    compare(release(vermagic));
    ask(TargetFact.VERMAGIC_FLAGS);
    return vermagic.equals(kernel.vermagic());
  }

  private void compare(String release) {
    if (releases.isEmpty()) {
      releases = new TreeSet<>();
    }
    releases.add(release);
  }

  /** The release in front of the first blank. */
  static String release(String vermagic) {
    int blank = vermagic.indexOf(' ');
    return blank < 0 ? vermagic : vermagic.substring(0, blank);
  }

  static @Nullable String flags(@Nullable String vermagic) {
    return vermagic == null ? null : vermagic.substring(release(vermagic).length());
  }
}
