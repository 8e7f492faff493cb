package dev.weaklink.cli;

import dev.weaklink.check.report.StoreText;
import dev.weaklink.kernel.store.StoreListing;
import dev.weaklink.report.Format;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/** {@code weaklink store list}: what is kept, and whether it is in order. */
final class StoreListCommand implements Command {

  @Override
  public void declare(CommandSpec spec) {
    Options.addStore(spec);
    OutputForm.addTo(spec, List.of(Format.TABLE, Format.JSON));
  }

  @Override
  public int run(ParseResult parsed, Console console) throws IOException {
    OutputForm form = OutputForm.of(parsed);
    StoreListing listing = StoreCommand.open(parsed).list();
    for (StoreListing.Corrupt corrupt : listing.corrupt()) {
      console.message(corrupt.entry().file() + ": " + corrupt.reason() + "; skipped");
    }
    return form.write(
        out -> {
          if (form.format() == Format.JSON) {
            StoreText.write(listing, out);
          } else {
            out.write(StoreText.lines(listing).getBytes(StandardCharsets.UTF_8));
          }
        },
        console,
        StoreCommand.status(listing.corrupt().isEmpty()));
  }
}
