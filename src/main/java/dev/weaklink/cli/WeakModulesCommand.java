package dev.weaklink.cli;

import dev.weaklink.dialect.RedHatDialect;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/**
 * {@code weaklink weak-modules}: the manual of the dialect, which reads its command line itself.
 */
final class WeakModulesCommand implements RawCommand {
  @Override
  public void declare(CommandSpec spec) {
    Map<String, String> codes =
        Options.exitCodes(
            "done, whether or not anything was compatible",
            "wrong usage, a kernel without symvers and modules of its own to judge by, no dracut where"
                + " one is named, or a transaction or initramfs that failed");
    spec.usageMessage()
        .header("Replacement for Red Hat's weak-modules.")
        .description(
            "Takes the options of weak-modules, abbreviations included, and keeps the same links;"
                + " what is compatible is decided as the kernel's loader decides it: vermagic, the"
                + " size of struct module, GPL-only symbols and namespaces count, too. What"
                + " could not be decided counts as incompatible. A symbolic link to weaklink that"
                + " is named weak-modules runs this command.",
            "--add-modules links all modules of the list or none of them on a kernel, --add-kernel"
                + " those of the newest kernel that has a compatible one: a module that no other"
                + " needs together with all it needs, wholly or not at all. --remove-modules removes"
                + " links whose target is the named path and is gone, and on every kernel those"
                + " that do not fit.",
            "Unlike weak-modules: symvers may be packed by gzip, xz, zstd or not at all, whatever"
                + " its name says, and System.map is not needed; a kernel without symvers is"
                + " judged by its own modules; modules may be packed by zstd; a file of the list"
                + " that is not there is refused, not linked; no link leads into the kernel's own"
                + " directory, however that is spelt; no link is made because of which a module of"
                + " the kernel would stop loading ('needed-by:' and its name stand among the"
                + " symbols then); dracut is not needed unless --dracut is given; --dry-run writes"
                + " nothing; --remove-kernel runs depmod and leaves files that are no links;"
                + " depmod runs once for a kernel; a lock is held, and all changes are one"
                + " transaction that 'weaklink undo' takes back; a link that was incompatible"
                + " before does not keep others from being made, and one that is removed helps"
                + " none that need it; a link that works is not lost to a newer module that does"
                + " not; an empty extra directory does not have the modules of another kernel"
                + " tried again; what fitted in a group that was given up does not count as linked,"
                + " as it does for kmod 28's, so that a later group with it is tried whole; of commands --verbose prints depmod only; an initramfs is"
                + " regenerated in place, and unless --dracut or --check-initramfs-prog is given,"
                + " only if it holds a module that changed, packed in whatever way, with what"
                + " makes such images on this system.",
            "Signature enforcement of the machine (Secure Boot's lockdown, module.sig_enforce)"
                + " counts as for 'weaklink plan': a module whose signature a kernel would not"
                + " take is not linked on it, and one line on standard error says so and why,"
                + " whether or not --verbose is given. With --basedir the tree may be another"
                + " machine's; then only what the kernel itself enforces counts.")
        .exitCodeList(codes);
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
  public Manual manual() {
    return new Manual(
            new Entry(
                "find /lib/modules/$K/extra/foo | weaklink weak-modules --add-modules",
                "In a package's %post."),
            new Entry(
                "weaklink weak-modules --add-kernel $K --dry-run --verbose --no-initramfs",
                "What a kernel would get."))
        .files(
            new Entry("/lib/modules/K/weak-updates", "The links."),
            new Entry("/boot/initramfs-K.img", "Renewed if the kernel changed, never created."));
  }

  @Override
  public int run(List<String> words, Console console, Services services) throws IOException {
    return new RedHatDialect(console.streams(RedHatDialect.NAME), services.transactions())
        .run(words);
  }
}
