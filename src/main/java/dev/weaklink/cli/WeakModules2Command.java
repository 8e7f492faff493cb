package dev.weaklink.cli;

import dev.weaklink.dialect.SuseDialect;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/**
 * {@code weaklink weak-modules2}: the manual of the dialect, which reads its command line itself.
 */
final class WeakModules2Command implements RawCommand {
  @Override
  public void declare(CommandSpec spec) {
    Map<String, String> codes =
        Options.exitCodes(
            "done, whether or not anything was compatible",
            "wrong usage, no such package, packages that cannot be looked up, or a transaction or"
                + " initrd that failed");
    spec.usageMessage()
        .header("Replacement for SUSE's weak-modules2.")
        .description(
            "Takes the options of weak-modules2, abbreviations included, and keeps the same links,"
                + " below weak-updates/updates and weak-updates/extra. A symbolic link to weaklink"
                + " that is named weak-modules2 runs this command.",
            "The unit is the kernel module package (NAME-kmp-FLAVOR, looked up with rpm): all its"
                + " modules are linked on a kernel of its flavor, or none. They are if the kernel's"
                + " loader would load all of them with everything else that is linked, and no"
                + " module that loads now would stop to, of the kernel or of another package."
                + " A linked version gives way to a newer one of the same package only, and"
                + " nothing is linked beside another module of the same name. What could not be"
                + " decided counts as incompatible.",
            "The initrd is regenerated for a changed kernel, and for a changed package if there"
                + " is none, it holds a module of the package, dracut.conf(5) names one, or"
                + " KMP_NEEDS_MKINITRD is set; not for kdump kernels. With INITRD_IN_POSTTRANS it"
                + " is only asked for, by a file below /run/regenerate-initrd; on removal of a"
                + " package only if it is asked for already.",
            "Unlike weak-modules2: modules of the kernel that are missing or broken anyway do not"
                + " keep packages from being linked, and the kernel's tree is not searched for"
                + " them; what depmod's search order hides is judged, too; symvers may be packed by"
                + " gzip, xz, zstd or not at all, and System.map is not needed; vermagic, the size"
                + " of struct module, GPL-only symbols and namespaces count, too;"
                + " dangling links of other versions are"
                + " in nobody's way, and incomplete sets of links are completed or"
                + " removed; a package with unusable files does not keep others from being linked;"
                + " links of a package that is merely reinstalled stay; a change of a kernel"
                + " removes links to packages that would no longer load; --remove-kernel runs"
                + " depmod if the kernel is still there, which is no failure, and leaves files that"
                + " are no links; of commands --verbose prints depmod and touch only, and depmod"
                + " does not run for kernels that stay as they are;"
                + " --dry-run writes nothing; depmod runs once for a kernel; lsinitrd and rpmsort"
                + " are not needed, and nothing is traced at --verbose given three times; a lock is"
                + " held, and all links are changed in one transaction that 'weaklink undo' takes"
                + " back. Of a kernel with neither symvers nor modules nothing is linked.",
            "Signature enforcement of the machine (Secure Boot's lockdown, module.sig_enforce)"
                + " counts as for 'weaklink plan': a package with a module whose signature a"
                + " kernel would not take is not linked on it, and is removed by a change of the"
                + " kernel; a warning says so and why, at any --verbose. Not so with --basedir,"
                + " and where there is /.buildenv: what is worked on there may be for another"
                + " machine. In the new root of a transactional update it counts: that is for this"
                + " machine.")
        .exitCodeList(codes);
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
  public Manual manual() {
    return new Manual(
            new Entry(
                "INITRD_IN_POSTTRANS=1 weak-modules2 --add-kmp foo-kmp-default-1.0-1",
                "In a package's %post."),
            new Entry(
                "weaklink weak-modules2 --add-kernel $K --dry-run -v -v",
                "What a kernel would get, and why not more."))
        .files(
            new Entry("/lib/modules/K/weak-updates", "The links."),
            new Entry("/boot/initrd-K", "Regenerated where that is needed."),
            new Entry("/run/regenerate-initrd/K", "Asks for K's initrd to be made later."),
            new Entry("/etc/sysconfig/bootloader", "INITRD_GENERATOR, unless in the environment."))
        .environment(
            new Entry("WM2_VERBOSE, WM2_DEBUG, WM2_LOGFILE", "Like the options; 0 to 3, 1, FILE."),
            new Entry("DEPMOD, DRACUT", "The programs to use."),
            new Entry("INITRD_IN_POSTTRANS", "Ask for initrds to be made later."),
            new Entry("TRANSACTIONAL_UPDATE", "The same, on removal, too."),
            new Entry("KMP_NEEDS_MKINITRD", "Not 0: always regenerate the initrd."),
            new Entry(
                "INITRD_GENERATOR",
                "If it is not dracut, SUSE's regenerate-initrd-posttrans is called."));
  }

  @Override
  public int run(List<String> words, Console console, Services services) throws IOException {
    return new SuseDialect(
            console.streams(SuseDialect.NAME), console.environment(), services.transactions())
        .run(words);
  }
}
