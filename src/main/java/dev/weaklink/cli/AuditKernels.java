package dev.weaklink.cli;

import dev.weaklink.check.AuditRequest;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;

/** The options of an audit about kernels, and how they judge. */
final class AuditKernels {
  static final String KERNEL = "--kernel";
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
        StoreCommand.store(parsed),
        TrustOptions.loader(parsed),
        TrustOptions.certificates(parsed),
        Options.texts(parsed, MODULES),
        parsed.hasMatchedOption(CheckCommand.EXPLAIN),
        Options.reading(parsed, console));
  }

  /** The words that ask the same of some of the kernels, but for how it is done. */
  static List<String> words(ParseResult parsed, List<String> kernels) {
    CommandSpec spec = CommandSpec.create();
    addTo(spec);
    List<String> words = new ArrayList<>();
    for (OptionSpec option : spec.options()) {
      String name = option.longestName();
      if (name.equals(KERNEL)) {
        kernels.forEach(kernel -> words.add(KERNEL + "=" + kernel));
      } else if (!Options.ABOUT_EFFORT.contains(name)) {
        words.addAll(Options.words(parsed, name));
      }
    }
    return words;
  }
}
