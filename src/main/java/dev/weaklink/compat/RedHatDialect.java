package dev.weaklink.compat;

import dev.weaklink.check.Trust;
import dev.weaklink.compat.DialectCommit.Planning;
import dev.weaklink.compat.RedHatOptions.Action;
import dev.weaklink.links.transaction.LinkTransaction;
import dev.weaklink.links.transaction.TransactionSettings;
import dev.weaklink.sys.IoReason;
import dev.weaklink.system.initramfs.InitramfsStep;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** weak-modules, as Red Hat's systems call it. */
public final class RedHatDialect {
  /** The name it is called by. */
  public static final String NAME = "weak-modules";

  private static final int DONE = 0;
  private static final int FAILED = 1;

  private final StandardStreams streams;
  private final TransactionSettings settings;

  public RedHatDialect(StandardStreams streams, TransactionSettings settings) {
    this.streams = streams;
    this.settings = settings;
  }

  /**
   * Runs a command line; returns the exit status: 1 if it makes no sense or something failed, 0
   * otherwise, whether or not anything is compatible.
   *
   * @throws IOException if standard output cannot be written
   */
  public int run(List<String> words) throws IOException {
    RedHatOptions options = RedHatOptions.parse(words);
    Action action = options.action();
    if (options.error() != null) {
      streams.complain(options.error());
      return usage(FAILED);
    }
    if (options.help()) {
      return usage(DONE);
    }
    if (options.deleteModules()) {
      streams.say("WARNING: --delete-modules is deprecated, no effect");
    }
    if (action == null) {
      return usage(FAILED);
    }
    if (lacksDracut(options)) {
      streams.say(NAME + ": could not find dracut at " + options.dracut());
      return FAILED;
    }
    try {
      return run(action, options, base(options));
    } catch (IOException e) {
      String file = e instanceof FileSystemException f ? f.getFile() + ": " : "";
      streams.complain(file + IoReason.of(e));
      return FAILED;
    }
  }

  private int usage(int status) throws IOException {
    streams.print(RedHatOptions.USAGE);
    return status;
  }

  private static boolean lacksDracut(RedHatOptions options) {
    return options.initramfs()
        && options.checkInitramfs() == null
        && options.dracut() != null
        && !Files.isExecutable(Path.of(options.dracut()));
  }

  private BaseDirectory base(RedHatOptions options) throws IOException {
    return options.basedir() == null
        ? BaseDirectory.host()
        : BaseDirectory.of(streams.directory().resolve(options.basedir()));
  }

  private int run(Action action, RedHatOptions options, BaseDirectory base) throws IOException {
    DialectCommit commit = new DialectCommit(streams, base, settings);
    if (!commit.recover(options.dryRun())) {
      return FAILED;
    }
    boolean lists = action == Action.ADD_MODULES || action == Action.REMOVE_MODULES;
    List<String> paths =
        lists ? ModulePaths.read(streams.in(), streams.directory()) : List.<String>of();
    if (lists && paths.isEmpty() && !commit.hasRecovered()) {
      return DONE;
    }
    String given = options.kernel();
    String kernel = given != null || lists ? String.valueOf(given) : RunningKernel.release();
    String title = NAME + " --" + action.id();
    Planning planning = () -> plan(title, action, kernel, options, paths, base, commit);
    boolean unlocked = options.dryRun() || !lists && commit.isNowhere(kernel);
    boolean done = unlocked ? planning.make() != null : commit.run(title, planning);
    return done ? DONE : FAILED;
  }

  private @Nullable LinkTransaction plan(
      String title,
      Action action,
      String kernel,
      RedHatOptions options,
      List<String> paths,
      BaseDirectory base,
      DialectCommit commit)
      throws IOException {
    RedHatRun run = new RedHatRun(streams, base, Trust.in(base.root()), options.verbose(), commit);
    PendingChanges work =
        switch (action) {
          case ADD_MODULES -> run.addModules(paths);
          case REMOVE_MODULES -> run.removeModules(paths);
          case ADD_KERNEL -> run.addKernel(kernel);
          case REMOVE_KERNEL -> run.removeKernel(kernel);
        };
    if (work == null) {
      return null;
    }
    commit.addPending(work);
    announce(work, commit, options, base);
    boolean renews = options.initramfs() && action != Action.REMOVE_KERNEL;
    List<InitramfsStep> images =
        renews
            ? new RenewedImages(streams, base, options.dracut(), options.checkInitramfs())
                .steps(commit.installed(work), work)
            : List.of();
    return commit.transaction(title, work, images);
  }

  private void announce(
      PendingChanges work, DialectCommit commit, RedHatOptions options, BaseDirectory base)
      throws IOException {
    if (!options.verbose()) {
      return;
    }
    String prefix = base.prefix().isEmpty() ? "" : "-b " + base.prefix() + " ";
    for (String kernel : work.kernels()) {
      streams.say(
          commit.isInstalled(kernel)
              ? "/sbin/depmod " + prefix + "-a " + kernel
              : "Skipping depmod for non-installed kernel " + kernel);
    }
  }
}
