package dev.weaklink.history;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.DateTimeException;
import java.util.Properties;
import org.sqlite.JDBC;
import org.sqlite.SQLiteErrorCode;
import org.sqlite.SQLiteException;

/**
 * The file. Every change is one transaction with a rollback journal that is on disk before the file
 * is touched (synchronous=FULL): a process that is killed leaves the state before or after it. A
 * second writer waits for the first one.
 */
public final class HistoryDatabase implements AutoCloseable {
  private static final String WAIT = "PRAGMA busy_timeout = 60000";

  private final Connection connection;
  private final Path file;

  private HistoryDatabase(Connection connection, Path file) {
    this.connection = connection;
    this.file = file;
  }

  /** Work within a transaction. */
  interface Work<T> {
    T on(Connection connection) throws SQLException;
  }

  /**
   * Opens a database to write to it, and makes it if there is no such file.
   *
   * @throws IOException if it cannot be opened, or is another program's
   */
  public static HistoryDatabase openOrMake(Path file) throws IOException {
    Path parent = file.toAbsolutePath().getParent();
    if (parent != null && !Files.isDirectory(parent)) {
      throw new IOException(file + ": there is no directory to make it in");
    }
    return open(file, true);
  }

  /**
   * Opens a database that exists.
   *
   * @throws IOException if it is not there, cannot be opened, or is another program's
   */
  public static HistoryDatabase openExisting(Path file) throws IOException {
    if (!Files.isRegularFile(file)) {
      throw new IOException(file + ": no such file; weaklink audit --db makes it");
    }
    return open(file, false);
  }

  private static HistoryDatabase open(Path file, boolean make) throws IOException {
    try {
      // A file's URI takes any name; the driver itself reads question marks as options.
      String url = JDBC.PREFIX + file.toUri();
      Connection connection = JDBC.createConnection(url, new Properties());
      HistoryDatabase database = new HistoryDatabase(connection, file);
      try {
        database.prepare(make);
        return database;
      } catch (IOException | SQLException e) {
        connection.close();
        throw e;
      }
    } catch (SQLException e) {
      throw new IOException(file + ": " + reason(e), e);
    }
  }

  private void prepare(boolean make) throws SQLException, IOException {
    execute(connection, WAIT);
    execute(connection, "PRAGMA journal_mode = DELETE");
    execute(connection, "PRAGMA synchronous = FULL");
    execute(connection, "PRAGMA temp_store = MEMORY");
    if (make && number(connection, "PRAGMA application_id") != HistorySchema.APPLICATION) {
      write(HistoryDatabase::makeTables);
    }
    long version = number(connection, "PRAGMA user_version");
    if (number(connection, "PRAGMA application_id") != HistorySchema.APPLICATION) {
      throw new IOException(file + ": is a database of another program");
    }
    if (version != HistorySchema.VERSION && version != HistorySchema.WITHOUT_IDS) {
      throw new IOException(
          file + ": is of version " + version + ", which this program does not support");
    }
  }

  /** Only in a new file; another process may have been faster. */
  private static Void makeTables(Connection connection) throws SQLException {
    if (number(connection, "SELECT count(*) FROM sqlite_schema") > 0) {
      return null;
    }
    for (String table : HistorySchema.statements("tables")) {
      execute(connection, table);
    }
    execute(connection, "PRAGMA application_id = " + HistorySchema.APPLICATION);
    execute(connection, "PRAGMA user_version = " + HistorySchema.VERSION);
    return null;
  }

  /** Makes an older database one of now; within the transaction that needs it. */
  static void addIds(Connection connection) throws SQLException {
    if (number(connection, "PRAGMA user_version") == HistorySchema.WITHOUT_IDS) {
      for (String change : HistorySchema.ADD_IDS) {
        execute(connection, change);
      }
      execute(connection, "PRAGMA user_version = " + HistorySchema.VERSION);
    }
  }

  /** Does work that takes effect as a whole, or not at all. */
  <T> T write(Work<T> work) throws IOException {
    return transaction("BEGIN IMMEDIATE", work);
  }

  /** Reads one state of the file, whatever is written meanwhile. */
  <T> T read(Work<T> work) throws IOException {
    return transaction("BEGIN", work);
  }

  private <T> T transaction(String begin, Work<T> work) throws IOException {
    try {
      execute(connection, begin);
      boolean done = false;
      try {
        T result = work.on(connection);
        execute(connection, "COMMIT");
        done = true;
        return result;
      } finally {
        if (!done) {
          execute(connection, "ROLLBACK");
        }
      }
    } catch (SQLException e) {
      throw new IOException(file + ": " + reason(e), e);
    } catch (IllegalArgumentException | DateTimeException e) {
      throw new IOException(file + ": has a name or a time that cannot be one", e);
    }
  }

  static void execute(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  /** The one number that a query gives. */
  static long number(Connection connection, String sql) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql);
        ResultSet rows = statement.executeQuery()) {
      return rows.next() ? rows.getLong(1) : 0;
    }
  }

  private static String reason(SQLException e) {
    if (e instanceof SQLiteException of) {
      SQLiteErrorCode code = of.getResultCode();
      if (code == SQLiteErrorCode.SQLITE_NOTADB) {
        return "is not a database";
      }
      if (code == SQLiteErrorCode.SQLITE_BUSY) {
        return "locked by another program for a minute; try again";
      }
    }
    return "SQLite reports: " + e.getMessage();
  }

  @Override
  public void close() throws IOException {
    try {
      connection.close();
    } catch (SQLException e) {
      throw new IOException(file + ": " + reason(e), e);
    }
  }
}
