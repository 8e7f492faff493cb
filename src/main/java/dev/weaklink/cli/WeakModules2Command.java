package dev.weaklink.cli;

import dev.weaklink.dialect.SuseDialect;
import java.io.IOException;
import java.util.List;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/**
 * {@code weaklink weak-modules2}: the manual of the dialect, which reads its command line itself.
 */
final class WeakModules2Command implements RawCommand {
  @Override
  public void declare(CommandSpec spec) {
    addActions(spec);
    addSettings(spec);
  }

  private static void addActions(CommandSpec spec) {
    spec.addOption(
        action(
            "NVR",
            "1",
            "Link the modules of an installed package, by its name-version-release.",
            "--add-kmp"));
    spec.addOption(
        action(
            "NVR",
            "1",
            "Remove the links of a package that is gone and whose modules are listed on standard"
                + " input; link the newest other version of it that fits.",
            "--remove-kmp"));
    spec.addOption(
        action(
            "K",
            "0..1",
            "Link the modules of all packages of K's flavor. Default: the running" + " kernel.",
            "--add-kernel"));
    spec.addOption(
        action(
            "K",
            "0..1",
            "Remove all links of K, and its directory if nothing else is in it."
                + " Default: the running kernel.",
            "--remove-kernel"));
    spec.addOption(
        action(
            "K",
            "1",
            "Like --add-kernel, after modules of K were added; standard input is read"
                + " and does not matter.",
            "--add-kernel-modules"));
    spec.addOption(
        action(
            "K",
            "1",
            "Like --add-kernel, after modules of K were removed; standard input is"
                + " read and does not matter.",
            "--remove-kernel-modules"));
  }

  private static OptionSpec action(String label, String arity, String description, String name) {
    return OptionSpec.builder(name)
        .type(String.class)
        .arity(arity)
        .paramLabel(label)
        .description(description)
        .build();
  }

  private static void addSettings(CommandSpec spec) {
    spec.addOption(
        Options.flag("Say what is done; given twice, why something is not.", "-v", "--verbose"));
    spec.addOption(Options.flag("Say why packages are not linked.", "--debug"));
    spec.addOption(Options.flag("Write nothing anywhere.", "--dry-run"));
    spec.addOption(
        Options.value(
            "FILE", "Append messages to FILE, below /var/log unless absolute.", "--logfile"));
    spec.addOption(
        Options.value(
            "DIR",
            "Work on the image below DIR, with the RPM database found there;"
                + " links are as seen from inside.",
            "--basedir"));
    spec.addOption(Options.flag("Show how it is called.", "--usage"));
    spec.addOption(Options.flag("Show a short help.", "-h", Options.HELP));
  }

  @Override
  public int run(List<String> words, Console console, Services services) throws IOException {
    return new SuseDialect(
            console.streams(SuseDialect.NAME), console.environment(), services.transactions())
        .run(words);
  }
}
