package dev.weaklink.cli;

import dev.weaklink.check.StoreKeeper;
import dev.weaklink.check.result.ExitCode;
import dev.weaklink.store.KernelStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/** {@code weaklink store}: kernels seen once, kept for later checks. */
final class StoreCommand implements Command {
  static final String STORE = "--store";
  static final Entry PLACE =
      new Entry("/var/lib/weaklink/kernels", "The kernels of a system's store, one file each.");

  @Override
  public void declare(CommandSpec spec) {
    spec.usageMessage()
        .header("Manage a store of kernels for checks without their packages or headers.")
        .description(
            "A store keeps of each kernel what a check needs: its exports with their CRCs, version"
                + " magic, and how its module loader decides. 'weaklink check --kernel RELEASE'"
                + " looks there for a kernel that is neither installed nor a file.",
            "Kernels are named by their release; where a store has several of one release,"
                + " by RELEASE@DIGEST, of which the first digits will do.")
        .exitCodeList(exitCodes("it was done"));
  }

  @Override
  public Map<String, Command> commands() {
    Map<String, Command> commands = new LinkedHashMap<>();
    commands.put("list", new StoreListCommand());
    commands.put("add", new StoreAddCommand());
    commands.put("export", new StoreExportCommand());
    commands.put("import", new StoreImportCommand());
    commands.put("prune", new StorePruneCommand());
    return commands;
  }

  @Override
  public Manual manual() {
    return new Manual(
            new Entry(
                "weaklink store add linux-image-6.1.0-54-amd64.deb",
                "Keeps a kernel; its package is no longer needed."),
            new Entry(
                "weaklink check kmod-x.rpm --kernel 6.1.0-54-amd64", "Checks against that kernel."),
            new Entry("weaklink store list", "What is kept."))
        .files(PLACE);
  }

  @Override
  public int run(ParseResult parsed, Console console, Services services) {
    throw new UsageException("no command given; there are list, add, export, import and prune");
  }

  static void addStore(CommandSpec spec) {
    spec.addOption(
        Options.value(
            "DIR", "The store. Default: /var/lib/weaklink/kernels, below the root.", STORE));
    Options.addRoot(spec);
  }

  static void addNames(CommandSpec spec, String label, String arity, String description) {
    spec.addPositional(Options.operands("0..*", arity, label, List.of(), description));
  }

  static List<String> names(ParseResult parsed) {
    return parsed.matchedPositionalValue(0, List.<String>of());
  }

  /** The store given, null if none was. */
  static @Nullable Path store(ParseResult parsed) {
    String given = Options.text(parsed, STORE);
    if (given == null) {
      return null;
    }
    try {
      Path directory = Path.of(given);
      if (!given.isEmpty() && (Files.isDirectory(directory) || !Files.exists(directory))) {
        return directory.toAbsolutePath();
      }
    } catch (InvalidPathException e) {
      // no directory can have such a name
    }
    throw new UsageException(STORE + " '" + given + "' is no directory");
  }

  static KernelStore open(ParseResult parsed) throws IOException {
    return StoreKeeper.open(Options.root(parsed), store(parsed));
  }

  static Map<String, String> exitCodes(String success) {
    return Options.plainExitCodes(
        success, "wrong usage, or something could not be read or written; the rest was done");
  }

  static int status(boolean done) {
    return (done ? ExitCode.COMPATIBLE : ExitCode.UNUSABLE).number();
  }
}
