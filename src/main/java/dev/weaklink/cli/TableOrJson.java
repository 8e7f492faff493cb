package dev.weaklink.cli;

import java.util.List;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;

/** The option of commands whose result is either for people or for programs. */
final class TableOrJson {
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
