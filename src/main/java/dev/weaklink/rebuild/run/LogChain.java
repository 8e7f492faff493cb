package dev.weaklink.rebuild.run;

import dev.weaklink.rebuild.LogReferences;
import dev.weaklink.rebuild.LogText;
import dev.weaklink.rebuild.TerminalText;
import dev.weaklink.sys.RootText;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Follows the logs that a build names, one in the other. Only files below the directories of that
 * build are read, and links are not followed.
 */
final class LogChain {
  private static final int MAX_LOGS = 200;
  private static final int MAX_DEPTH = 8;

  /** Of a larger log only the end is read. */
  private static final int SIZE_LIMIT = 16 << 20;

  private final List<Path> allowed;
  private final List<LogText> logs = new ArrayList<>();
  private final Set<Path> seen = new LinkedHashSet<>();

  LogChain(List<Path> allowed) {
    this.allowed = List.copyOf(allowed);
  }

  /** What was printed and the logs that it names, each after the one that names it. */
  List<LogText> follow(List<String> printed) {
    logs.add(new LogText("", printed));
    follow(printed, 0);
    return logs;
  }

  private void follow(List<String> lines, int depth) {
    for (String name : LogReferences.in(lines)) {
      Path path = Path.of(name).normalize();
      if (depth < MAX_DEPTH && logs.size() < MAX_LOGS && isAllowed(path) && seen.add(path)) {
        List<String> inside = read(path);
        logs.add(new LogText(path.toString(), inside));
        // A script names its own log, and the logs of what it ran lie beside that. They come first:
        // what both name says more than either.
        if (!inside.isEmpty()) {
          followNamed(path, depth);
        }
        follow(inside, depth + 1);
      }
    }
  }

  /** The log of an installer is named in none of the script's own lines. */
  private void followNamed(Path log, int depth) {
    Path parent = log.getParent();
    if (parent == null || depth > 0) {
      return;
    }
    for (String name : RootText.names(parent)) {
      Path general = parent.resolve(name).resolve("general.log");
      if (name.endsWith(".logs") && isAllowed(general) && seen.add(general)) {
        List<String> inside = read(general);
        logs.add(new LogText(general.toString(), inside));
        follow(inside, depth + 1);
      }
    }
  }

  private boolean isAllowed(Path path) {
    if (!Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS)) {
      return false;
    }
    try {
      Path real = path.toRealPath();
      return allowed.stream().anyMatch(directory -> real.startsWith(directory));
    } catch (IOException e) {
      return false;
    }
  }

  private static List<String> read(Path path) {
    try (FileChannel channel =
        FileChannel.open(path, StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS)) {
      long size = channel.size();
      ByteBuffer bytes = ByteBuffer.allocate((int) Math.min(size, SIZE_LIMIT));
      long from = size - bytes.capacity();
      while (bytes.hasRemaining() && channel.read(bytes, from + bytes.position()) >= 0) {
        // until all of it is there
      }
      String text = new String(bytes.array(), 0, bytes.position(), StandardCharsets.UTF_8);
      List<String> lines = new ArrayList<>();
      for (String line : text.split("[\r\n]+")) {
        lines.add(TerminalText.plain(line));
      }
      return lines;
    } catch (IOException e) {
      return List.of();
    }
  }
}
