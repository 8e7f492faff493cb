package dev.weaklink.history;

import dev.weaklink.sys.ShippedText;
import java.util.List;

/** The tables, and what is done with them; the SQL is in the program's {@code history/*.sql}. */
final class HistorySchema {
  /** Says in the file's header whose database it is: "wkla". */
  static final int APPLICATION = 0x776b6c61;

  static final int VERSION = 2;

  /** Had no ids: what is wrong was known again by its words alone. */
  static final int WITHOUT_IDS = 1;

  /** Makes the tables of {@link #WITHOUT_IDS} those of now. */
  static final List<String> ADD_IDS =
      List.of("ALTER TABLE faults ADD COLUMN id TEXT", "ALTER TABLE running ADD COLUMN id TEXT");

  /**
   * Between a set's digest and a policy about signatures: a node holds both the one without and, if
   * that made a difference, the one with it.
   */
  static final char POLICY = '/';

  private HistorySchema() {}

  /** The statements of a file, in their order. */
  static List<String> statements(String name) {
    return List.of(ShippedText.of("/history/" + name + ".sql").split(";\\s*"));
  }
}
