package dev.weaklink.cli;

import dev.weaklink.check.report.StoreText;
import dev.weaklink.kernel.store.StoreListing;
import java.io.IOException;
import java.util.List;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
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

  /** The option of commands whose result is either for people or for programs. */
  private static final class TableOrJson {
    private static final String FORMAT = "--format";
    private static final String TABLE = "table";
    private static final String JSON = "json";
    private static final List<String> FORMATS = List.of(TABLE, JSON);

    private TableOrJson() {}

    /**
     * The option.
     *
     * @param json what programs get, such as "one JSON object"
     */
    static OptionSpec option() {
      return Options.choice(FORMATS, FORMAT);
    }

    /** Whether programs are to read the result. */
    static boolean isJson(ParseResult parsed) {
      return Options.word(parsed, FORMAT, FORMATS).equals(JSON);
    }
  }
}
