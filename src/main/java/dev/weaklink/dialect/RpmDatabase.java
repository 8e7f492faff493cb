package dev.weaklink.dialect;

import dev.weaklink.sys.ExternalCommand;
import dev.weaklink.sys.IoReason;
import dev.weaklink.sys.Root;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Asks rpm(8), once for all packages; of an image its database, which is found inside. */
final class RpmDatabase implements KmpDatabase {
  private static final Duration LIMIT = Duration.ofMinutes(5);
  private static final int OUTPUT_LIMIT = 32 << 20;
  private static final List<String> DATABASES =
      List.of("/usr/lib/sysimage/rpm", "/var/lib/rpm", "/usr/share/rpm");
  private static final List<String> DATABASE_FILES =
      List.of("rpmdb.sqlite", "Packages.db", "Packages");
  private static final String FORMAT =
      "N\t%{NAME}\t%{VERSION}\t%{RELEASE}\n[P\t%{PROVIDENAME}\n][F\t%{FILENAMES}\n]";

  private final Root root;
  private final String program;

  RpmDatabase(Root root, String program) {
    this.root = root;
    this.program = program;
  }

  @Override
  public List<Kmp> ofFlavor(String flavor, List<String> problems) throws IOException {
    List<String> words = new ArrayList<>(List.of(program));
    if (!root.isHost()) {
      Path database = database();
      if (database == null) {
        throw new IOException("there is no RPM database in " + root);
      }
      words.addAll(List.of("--dbpath", database.toString()));
    }
    words.addAll(List.of("-qa", "--nodigest", "--nosignature", "--qf", FORMAT));
    // not the flavor: a directory's name is no pattern
    words.add("*-kmp-*");
    List<Kmp> kmps = new RpmAnswer(flavor, problems).read(run(words));
    kmps.sort(Kmp.NEWEST_FIRST);
    return kmps;
  }

  private List<String> run(List<String> words) throws IOException {
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

  private @Nullable Path database() throws IOException {
    for (String directory : DATABASES) {
      for (String file : DATABASE_FILES) {
        if (Files.isRegularFile(root.resolve(directory + "/" + file))) {
          return root.resolve(directory);
        }
      }
    }
    return null;
  }
}
