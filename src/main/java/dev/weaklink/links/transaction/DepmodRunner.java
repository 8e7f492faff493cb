package dev.weaklink.links.transaction;

import dev.weaklink.sys.DurableFiles;
import dev.weaklink.sys.ExternalCommand;
import dev.weaklink.sys.IoReason;
import dev.weaklink.system.WeakUpdates;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Runs the system's depmod(8).
 *
 * <p>On the running system it works on the kernel's directory itself. In an image it would follow
 * the image's links out into the running system (and depmod before kmod 34 knows no other module
 * directory than its own), so there it works on a {@link DepmodMirror}, and what it wrote is then
 * put in its place.
 */
final class DepmodRunner {
  private static final String PATH = "/usr/sbin:/sbin:/usr/bin:/bin";

  private static final int MAX_LINES = 20;

  private final TransactionContext context;

  DepmodRunner(TransactionContext context) {
    this.context = context;
  }

  /**
   * Renews a kernel's index files.
   *
   * @param work a directory that does not exist, for what is needed meanwhile
   * @throws IOException if depmod is missing or fails; the files may be old, new or mixed then
   */
  void run(KernelDirectory kernel, Path work) throws IOException {
    context.listener().depmod(kernel.release());
    IndexFiles files = new IndexFiles(kernel, context.faults());
    files.removeTemporaries();
    context.faults().at("before depmod");
    if (isWhereDepmodLooks(kernel)) {
      depmod(List.of(kernel.release()), kernel.release());
    } else {
      DurableFiles.deleteTree(work);
      DepmodMirror mirror = DepmodMirror.make(context.root(), kernel, work);
      context.faults().at("after making a mirror");
      depmod(mirror.arguments(), kernel.release());
      files.install(mirror.modules());
      DurableFiles.deleteTree(work);
    }
    context.faults().at("after depmod");
    files.sync();
  }

  private boolean isWhereDepmodLooks(KernelDirectory kernel) throws IOException {
    return context.root().isHost()
        && Path.of("/lib/modules", kernel.release()).toRealPath().equals(kernel.host());
  }

  private void depmod(List<String> arguments, String release) throws IOException {
    List<String> words = new ArrayList<>();
    words.add(program());
    words.addAll(arguments);
    ExternalCommand.Result result;
    try {
      result =
          ExternalCommand.of(words, context.settings().depmodLimit())
              .withEnvironment(Map.of("PATH", PATH, "LC_ALL", "C"))
              .run();
    } catch (IOException e) {
      throw new IOException("depmod cannot be run: " + IoReason.of(e), e);
    }
    if (!result.succeeded()) {
      throw new StepFailure(
          "depmod failed for kernel " + release + " (" + result.reason() + ")", result.lines());
    }
    passOn(result.lines());
  }

  /**
   * It prints the same about each of thousands of modules, if at all; and that a link leads
   * nowhere, which of those that are just being removed nobody has to know.
   */
  private void passOn(List<String> lines) {
    lines.stream()
        .filter(line -> !line.contains(WeakUpdates.TEMPORARY))
        .limit(MAX_LINES)
        .forEach(context.listener()::warning);
  }

  private String program() throws IOException {
    Path given = context.settings().depmod();
    if (given != null) {
      return given.toString();
    }
    String path = System.getenv("PATH");
    for (String directory : ((path == null ? "" : path + ":") + PATH).split(":", -1)) {
      Path program = Path.of(directory, "depmod");
      if (program.isAbsolute() && Files.isExecutable(program)) {
        return program.toString();
      }
    }
    throw new IOException("depmod is not installed; install the package kmod");
  }
}
