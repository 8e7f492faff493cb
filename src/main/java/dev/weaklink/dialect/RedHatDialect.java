package dev.weaklink.dialect;

import dev.weaklink.check.Trust;
import dev.weaklink.dialect.RedHatOptions.Action;
import dev.weaklink.links.InitramfsStep;
import dev.weaklink.links.TransactionSettings;
import dev.weaklink.sys.IoReason;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

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
    Finish finish = new Finish(streams, base, settings);
    if (!finish.recover(options.dryRun())) {
      return FAILED;
    }
    RedHatRun run = new RedHatRun(streams, base, Trust.in(base.root()), options.verbose(), finish);
    String kernel = options.kernel();
    if (kernel == null && (action == Action.ADD_KERNEL || action == Action.REMOVE_KERNEL)) {
      kernel = RunningKernel.release();
    }
    PendingChanges work =
        switch (action) {
          case ADD_MODULES -> run.addModules(ModulePaths.read(streams.in(), streams.directory()));
          case REMOVE_MODULES ->
              run.removeModules(ModulePaths.read(streams.in(), streams.directory()));
          case ADD_KERNEL -> run.addKernel(String.valueOf(kernel));
          case REMOVE_KERNEL -> run.removeKernel(String.valueOf(kernel));
        };
    if (work == null) {
      return FAILED;
    }
    finish.addPending(work);
    announce(work, finish, options, base);
    boolean renews = options.initramfs() && action != Action.REMOVE_KERNEL;
    List<InitramfsStep> images =
        renews
            ? new RenewedImages(streams, base, options.dracut(), options.checkInitramfs())
                .steps(finish.installed(work), work)
            : List.of();
    return options.dryRun() || finish.run(NAME + " " + title(action), work, images) ? DONE : FAILED;
  }

  private static String title(Action action) {
    return "--" + action.option();
  }

  private void announce(
      PendingChanges work, Finish finish, RedHatOptions options, BaseDirectory base)
      throws IOException {
    if (!options.verbose()) {
      return;
    }
    String prefix = base.prefix().isEmpty() ? "" : "-b " + base.prefix() + " ";
    for (String kernel : work.kernels()) {
      streams.say(
          finish.isInstalled(kernel)
              ? "/sbin/depmod " + prefix + "-a " + kernel
              : "Skipping depmod for non-installed kernel " + kernel);
    }
  }
}
