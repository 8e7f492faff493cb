package dev.weaklink.cli;

import dev.weaklink.cli.Command.Entry;
import dev.weaklink.cli.Command.Manual;
import dev.weaklink.report.AuditForms;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Model.CommandSpec;

/** What {@code audit} takes, and its manual. */
final class AuditOptions {
  static final String BASELINE = "--baseline";
  static final String EXPECT = "--expect";
  static final String NODE = "--node";
  static final String PRINT_NODES = "--print-nodes";
  static final String VERBOSE = "--verbose";

  static final Manual MANUAL =
      new Manual(
              new Entry(
                  "clush -a -b weaklink-collect | weaklink audit -",
                  "The nodes of a cluster, folded on the way."),
              new Entry("weaklink audit nodes.ndjson.zst", "What was collected before."),
              new Entry(
                  "weaklink audit full.ndjson --kernel kernel-core-5.14.0-570.el9.rpm",
                  "For which nodes a kernel is safe that is not installed yet."),
              new Entry(
                  "weaklink audit nodes.ndjson --modules kmod-mlnx-ofa_kernel.rpm --kernel"
                      + " 5.14.0-570.el9.x86_64",
                  "The same with the modules' package, for nodes collected without --full."),
              new Entry(
                  "clush -a -b weaklink-collect 2>&1 | weaklink audit - --expect clush:all",
                  "The same, and which nodes did not answer, and why."),
              new Entry(
                  "weaklink audit full.ndjson --kernel 5.14.0-570.el9.x86_64 --node cn042",
                  "Which kernel to boot on one node, and what to do first."),
              new Entry(
                  "clush -w \"$(weaklink audit full.ndjson --kernel 6.1.0-54 --print-nodes"
                      + " safe:6.1.0-54)\" reboot",
                  "Reboots all nodes for which a kernel is safe."),
              new Entry(
                  "weaklink audit nodes.ndjson --baseline yesterday.json",
                  "What is new and what was fixed since yesterday."),
              new Entry(
                  "weaklink audit full.ndjson --kernel 5.14.0-570.el9.x86_64 --format html -o"
                      + " audit.html",
                  "A page with all of it, to search, to print and to pass on."),
              new Entry(
                  "weaklink audit nodes.ndjson --format prometheus -o"
                      + " /var/lib/prometheus/node-exporter/weaklink.prom",
                  "Numbers for the node exporter's textfile collector."))
          .files(StoreCommand.PLACE);

  private AuditOptions() {}

  static void addTo(CommandSpec spec) {
    spec.usageMessage()
        .header("Group the nodes of a cluster by kernel and modules, and say what is wrong.")
        .description(
            "Reads inventories of nodes (schema weaklink.node/1, one line each) as the program"
                + " that collected them printed it: bare lines, the prefixes of clush, pdsh, srun"
                + " --label, kubectl logs --prefix and GNU parallel --tag, blocks folded by clush"
                + " -b or dshbak -c, Ansible's output (default, -o, and json callback), Salt's"
                + " (default and json), lines below a heading such as '== cn1' of a shell loop,"
                + " and directories of files such as Ansible's fetch makes; gz, xz and zst too."
                + " The name in a prefix takes precedence over the node's own, the node's own over"
                + " a heading, unless --expect has only the heading's.",
            "Messages of ssh, clush, pdsh, srun, Ansible and Salt in the input say why a node did"
                + " not answer. Collect with 2>&1 to have them. Other lines, such as login"
                + " banners, are reported once with their number.",
            "Nodes with the same modules for a kernel form one group. Reported for each: dangling"
                + " links, modules that modules.dep does not list, and modules whose loaded build"
                + " is not the one on disk; and where weaklink itself made the inventory ('weaklink"
                + " inventory'), what is wrong with RDMA's libraries. Damaged input is reported with file and line, and the"
                + " rest is audited.",
            "With --kernel, each distinct set of modules is judged on each kernel as 'weaklink"
                + " check' judges: by the tables that 'weaklink-collect --full' includes, or by"
                + " the files themselves where --modules has them. A module with neither is"
                + " reported as not checked. For each kernel the report says for which nodes it is"
                + " safe, and what to do about the others. A node's modules are those in the"
                + " directory of that kernel, else those of the kernel it runs, else those of its"
                + " newest kernel that has any.",
            "Modules without a signature, or signed with a key the kernel does not trust, are"
                + " judged by each node's own policy: nodes that are locked down or enforce"
                + " signatures form groups of their own where that makes a difference. The keys"
                + " are those in the kernel's image and those given with --cert. A module's signer"
                + " is taken from the inventory; where --modules has the file, the signature is"
                + " verified.")
        .exitCodeList(exitCodes());
    addInputs(spec);
    addOutput(spec);
    addDatabase(spec);
  }

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

  static Map<String, String> exitCodes() {
    return Options.exitCodes(
        "all was read, nothing is wrong on any node, and every kernel is safe for all",
        "something is wrong on a node, or a kernel would refuse modules of one",
        "wrong usage, no node was found, or none of the kernels could be read",
        "nothing is known to be wrong, but something was not read or not verified, or a node did not"
            + " answer");
  }
}
