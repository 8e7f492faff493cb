package dev.weaklink.kernel;

import dev.weaklink.kernel.LoaderRules.Setting;
import java.util.Map;

/** Rules that the kernel's image itself shows. */
final class TracedRules {
  private static final int CLASSIC_ENTRY = 64;
  private static final int PACKED_ENTRY = 8;

  private final LoaderTraces traces;
  private final KernelVersion version;
  private final Map<LoaderRule, Setting> settings;

  private TracedRules(
      LoaderTraces traces, KernelVersion version, Map<LoaderRule, Setting> settings) {
    this.traces = traces;
    this.version = version;
    this.settings = settings;
  }

  /** Replaces what was concluded otherwise. */
  static void put(LoaderTraces traces, KernelVersion version, Map<LoaderRule, Setting> settings) {
    TracedRules rules = new TracedRules(traces, version, settings);
    rules.decide(LoaderRule.MODVERSIONS, LoaderTrace.MODVERSIONS);
    rules.decide(LoaderRule.FORCE_LOAD, LoaderTrace.FORCE_LOAD);
    rules.decide(LoaderRule.STRUCT_SIZE, LoaderTrace.STRUCT_SIZE);
    rules.decide(LoaderRule.SYMBOL_SECTIONS, LoaderTrace.SYMBOL_SECTIONS);
    rules.decide(LoaderRule.EXPORT_FLAGS, LoaderTrace.EXPORT_FLAGS);
    rules.decide(LoaderRule.EXTENDED_VERSIONS, LoaderTrace.EXTENDED_VERSIONS);
    rules.decide(LoaderRule.INHERIT_TAINT, LoaderTrace.INHERITED_TAINT);
    rules.decide(LoaderRule.SIGNATURES, LoaderTrace.SIGNATURES);
    rules.decide(LoaderRule.VERMAGIC, LoaderTrace.VERMAGIC);
    rules.elfChecks();
    rules.signatureKind();
    rules.namespaces();
    rules.versionsLayout();
    rules.btf();
    rules.trampolines();
  }

  private boolean has(LoaderTrace trace) {
    return traces.found().contains(trace);
  }

  private void decide(LoaderRule rule, LoaderTrace trace) {
    boolean there = has(trace);
    seen(
        rule,
        there ? "yes" : "no",
        there ? "its message is in the image" : "no message in the image");
  }

  /** The late ones have messages of their own; the early ones follow from the version. */
  private void elfChecks() {
    String early = version.atLeast(5, 12) ? "sections" : "header";
    String checks = version.atLeast(6, 4) ? "unique" : early;
    checks = has(LoaderTrace.SECTION_NAMES) ? "names" : checks;
    checks = has(LoaderTrace.SYMBOL_NAMES) ? "strings" : checks;
    seen(LoaderRule.ELF_CHECKS, checks, "messages in the image");
  }

  private void signatureKind() {
    if (has(LoaderTrace.PKCS7)) {
      seen(LoaderRule.SIGNATURE_KIND, "pkcs7", "its message is in the image");
    }
  }

  private void namespaces() {
    if (has(LoaderTrace.NAMESPACES_ENFORCED)) {
      seen(LoaderRule.NAMESPACES, "enforce", "an error message in the image");
    } else if (has(LoaderTrace.NAMESPACES_WARNED)) {
      seen(LoaderRule.NAMESPACES, "warn", "a warning in the image");
    } else {
      seen(LoaderRule.NAMESPACES, "none", "no message in the image");
    }
  }

  private void versionsLayout() {
    if (traces.versionEntrySize() == CLASSIC_ENTRY) {
      seen(LoaderRule.VERSIONS_LAYOUT, "classic", "struct modversion_info in the image's BTF");
    } else if (traces.versionEntrySize() == PACKED_ENTRY) {
      seen(LoaderRule.VERSIONS_LAYOUT, "packed", "struct modversion_info in the image's BTF");
    }
  }

  /**
   * kernel/bpf/btf.c:btf_module_notify. From 5.18 to 6.2 a kernel that tolerates a mismatch has the
   * same message as one that does not.
   */
  private void btf() {
    boolean sameMessage = version.atLeast(5, 18) && !version.atLeast(6, 3);
    if (has(LoaderTrace.BTF_TOLERATED)) {
      seen(LoaderRule.BTF_MISMATCH, "accept", "its message is in the image");
    } else if (!has(LoaderTrace.BTF_CHECKED)) {
      seen(LoaderRule.BTF_MISMATCH, "accept", "no message in the image");
    } else if (!sameMessage) {
      seen(LoaderRule.BTF_MISMATCH, "refuse", "its message is in the image");
    }
  }

  /** Without function tracing the texts may be there, too: what makes room for them is. */
  private void trampolines() {
    if (has(LoaderTrace.TRAMPOLINE) && has(LoaderTrace.FUNCTION_TRACING)) {
      String which = has(LoaderTrace.INIT_TRAMPOLINE) ? "init" : "core";
      seen(LoaderRule.TRAMPOLINES, which, "names of sections in the image");
    }
  }

  private void seen(LoaderRule rule, String value, String where) {
    settings.put(rule, new Setting(value, false, where));
  }
}
