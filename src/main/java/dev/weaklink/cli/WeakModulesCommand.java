package dev.weaklink.cli;

import dev.weaklink.dialect.RedHatDialect;
import java.io.IOException;
import java.util.List;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/**
 * {@code weaklink weak-modules}: the manual of the dialect, which reads its command line itself.
 */
final class WeakModulesCommand implements RawCommand {
  @Override
  public void declare(CommandSpec spec) {
    addActions(spec);
    addSettings(spec);
  }

  private static void addActions(CommandSpec spec) {
    spec.addOption(Options.flag("Link the modules named on standard input.", "--add-modules"));
    spec.addOption(
        Options.flag(
            "Remove the links of modules named on standard input that are gone.",
            "--remove-modules"));
    spec.addOption(kernel("Link the modules below extra of other kernels on K.", "--add-kernel"));
    spec.addOption(kernel("Remove all links of K.", "--remove-kernel"));
  }

  private static OptionSpec kernel(String description, String name) {
    return OptionSpec.builder(name)
        .type(String.class)
        .arity("0..1")
        .paramLabel("K")
        .description(description + " Default: the running kernel.")
        .build();
  }

  private static void addSettings(CommandSpec spec) {
    spec.addOption(Options.flag("Leave initramfs images alone.", "--no-initramfs"));
    spec.addOption(Options.flag("Say what is compatible and what is not.", "--verbose"));
    spec.addOption(Options.flag("Write nothing anywhere.", "--dry-run"));
    spec.addOption(Options.flag("Deprecated, no effect.", "--delete-modules"));
    spec.addOption(
        Options.value("DIR", "Work on the tree below DIR; links have DIR in front.", "--basedir"));
    spec.addOption(
        Options.value(
            "PATH", "Regenerate the image of every changed kernel with this dracut.", "--dracut"));
    spec.addOption(
        Options.value(
            "PROG", "Call PROG with the kernel's release, not dracut.", "--check-initramfs-prog"));
    spec.addOption(Options.flag("Show a short help.", "-h", Options.HELP));
  }

  @Override
  public int run(List<String> words, Console console, Services services) throws IOException {
    return new RedHatDialect(console.streams(RedHatDialect.NAME), services.transactions())
        .run(words);
  }
}
