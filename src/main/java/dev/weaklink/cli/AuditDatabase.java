package dev.weaklink.cli;

import dev.weaklink.audit.AuditReport;
import dev.weaklink.history.HistoryDatabase;
import dev.weaklink.history.HistoryWriter;
import java.io.IOException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/** The options about the database that audits are kept in. */
final class AuditDatabase {
  private static final String DB = "--db";
  private static final String AT = "--at";

  private AuditDatabase() {}

  static void addTo(CommandSpec spec) {
    spec.addOption(Options.value("FILE", DB));
  }

  static void addTime(CommandSpec spec) {
    spec.addOption(Options.value("TIME", AT));
  }

  /** Whether there is something to be kept; finds fault with options that make no sense. */
  static boolean isAsked(ParseResult parsed) {
    if (!parsed.hasMatchedOption(DB)) {
      if (parsed.hasMatchedOption(AT)) {
        throw new UsageException(AT + " is for " + DB);
      }
      return false;
    }
    file(parsed);
    time(parsed);
    return true;
  }

  /** Keeps an audit; false if the database cannot be written, which was said. */
  static boolean keep(ParseResult parsed, AuditReport report, Console console) {
    Instant at = time(parsed);
    try (HistoryDatabase database = HistoryDatabase.openOrMake(file(parsed))) {
      HistoryWriter.record(database, report, at == null ? Instant.now() : at);
      return true;
    } catch (IOException e) {
      console.message("the audit was not kept: " + e.getMessage());
      return false;
    }
  }

  /** The file that was named. */
  static Path file(ParseResult parsed) {
    String name = Options.text(parsed, DB);
    if (name == null || name.isEmpty()) {
      throw new UsageException("name the database with " + DB + " FILE");
    }
    try {
      return Path.of(name);
    } catch (InvalidPathException e) {
      throw new UsageException(DB + " " + name + ": is not a path");
    }
  }

  private static @Nullable Instant time(ParseResult parsed) {
    String text = Options.text(parsed, AT);
    if (text == null) {
      return null;
    }
    try {
      return OffsetDateTime.parse(text).toInstant();
    } catch (DateTimeException e) {
      throw new UsageException(
          AT + " takes a time such as 2026-11-21T19:30:00Z, not '" + text + "'");
    }
  }
}
