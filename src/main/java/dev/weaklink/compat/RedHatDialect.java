package dev.weaklink.compat;

import dev.weaklink.check.SignaturePolicy;
import dev.weaklink.compat.DialectCommit.Planning;
import dev.weaklink.compat.RedHatOptions.RedHatAction;
import dev.weaklink.links.transaction.LinkTransaction;
import dev.weaklink.links.transaction.TransactionSettings;
import dev.weaklink.sys.IoReason;
import dev.weaklink.sys.Root;
import dev.weaklink.sys.RootText;
import dev.weaklink.system.initramfs.InitramfsPlanner;
import dev.weaklink.system.initramfs.InitramfsPlanner.InitramfsStep;
import dev.weaklink.system.initramfs.InitramfsPlanner.InitramfsSteps;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

public final class RedHatDialect {
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
     * Runs the command with the given arguments.
     *
     * @return 1 if the arguments are invalid or something failed, else 0, even if no module is compatible
     * @throws IOException if standard output cannot be written
     */
    public int run(List<String> words) throws IOException {
        RedHatOptions options = RedHatOptions.parse(words);
        RedHatAction action = options.action();
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
            String file = e instanceof FileSystemException f && f.getFile() != null ? f.getFile() + ": " : "";
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

    private int run(RedHatAction action, RedHatOptions options, BaseDirectory base) throws IOException {
        DialectCommit commit = new DialectCommit(streams, base, settings);
        if (!commit.recover(options.dryRun())) {
            return FAILED;
        }
        boolean lists = action == RedHatAction.ADD_MODULES || action == RedHatAction.REMOVE_MODULES;
        List<String> paths = lists ? ModulePaths.read(streams.in(), streams.directory()) : List.<String>of();
        if (lists && paths.isEmpty() && !commit.hasRecovered()) {
            return DONE;
        }
        String given = options.kernel();
        String kernel = given != null || lists ? String.valueOf(given) : new RootText(Root.HOST).runningKernel();
        String title = NAME + " --" + action.id();
        Planning planning = () -> plan(title, action, kernel, options, paths, base, commit);
        boolean unlocked = options.dryRun() || !lists && commit.isNowhere(kernel);
        boolean done = unlocked ? planning.make() != null : commit.run(title, planning);
        return done ? DONE : FAILED;
    }

    private @Nullable LinkTransaction plan(
            String title,
            RedHatAction action,
            String kernel,
            RedHatOptions options,
            List<String> paths,
            BaseDirectory base,
            DialectCommit commit)
            throws IOException {
        RedHatRun run = new RedHatRun(streams, base, SignaturePolicy.in(base.root()), options.verbose(), commit);
        PendingChanges work = switch (action) {
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
        boolean renews = options.initramfs() && action != RedHatAction.REMOVE_KERNEL;
        List<InitramfsStep> images = renews
                ? new RenewedImages(streams, base, options.dracut(), options.checkInitramfs())
                        .steps(commit.installed(work), work)
                : List.of();
        return commit.transaction(title, work, images);
    }

    private void announce(PendingChanges work, DialectCommit commit, RedHatOptions options, BaseDirectory base)
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

    /**
     * The plan to renew existing initramfs images. If {@code dracut} and {@code checker} are null, this system's own
     * tool renews only the images that contain a changed module.
     *
     * @param base the root directory of the images
     * @param dracut the program that renews the image of each changed kernel, or null
     * @param checker the program to call in place of {@code dracut}, or null; its only argument is the kernel's release
     */
    private record RenewedImages(
            StandardStreams streams,
            BaseDirectory base,
            @Nullable String dracut,
            @Nullable String checker) {
        List<InitramfsStep> steps(Collection<String> kernels, PendingChanges work) throws IOException {
            if (dracut == null && checker == null) {
                return planned(kernels, work.modules());
            }
            List<InitramfsStep> steps = new ArrayList<>();
            for (String kernel : kernels) {
                Path image = base.root().resolve("/boot/initramfs-" + kernel + ".img");
                if (Files.isRegularFile(image)) {
                    steps.add(new InitramfsStep(kernel, command(image, kernel)));
                }
            }
            return steps;
        }

        private List<String> command(Path image, String kernel) {
            return checker == null
                    ? List.of(String.valueOf(dracut), "-f", image.toString(), kernel)
                    : List.of(checker, kernel);
        }

        private List<InitramfsStep> planned(Collection<String> kernels, Map<String, Set<String>> modules) {
            Map<String, Set<String>> changed = new TreeMap<>();
            for (String kernel : kernels) {
                changed.put(kernel, modules.getOrDefault(kernel, Set.of()));
            }
            InitramfsSteps steps = InitramfsPlanner.steps(base.root(), changed);
            steps.notes().forEach(streams::complain);
            steps.problems().forEach(streams::complain);
            return steps.steps();
        }
    }
}
