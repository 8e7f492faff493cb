package dev.weaklink.cli;

import dev.weaklink.report.AuditForms;
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
    StoreCommand.addNames(
        spec, "INPUT", "0..*", "A file, a directory of files, or '-' for standard input.");
    AuditKernels.addTo(spec);
    spec.addOption(
        Options.values(
            "NODES",
            List.of(),
            "Nodes that should have answered: a set such as cn[001-412], a file of such sets, or"
                + " clush:GROUP. Those without an inventory are reported with the reason, as far"
                + " as the input has it. Can be given several times.",
            EXPECT));
    spec.addOption(
        Options.values(
            "NODES",
            List.of(),
            "Audit these nodes only, named as with --expect: what each has, which kernel to boot,"
                + " and what to do first.",
            NODE));
  }

  static void addDatabase(CommandSpec spec) {
    AuditDatabase.addTo(
        spec,
        "Save the audit to this SQLite database, created if missing; see 'weaklink audit log' and"
            + " 'weaklink audit show'.");
    AuditDatabase.addTime(spec);
  }

  static void addOutput(CommandSpec spec) {
    spec.addOption(
        Options.value(
            "FILE",
            "Also show what is new and what was fixed since the audit in FILE, written with"
                + " --format json.",
            BASELINE));
    spec.addOption(
        Options.values(
            "WHICH",
            List.of(),
            "Print nothing but a set of nodes, for clush -w, scontrol or a loop: safe:KERNEL,"
                + " unsafe:KERNEL, unknown:KERNEL, canaries:KERNEL (one node for each set of"
                + " modules for which it is safe), missing, broken (something is wrong today, or a"
                + " kernel is unsafe), or undetermined. Given several times, a line for each.",
            PRINT_NODES));
    spec.addOption(Options.flag("Leave nothing out of the table.", "-v", VERBOSE));
    OutputForm.addTo(spec, AuditForms.FORMATS);
  }
}
