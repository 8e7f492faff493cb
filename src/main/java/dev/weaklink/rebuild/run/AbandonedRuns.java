package dev.weaklink.rebuild.run;

import dev.weaklink.sys.DurableFiles;
import dev.weaklink.sys.FileStatus;
import dev.weaklink.sys.Ownership;
import dev.weaklink.sys.ProcessGroup;
import dev.weaklink.sys.Root;
import dev.weaklink.sys.RootText;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;

/**
 * Runs that were broken off without a chance to clean up, as by SIGKILL or a power failure. Their
 * lock is free, but processes of theirs may still be at work, and what they made lies about.
 */
final class AbandonedRuns {
  private static final long GRACE_MILLIS = 5_000;
  private static final int LIMIT = 64 << 20;
  private static final String UNJUDGED = "\"state\":\"unjudged\"";
  private static final String RUNNING = "\"state\":\"running\"";

  private final Root root;
  private final String kernel;
  private final RunDirectory next;

  AbandonedRuns(Root root, String kernel, RunDirectory next) {
    this.root = root;
    this.kernel = kernel;
    this.next = next;
  }

  /** Ends and removes what they left; their logs stay. To be called with the lock held. */
  void clear(RunListener listener) throws IOException {
    for (Path run : RunDirectory.newestFirst(root, kernel)) {
      Path manifest = run.resolve("manifest.json");
      boolean isFile = Files.isRegularFile(manifest, LinkOption.NOFOLLOW_LINKS);
      String text = isFile ? RootText.read(manifest, LIMIT) : "";
      if (text.contains(UNJUDGED)) {
        DurableFiles.deleteTree(run.resolve("work"));
        DurableFiles.deleteTree(run.resolve("modules"));
        listener.unjudged(run);
      }
      if (text.contains(RUNNING)) {
        new ProcessGroup(Supervisor.MARK + "=" + run).end(GRACE_MILLIS);
        DurableFiles.deleteTree(run.resolve("work"));
        DurableFiles.deleteTree(run.resolve("modules"));
        DurableFiles.deleteTree(run.resolve("results"));
        deleteElsewhere(String.valueOf(run.getFileName()));
        String abandoned = text.replace(RUNNING, "\"state\":\"abandoned\"");
        DurableFiles.replace(manifest, abandoned.getBytes(StandardCharsets.UTF_8));
        listener.abandoned(run);
      }
    }
  }

  /** A run that worked elsewhere did so where this one will, most likely. */
  private void deleteElsewhere(String number) throws IOException {
    if (next.work().startsWith(next.host())) {
      return;
    }
    Ownership ours = Ownership.ofProcess();
    Path above = next.work().resolveSibling("");
    for (String name : RootText.names(above)) {
      Path work = above.resolve(name);
      if (name.startsWith(RunDirectory.prefix(kernel, number))
          && ours.isOurs(FileStatus.of(work, LinkOption.NOFOLLOW_LINKS))) {
        DurableFiles.deleteTree(work);
      }
    }
  }
}
