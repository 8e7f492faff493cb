package dev.weaklink.compat;

import dev.weaklink.sys.ExternalCommand;
import dev.weaklink.sys.IoReason;
import dev.weaklink.sys.Root;
import dev.weaklink.system.DatabaseCopy;
import dev.weaklink.system.RpmDatabase;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Asks rpm(8), once for all packages; of an image its database, which is found inside. */
final class KmpQuery implements KmpDatabase {
  private static final Duration LIMIT = Duration.ofMinutes(5);
  private static final int OUTPUT_LIMIT = 32 << 20;
  private static final String FORMAT =
      "N\t%{NAME}\t%{VERSION}\t%{RELEASE}\n[P\t%{PROVIDENAME}\n][F\t%{FILENAMES}\n]";

  private final Root root;
  private final String program;

  KmpQuery(Root root, String program) {
    this.root = root;
    this.program = program;
  }

  @Override
  public List<Kmp> ofFlavor(String flavor, List<String> problems) throws IOException {
    List<Kmp> kmps = new RpmAnswer(flavor, problems).read(answer());
    kmps.sort(Kmp.NEWEST_FIRST);
    return kmps;
  }

  private List<String> answer() throws IOException {
    if (root.isHost()) {
      return run(List.of());
    }
    RpmDatabase database = RpmDatabase.find(root);
    if (database == null) {
      throw new IOException("there is no RPM database in " + root);
    }
    try (DatabaseCopy copy = database.copy()) {
      return run(List.of("--dbpath", copy.directory().toString()));
    }
  }

  private List<String> run(List<String> where) throws IOException {
    List<String> words = new ArrayList<>(List.of(program));
    words.addAll(where);
    words.addAll(List.of("-qa", "--nodigest", "--nosignature", "--qf", FORMAT));
    // not the flavor: a directory's name is no pattern
    words.add("*-kmp-*");
    ExternalCommand.Result result;
    try {
      result = ExternalCommand.of(words, LIMIT).withOutputLimit(OUTPUT_LIMIT).run();
    } catch (IOException e) {
      throw new IOException(program + " cannot be run: " + IoReason.of(e), e);
    }
    if (!result.succeeded()) {
      List<String> lines = result.lines();
      String last = lines.isEmpty() ? "" : ": " + lines.get(lines.size() - 1);
      throw new IOException(program + " failed (" + result.reason() + ")" + last);
    }
    if (result.truncated()) {
      throw new IOException(program + " lists more than " + OUTPUT_LIMIT + " bytes");
    }
    return result.lines();
  }
}
