package dev.weaklink.cli;

import java.util.List;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/** The option that names kernels to judge on. */
final class KernelOption {
  private static final String KERNEL = "--kernel";

  private KernelOption() {}

  /** Declares it, and what belongs to it: root and store. */
  static void addTo(CommandSpec spec, String purpose) {
    spec.addOption(
        Options.values(
            "K",
            List.of(),
            purpose
                + ": the release of an installed kernel or of one in the store, a kernel's"
                + " packages, a symvers file, a kernel image, or a headers directory.",
            KERNEL));
    StoreCommand.addStore(spec);
    LoaderOverrides.addTo(spec);
    Options.addJobs(spec);
  }

  static List<String> kernels(ParseResult parsed) {
    return Options.texts(parsed, KERNEL);
  }
}
