package dev.weaklink.cli;

import dev.weaklink.fleet.report.AuditForms;
import java.util.List;
import picocli.CommandLine.Model.CommandSpec;

/** What {@code audit} takes. */
final class AuditOptions {
  static final String BASELINE = "--baseline";
  static final String EXPECT = "--expect";
  static final String NODE = "--node";
  static final String PRINT_NODES = "--print-nodes";
  static final String VERBOSE = "--verbose";

  private AuditOptions() {}

  /** What is audited, and the kernels it is judged on. */
  static void addInputs(CommandSpec spec) {
    Options.addNames(spec, "INPUT", "0..*");
    AuditKernels.addTo(spec);
    spec.addOption(Options.values("NODES", List.of(), EXPECT));
    spec.addOption(Options.values("NODES", List.of(), NODE));
  }

  static void addOutput(CommandSpec spec) {
    spec.addOption(Options.value("FILE", BASELINE));
    spec.addOption(Options.values("WHICH", List.of(), PRINT_NODES));
    spec.addOption(Options.flag("-v", VERBOSE));
    OutputForm.addTo(spec, AuditForms.FORMATS);
  }
}
