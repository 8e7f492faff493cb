package dev.weaklink.links.transaction;

import static dev.weaklink.format.json.JsonOutput.list;
import static dev.weaklink.format.json.JsonOutput.object;

import dev.weaklink.format.json.JsonOutput;
import dev.weaklink.format.json.JsonTree;
import dev.weaklink.sys.UnreadableException;
import java.io.IOException;
import java.lang.reflect.RecordComponent;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The journal's two files as JSON. An image's journal may be anybody's work: whatever does not have
 * the expected form is an error, and what it says is checked again before anything is done.
 */
final class JournalFiles {
  private static final String RECORD_SCHEMA = "weaklink.transaction/1";
  private static final String PROGRESS_SCHEMA = "weaklink.transaction-progress/1";

  private JournalFiles() {}

  /** A transaction's record. */
  static byte[] bytes(TransactionRecord record) {
    return JsonOutput.line(
        object(
            "schema", RECORD_SCHEMA,
            "number", record.number(),
            "time", record.time(),
            "title", record.title(),
            "undoes", record.undoes(),
            "group", record.group() == 0 ? null : record.group(),
            "open", record.open() ? true : null,
            "kernels", record.kernels(),
            "restored", record.restored(),
            "initramfs", record.initramfs(),
            "changes", list(record.changes(), JournalFiles::change),
            "installed", record.installed(),
            "external",
                record.external().isEmpty()
                    ? null
                    : list(record.external(), JournalFiles::external),
            "saved", indexes(record.saved())));
  }

  /** How far a transaction got. */
  static byte[] bytes(TransactionProgress progress) {
    return JsonOutput.line(
        object(
            "schema", PROGRESS_SCHEMA,
            "phase", progress.phase().name(),
            "problem", progress.problem(),
            "initramfsPending", progress.initramfsPending(),
            "written", indexes(progress.written()),
            "closed", progress.closed() ? true : null));
  }

  private static Object change(PathChange change) {
    return object(
        "path", change.path(),
        "before", state(change.before()),
        "after", state(change.after()));
  }

  private static Object external(ExternalInstallation external) {
    return object(
        "run", external.run(),
        "modules", external.modules(),
        "removal", external.removal());
  }

  /** A link is its target, a file an object, a directory its mode, and nothing is left out. */
  private static @Nullable Object state(PathState state) {
    if (state instanceof PathState.Link link) {
      return link.target();
    }
    if (state instanceof PathState.File file) {
      return object(
          "sha256", file.sha256(),
          "mode", file.mode(),
          "lines", file.lines() == 0 ? null : file.lines());
    }
    return state instanceof PathState.Directory directory ? directory.mode() : null;
  }

  private static Object indexes(List<IndexSet> sets) {
    Map<String, Object> json = object();
    for (IndexSet set : sets) {
      json.put(set.kernel(), set.marks());
    }
    return json;
  }

  /**
   * Reads a transaction's record.
   *
   * @throws IOException if it has not the expected form
   */
  static TransactionRecord record(byte[] bytes) throws IOException {
    return read(bytes, RECORD_SCHEMA, TransactionRecord.class, JournalFiles::record);
  }

  /**
   * Reads how far a transaction got.
   *
   * @throws IOException if it has not the expected form
   */
  static TransactionProgress progress(byte[] bytes) throws IOException {
    return read(bytes, PROGRESS_SCHEMA, TransactionProgress.class, JournalFiles::progress);
  }

  /** The keys of a file are the components of the record that is made of it. */
  private static <T extends Record> T read(
      byte[] bytes, String schema, Class<T> type, JsonTree.Maker<T> maker) throws IOException {
    try {
      JsonTree json = JsonTree.read(bytes);
      if (json.has("schema") && !json.require("schema").equals(schema)) {
        throw new IOException("written by another version of this program");
      }
      Set<String> unknown = new HashSet<>(json.keys());
      unknown.remove("schema");
      for (RecordComponent component : type.getRecordComponents()) {
        unknown.remove(component.getName());
      }
      if (!unknown.isEmpty()) {
        throw malformed();
      }
      return maker.make(json);
    } catch (UnreadableException | IllegalArgumentException | DateTimeException e) {
      throw malformed();
    }
  }

  private static TransactionRecord record(JsonTree json) throws UnreadableException {
    int number = json.number("number");
    if (number == 0) {
      throw new UnreadableException("no transaction has this number");
    }
    return new TransactionRecord(
        number,
        json.has("time") ? Instant.ofEpochSecond(json.longNumber("time")).getEpochSecond() : 0,
        json.require("title"),
        json.numberIfAny("undoes"),
        json.numberIfAny("group"),
        json.isTrue("open"),
        json.textsIfAny("kernels"),
        json.textsIfAny("restored"),
        json.textsIfAny("initramfs"),
        json.list(
            "changes",
            one -> new PathChange(one.require("path"), state(one, "before"), state(one, "after"))),
        json.textsIfAny("installed"),
        json.listIfAny(
            "external",
            one ->
                new ExternalInstallation(
                    one.require("run"), one.texts("modules"), one.texts("removal"))),
        indexes(json, "saved"));
  }

  private static TransactionProgress progress(JsonTree json) throws UnreadableException {
    return new TransactionProgress(
        json.has("phase")
            ? TransactionProgress.Phase.valueOf(json.require("phase"))
            : TransactionProgress.Phase.BEGUN,
        indexes(json, "written"),
        json.textsIfAny("initramfsPending"),
        json.text("problem"),
        json.isTrue("closed"));
  }

  private static PathState state(JsonTree json, String key) throws UnreadableException {
    if (!json.has(key)) {
      return PathState.ABSENT;
    }
    if (json.hasText(key)) {
      return new PathState.Link(json.require(key));
    }
    if (json.hasObject(key)) {
      JsonTree file = json.object(key);
      return new PathState.File(
          file.require("sha256"), file.number("mode"), file.numberIfAny("lines"));
    }
    return new PathState.Directory(json.number(key));
  }

  private static List<IndexSet> indexes(JsonTree json, String key) throws UnreadableException {
    List<IndexSet> sets = new ArrayList<>();
    if (!json.has(key)) {
      return sets;
    }
    JsonTree kernels = json.object(key);
    for (String kernel : kernels.keys()) {
      sets.add(new IndexSet(kernel, kernels.object(kernel).allTexts()));
    }
    return sets;
  }

  private static IOException malformed() {
    return new IOException("not a journal of this program");
  }
}
