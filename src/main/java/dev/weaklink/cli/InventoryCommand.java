package dev.weaklink.cli;

import dev.weaklink.inventory.InventoryCollector;
import dev.weaklink.inventory.InventoryRequest;
import dev.weaklink.report.ExitCode;
import dev.weaklink.sys.Root;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/** {@code weaklink inventory}: what a system or image has, for an audit. */
final class InventoryCommand implements Command {
  private static final String NAME = "--name";
  private static final String NO_NAME = "--no-name";
  private static final String FULL = "--full";

  @Override
  public CommandSpec spec() {
    CommandSpec spec = CommandSpec.create();
    spec.usageMessage()
        .header("Print an inventory of a system or image, for 'weaklink audit'.")
        .description(
            "Prints one line of JSON (schema weaklink.node/1): the kernels, the modules below"
                + " extra, updates and weak-updates with their digests, what is loaded, DKMS,"
                + " products, Secure Boot and lockdown. Nothing is changed.",
            "The bytes are those that the script weaklink-collect prints on a node, where no tool"
                + " is missing; but the packages of an RPM image are told here, if rpm is"
                + " installed, and only here.")
        .exitCodeList(Options.plainExitCodes("it was printed; what could not be read is in it"));
    Options.addRoot(spec);
    spec.addOption(
        Options.value("NAME", "The node's name. Default: its host name; an image has none.", NAME));
    spec.addOption(Options.flag("Leave the name out, so that equal roots are equal.", NO_NAME));
    spec.addOption(Options.flag("Tell the tables of symbol versions and exports, too.", FULL));
    Options.addJobs(spec);
    Options.addCommon(spec);
    return spec;
  }

  @Override
  public Manual manual() {
    return new Manual(
        List.of(
            new Entry(
                "weaklink inventory --root /srv/image --name image-9.4",
                "What an image has, under a name of its own."),
            new Entry(
                "weaklink inventory --root /srv/image | weaklink audit -",
                "What is wrong with it.")),
        List.of(),
        List.of());
  }

  @Override
  public int run(ParseResult parsed, Console console, Services services) throws IOException {
    String name = Options.text(parsed, NAME);
    boolean nameless = Options.isSet(parsed, NO_NAME);
    if (nameless && name != null) {
      throw new UsageException(NAME + " and " + NO_NAME + " exclude each other");
    }
    Root root = root(Options.root(parsed));
    InventoryRequest request =
        new InventoryRequest(
            root, name, nameless, Options.isSet(parsed, FULL), Options.jobs(parsed));
    console.out().write(InventoryCollector.collect(request));
    return ExitCode.COMPATIBLE.number();
  }

  private static Root root(@Nullable Path directory) throws IOException {
    return directory == null ? Root.HOST : Root.of(directory);
  }
}
