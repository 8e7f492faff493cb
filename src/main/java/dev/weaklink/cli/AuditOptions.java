package dev.weaklink.cli;

import dev.weaklink.audit.AuditReport.Part;
import dev.weaklink.cli.Command.Entry;
import dev.weaklink.cli.Command.Manual;
import dev.weaklink.report.AuditForms;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/** What {@code audit} takes, and its manual. */
final class AuditOptions {
  static final String MODULES = "--modules";
  static final String BASELINE = "--baseline";
  private static final String SHARD = "--shard";
  private static final int MAX_PARTS = 10_000;

  static final Manual MANUAL =
      new Manual(
          List.of(
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
                  "The same by the modules' package, for nodes that told no tables."),
              new Entry(
                  "weaklink audit nodes.ndjson --baseline yesterday.json",
                  "What is new and what is mended since yesterday."),
              new Entry(
                  "weaklink audit full.ndjson --kernel 5.14.0-570.el9.x86_64 --format html -o"
                      + " audit.html",
                  "A page with all of it, to search, to print and to pass on."),
              new Entry(
                  "weaklink audit nodes.ndjson --format prometheus -o"
                      + " /var/lib/prometheus/node-exporter/weaklink.prom",
                  "Numbers for the node exporter's textfile collector.")),
          List.of(StoreCommand.PLACE),
          List.of());

  private AuditOptions() {}

  static CommandSpec spec() {
    CommandSpec spec = CommandSpec.create();
    spec.usageMessage()
        .header("Group the nodes of a cluster by kernel and modules, and say what is wrong.")
        .description(
            "Reads what nodes told of themselves (schema weaklink.node/1, one line each) as the"
                + " program that asked them printed it: bare lines, the prefixes of clush, pdsh,"
                + " srun --label and kubectl logs --prefix, blocks folded by clush -b or"
                + " dshbak -c, the output of Ansible's json callback, and directories of files such"
                + " as Ansible's fetch makes; gz, xz and zst too. A prefix's name goes before the"
                + " node's own.",
            "Nodes that have the same modules for a kernel are one group. Told of each: links that"
                + " lead to nothing, modules that modules.dep does not list, and modules whose"
                + " loaded build is not the one on disk. Damaged input is reported with file and"
                + " line, and the rest is audited.",
            "With --kernel, each distinct set of modules is judged on each kernel as 'weaklink"
                + " check' judges: by the tables that 'weaklink-collect --full' tells, or by the"
                + " files themselves, where --modules has them. What was not looked at is named;"
                + " without tables and files nothing is known of a module, and so it is said."
                + " For each kernel it is told for whom it is safe, and what is to be done where"
                + " it is not. Of a node those modules count that it has in the directory of that"
                + " very kernel, else those of the kernel it runs, else those of its newest kernel"
                + " that has any.",
            "What a kernel does with modules that are not signed, or with a key that it does not"
                + " trust, nodes tell: where they are locked down or signatures are enforced, they"
                + " are judged by that, and apart from others where it makes a difference. The"
                + " keys are those in the kernel's image and those given with --cert; who signed a"
                + " module is believed as told, and verified where --modules has the file.")
        .exitCodeList(exitCodes());
    StoreCommand.addNames(
        spec, "INPUT", "0..*", "A file, a directory of files, or '-' for standard input.");
    KernelOption.addForOthers(spec, "A kernel that nodes are to boot. Can be given several times");
    TrustOptions.addForNodes(spec);
    spec.addOption(
        Options.values(
            "PATH",
            List.of(),
            "Files of the nodes' modules, directories of them, or packages: those whose SHA-256 a"
                + " node tells are judged as they are, and not only as far as the node tells of"
                + " them. Can be given several times.",
            MODULES));
    spec.addOption(
        Options.value(
            "I/N",
            "Ask only the I-th of N parts of all there is to be asked, such as 3/8, and write it"
                + " as JSON for 'weaklink audit merge'. All parts need the same input and options.",
            SHARD));
    addOutput(spec);
    addDatabase(spec);
    Options.addCommon(spec);
    return spec;
  }

  static void addDatabase(CommandSpec spec) {
    AuditDatabase.addTo(
        spec,
        "Keep what comes of it in this SQLite database, which is made if need be; see 'weaklink"
            + " audit log' and 'weaklink audit show'.");
    AuditDatabase.addTime(spec);
  }

  static void addOutput(CommandSpec spec) {
    spec.addOption(
        Options.value(
            "FILE",
            "Tell besides what is new and what is mended since the audit in FILE, which was written"
                + " with --format json.",
            BASELINE));
    OutputForm.addTo(spec, AuditForms.FORMATS);
  }

  /**
   * The part that was asked for, null for all.
   *
   * @throws UsageException if it is none
   */
  static @Nullable Part part(ParseResult parsed) {
    String given = Options.text(parsed, SHARD);
    if (given == null) {
      return null;
    }
    int slash = given.indexOf('/');
    try {
      int index = Integer.parseInt(given.substring(0, Math.max(slash, 0)));
      int of = Integer.parseInt(given.substring(slash + 1));
      if (index >= 1 && index <= of && of <= MAX_PARTS) {
        return new Part(index, of);
      }
    } catch (NumberFormatException e) {
      // the same to the one who typed it
    }
    throw new UsageException("--shard takes I/N, such as 3/8, not '" + given + "'");
  }

  static Map<String, String> exitCodes() {
    Map<String, String> codes = new LinkedHashMap<>();
    codes.put("0", "all was read, nothing is wrong on any node, and every kernel is safe for all");
    codes.put("1", "something is wrong on a node, or a kernel would refuse modules of one");
    codes.put("2", "wrong usage, no node was found, or none of the kernels could be read");
    codes.put("3", "nothing is known to be wrong, but something was not read or not verified");
    return codes;
  }
}
