package dev.weaklink.cli;

import dev.weaklink.fleet.judge.AuditJudge.AuditRequest;
import java.util.List;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/** The options of an audit about kernels, and how they judge. */
final class AuditKernels {
  private static final String MODULES = "--modules";

  private AuditKernels() {}

  static void addTo(CommandSpec spec) {
    KernelOption.addForOthers(spec);
    TrustOptions.addTo(spec);
    spec.addOption(Options.values("PATH", List.of(), MODULES));
    spec.addOption(CheckCommand.explain());
  }

  /** What was asked. */
  static AuditRequest request(ParseResult parsed, Console console) {
    return new AuditRequest(
        Options.root(parsed),
        KernelOption.kernels(parsed),
        Options.store(parsed),
        TrustOptions.loader(parsed),
        TrustOptions.certificates(parsed),
        Options.texts(parsed, MODULES),
        parsed.hasMatchedOption(CheckCommand.EXPLAIN),
        Options.reading(parsed, console));
  }
}
