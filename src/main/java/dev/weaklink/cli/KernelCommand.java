package dev.weaklink.cli;

import dev.weaklink.check.KernelRequest;
import java.util.LinkedHashMap;
import java.util.Map;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/** {@code weaklink kernel}: what a kernel's image says. */
final class KernelCommand implements Command {
  private static final String KERNEL = "--kernel";

  @Override
  public void declare(CommandSpec spec) {
    spec.usageMessage()
        .header("Inspect a kernel image, or write a Module.symvers from it.")
        .description(
            "Reads a kernel from the file it is booted from, however it is compressed; nothing"
                + " else of the kernel is needed.")
        .exitCodeList(Options.plainExitCodes("it was shown"));
  }

  /** What both commands take: a file, or an installed kernel. */
  static void addKernel(CommandSpec spec) {
    spec.addPositional(
        Options.operands(
            "IMAGE",
            "A kernel image: vmlinuz, bzImage, zImage, Image, an EFI image or an ELF vmlinux,"
                + " packed or not; or the packages of one kernel. Default: that of the installed"
                + " kernel."));
    spec.addOption(
        Options.value(
            "RELEASE",
            "The release of a kernel installed in the root, or of the one meant where packages have"
                + " several. Default: the newest, unless IMAGE is given.",
            KERNEL));
    Options.addRoot(spec);
  }

  static KernelRequest request(ParseResult parsed) {
    return new KernelRequest(
        Options.root(parsed), StoreCommand.names(parsed), Options.text(parsed, KERNEL));
  }

  @Override
  public Map<String, Command> commands() {
    Map<String, Command> commands = new LinkedHashMap<>();
    commands.put("symvers", new KernelSymversCommand());
    commands.put("inspect", new KernelInspectCommand());
    return commands;
  }

  @Override
  public Manual manual() {
    return new Manual(
        new Entry(
            "weaklink kernel symvers --root /srv/image > Module.symvers",
            "The Module.symvers of the newest kernel in an image, from its vmlinuz and modules."),
        new Entry(
            "weaklink kernel symvers linux-image-6.12.101+deb12-amd64_*.deb",
            "The Module.symvers of a kernel from its package, which is not unpacked."),
        new Entry("weaklink kernel inspect vmlinuz", "What a kernel image says."));
  }

  @Override
  public int run(ParseResult parsed, Console console, Services services) {
    throw new UsageException("no command given; there are symvers and inspect");
  }
}
