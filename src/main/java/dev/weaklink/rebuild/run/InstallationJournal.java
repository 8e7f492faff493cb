package dev.weaklink.rebuild.run;

import dev.weaklink.sys.DurableFiles;
import dev.weaklink.sys.RootText;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What an installation changes, written down before it does, in the file {@code installation} of
 * its run: a line {@code state STATE}, then {@code mkdir PATH} for each directory and {@code put
 * DIGEST KEPT PATH} for each file, or {@code undo COMMAND} for what only another program can take
 * back.
 *
 * @param state how far it is
 * @param directories what is made, each after those above it, as seen from inside the root
 * @param files what is put, in that order
 * @param commands what the administrator would run to take the rest back
 */
record InstallationJournal(
    State state, List<String> directories, List<Put> files, List<String> commands) {
  private static final String NAME = "installation";
  private static final int LIMIT = 16 << 20;

  /** In an image a journal may be anybody's work: what it names lies in the run's directory. */
  private static final Pattern KEPT = Pattern.compile("[0-9]{1,9}");

  InstallationJournal {
    directories = List.copyOf(directories);
    files = List.copyOf(files);
    commands = List.copyOf(commands);
  }

  /** How far an installation is. */
  enum State {
    INSTALLING,
    INSTALLED,
    UNDONE
  }

  /**
   * A file that is put.
   *
   * @param inside its path as seen from inside the root
   * @param digest SHA-256 of it in hex
   * @param kept name, in the run's directory {@code replaced}, of what was in its place; null if
   *     nothing was
   */
  record Put(String inside, String digest, @Nullable String kept) {}

  InstallationJournal in(State other) {
    return new InstallationJournal(other, directories, files, commands);
  }

  /** Writes it in place of what is there; it is there after a power failure, too. */
  void write(Path run) throws IOException {
    StringBuilder text = new StringBuilder("state ").append(state).append('\n');
    for (String command : commands) {
      text.append("undo ").append(command).append('\n');
    }
    for (String directory : directories) {
      text.append("mkdir ").append(directory).append('\n');
    }
    for (Put put : files) {
      String kept = put.kept();
      text.append("put ").append(put.digest()).append(' ').append(kept == null ? "-" : kept);
      text.append(' ').append(put.inside()).append('\n');
    }
    DurableFiles.replace(run.resolve(NAME), text.toString().getBytes(StandardCharsets.UTF_8));
  }

  /** That of a run; null if it has installed nothing. */
  static @Nullable InstallationJournal read(Path run) throws IOException {
    Path file = run.resolve(NAME);
    if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
      return null;
    }
    State state = null;
    List<String> directories = new ArrayList<>();
    List<Put> files = new ArrayList<>();
    List<String> commands = new ArrayList<>();
    for (String line : RootText.read(file, LIMIT).split("\n", -1)) {
      String[] words = line.split(" ", 4);
      if (words[0].equals("state") && words.length == 2) {
        state = state(words[1]);
      } else if (words[0].equals("undo")) {
        commands.add(line.substring("undo ".length()));
      } else if (words[0].equals("mkdir")) {
        directories.add(line.substring("mkdir ".length()));
      } else if (words[0].equals("put") && words.length == 4) {
        String kept = words[2].equals("-") ? null : words[2];
        if (kept != null && !KEPT.matcher(kept).matches()) {
          throw new IOException(file + ": was not written by this program");
        }
        files.add(new Put(words[3], words[1], kept));
      } else if (!line.isEmpty()) {
        throw new IOException(file + ": was not written by this program");
      }
    }
    if (state == null) {
      throw new IOException(file + ": was not written by this program");
    }
    return new InstallationJournal(state, directories, files, commands);
  }

  /** Whether what a run built was installed, and not taken back. */
  static boolean isInstalled(Path run) throws IOException {
    InstallationJournal journal = read(run);
    return journal != null && journal.state() == State.INSTALLED;
  }

  private static @Nullable State state(String word) {
    for (State state : State.values()) {
      if (state.name().equals(word)) {
        return state;
      }
    }
    return null;
  }
}
