package dev.weaklink.cli;

import dev.weaklink.check.report.StoreText;
import dev.weaklink.kernel.store.StoreListing;
import java.io.IOException;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/** {@code weaklink store list}: what is kept, and whether it is in order. */
final class StoreListCommand implements Command {

  @Override
  public void declare(CommandSpec spec) {
    Options.addStore(spec);
    spec.addOption(TableOrJson.option());
  }

  @Override
  public int run(ParseResult parsed, Console console) throws IOException {
    boolean json = TableOrJson.isJson(parsed);
    StoreListing listing = StoreCommand.open(parsed).list();
    for (StoreListing.Corrupt corrupt : listing.corrupt()) {
      console.message(corrupt.entry().file() + ": " + corrupt.reason() + "; skipped");
    }
    if (json) {
      StoreText.write(listing, console.out());
    } else {
      console.print(StoreText.lines(listing));
    }
    return StoreCommand.status(listing.corrupt().isEmpty());
  }
}
